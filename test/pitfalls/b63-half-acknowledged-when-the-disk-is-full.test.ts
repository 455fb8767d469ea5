import { copyFileSync } from 'node:fs'
import { createEngine, defineActivity, type Engine } from 'stele'
import { expect, it } from 'vitest'
import type { StorageEnvironment } from '../../src/client/engine-options.ts'
import { type Connection, openConnection } from '../../src/storage/sqlite/connection.ts'
import { createSqliteDriver } from '../../src/storage/sqlite/drive.ts'
import { checkInvariants, listAllStates } from '../support/storage/check-invariants.ts'
import { openFileStorage } from '../support/storage/opened-storage.ts'
import { temporaryDirectory } from '../support/storage/temporary-directory.ts'

const note = defineActivity({ name: 'note' }, (text: string) => text.length)
/** Pages that the database may grow by, and texts that need many more. */
const room = 60
const submissions = 400
const text = 'x'.repeat(3_000)

/** The ids that were acknowledged, and the codes of those that were refused. */
async function submitAll(engine: Engine, round: number) {
  const ids = Array.from({ length: submissions }, (_, index) => `${round}-${index}`)
  const answers = await Promise.allSettled(ids.map((id) => engine.submit(note, text, { id })))
  const acknowledged = ids.filter((_, index) => answers[index]?.status === 'fulfilled')
  const refusals = answers.filter((answer) => answer.status === 'rejected')
  return { acknowledged, reasons: refusals.map(({ reason }) => reason as unknown) }
}

/** Ids that somebody finds who opens what the process would leave behind if it died now. */
async function idsLeftBehind(file: string, copy: string): Promise<readonly string[]> {
  for (const suffix of ['', '-wal']) copyFileSync(file + suffix, copy + suffix)
  const { storage } = await openFileStorage({ file: copy })
  await checkInvariants(storage)
  const states = await listAllStates(storage)
  await storage.close()
  return states.map(({ executionId }) => executionId)
}

it('B63: a disk that fills up at a commit: what is acknowledged is there, and nothing else', async () => {
  using folder = temporaryDirectory()
  const file = folder.file('full.db')
  // Makes the tables.
  await (await createEngine({ storage: file, logger: false })).stop()
  let connection: Connection | undefined
  const open = (environment: StorageEnvironment) => {
    const opened = openConnection(file, 10)
    connection = opened
    return Promise.resolve(createSqliteDriver({ ...environment, connection: opened, file }))
  }
  const engine = await createEngine({ storage: { open }, functions: [note], logger: false })
  const pages = Number(connection?.readPragma('page_count'))
  connection?.readPragma(`max_page_count = ${pages + room}`)
  const acknowledged: string[] = []
  for (let round = 0; round < 3; round += 1) {
    const { acknowledged: some, reasons } = await submitAll(engine, round)
    acknowledged.push(...some)
    expect(reasons.length).toBeGreaterThan(0)
    for (const reason of reasons) expect(reason).toMatchObject({ code: 'storage_full' })
    const left = await idsLeftBehind(file, folder.file(`copy-${round}.db`))
    expect(left.toSorted()).toEqual(acknowledged.toSorted())
  }
  connection?.readPragma('max_page_count = 1000000')
  const rest = await submitAll(engine, 3)
  expect(rest.reasons).toEqual([])
  await engine.start()
  const last = await engine.get(rest.acknowledged.at(-1) ?? '', note)
  expect(await last.result({ timeout: '20s' })).toBe(text.length)
  await engine.stop()
})
