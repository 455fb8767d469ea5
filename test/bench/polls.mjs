// What a poll costs that steps over rows of the same function which it may not take.

import Database from 'better-sqlite3'
import { createEngine, defineActivity } from '../../dist/src/index.js'
import { sqlite } from '../../dist/src/sqlite.js'
import { createNotifications } from '../../dist/src/storage/notifications.js'
import { openSqlite } from '../../dist/src/storage/sqlite/open.js'
import { createStorage } from '../../dist/src/storage/storage.js'

const foreign = 100_000
const tries = 15

/** Polls of version 2, while nothing but executions of version 1 is due. */
export async function measurePolls({ file, synchronous, payload }) {
  const old = defineActivity({ name: 'noop', version: '1' }, (input) => input)
  const engine = await createEngine({ storage: sqlite({ file, synchronous }), logger: false })
  await engine.submitMany(
    old,
    Array.from({ length: foreign }, () => payload),
  )
  await engine.stop()
  // As a workflow leaves them that has tried to take them over.
  const database = new Database(file)
  database.prepare("UPDATE executions SET incompatible_version = '2'").run()
  database.close()
  const scheduler = { after: () => () => undefined, soon: setImmediate }
  const environment = { clock: Date, random: { next: Math.random }, scheduler }
  const driver = await openSqlite({ file, synchronous }, environment)
  const storage = createStorage(
    driver,
    createNotifications({ scheduler, hasForeignChanges: () => false }),
  )
  const figures = {}
  for (const strategy of ['by_version', 'auto']) {
    const targets = [targetOf(strategy)]
    const request = { targets, lockedAt: Date.now(), limit: 100 }
    const skipped = `behind ${foreign.toLocaleString('en')} rows, ${strategy}`
    figures[`${skipped}, poll ms`] = await median(() => storage.lockDue(() => request))
    figures[`${skipped}, look ahead ms`] = await median(() => storage.findNextDue(targets))
  }
  await storage.close()
  return figures
}

function targetOf(strategy) {
  const fn = { kind: 'activity', name: 'noop', version: '2' }
  return { function: fn, strategy, limit: 100, retry: {}, lockExpiry: 1_000 }
}

async function median(work) {
  const samples = []
  for (let index = 0; index < tries; index += 1) {
    const begin = performance.now()
    await work()
    samples.push(performance.now() - begin)
  }
  return samples.toSorted((left, right) => left - right)[Math.floor(tries / 2)]
}
