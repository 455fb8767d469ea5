/** The worker process: executes what it finds in the database until it is told to stop. */
import { createEngine } from 'stele'
import { createFunctions } from './checkout.ts'
import { openLedger } from './ledger.ts'

const [, database = '', ledgerFile = ''] = process.argv.slice(2)
const engine = await createEngine({
  storage: database,
  functions: Object.values(createFunctions(openLedger(ledgerFile))),
  // Short, so that one can watch the next process take over.
  executor: { concurrency: 16, lockExpiry: '1s' },
  timersWatcher: { leeway: '200ms' },
  // What functions log is kept in the database as well; there it is in nobody's way.
  logger: false,
})
await engine.start()
process.send?.('started')

const stop = async (): Promise<void> => {
  await engine.stop()
  process.exit(0)
}
process.once('SIGTERM', () => void stop())
// The parent is gone: nobody is left to work for.
process.once('disconnect', () => void stop())
