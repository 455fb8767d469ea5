/** Many processes that open one file at the same moment, new or of an older schema. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { query, statement } from '../../src/storage/protocol.ts'
import { openConnection } from '../../src/storage/sqlite/connection.ts'
import { createSqliteDriver } from '../../src/storage/sqlite/drive.ts'
import {
  applicationId,
  checksumOf,
  migrations,
  schemaVersion,
} from '../../src/storage/sqlite/schema.ts'
import { executionId } from '../support/storage/ids.ts'
import { overDriver, testEnvironment } from '../support/storage/opened-storage.ts'
import { createWorkflow } from '../support/storage/steps.ts'
import { openStage, openStorage, type Puppet, type Stage } from './puppets.ts'

const processes = 10
const rounds = Number(process.env['STELE_OPEN_ROUNDS'] ?? 4)
/** Time for the question to reach everybody. */
const headStart = 40

let stage: Stage
let puppets: readonly Puppet[]

beforeAll(async () => {
  stage = openStage()
  puppets = await Promise.all(Array.from({ length: processes }, () => stage.enter()))
})

afterAll(async () => {
  await stage[Symbol.asyncDispose]()
})

/** Everybody opens the file at one instant, submits one execution, and lets go. */
async function openTogether(storage: string): Promise<readonly string[]> {
  const at = Date.now() + headStart
  const opened = await Promise.allSettled(
    puppets.map((puppet) => puppet.ask('open', { storage, at })),
  )
  expect(opened.filter(({ status }) => status === 'rejected')).toEqual([])
  const ids = await Promise.all(puppets.map((puppet) => puppet.ask('submit', 'echo', 1)))
  await Promise.all(puppets.map((puppet) => puppet.ask('stop')))
  return ids
}

/** Checks schema and rows; gives the ids that are there. */
async function idsIn(file: string, ids: readonly string[]): Promise<readonly string[]> {
  const connection = openConnection(file, 1_000)
  expect(connection.readPragma('user_version')).toBe(schemaVersion)
  expect(connection.readPragma('application_id')).toBe(applicationId)
  expect(connection.readPragma('integrity_check')).toBe('ok')
  const applied = statement('test', 'SELECT version, checksum FROM migrations ORDER BY version')
  expect(connection.drive(query(applied))).toEqual(
    migrations.map((migration) => ({
      version: migration.version,
      checksum: checksumOf(migration),
    })),
  )
  connection.close()
  const storage = await openStorage(file)
  const states = await storage.findStates(ids.map(executionId))
  await storage.close()
  return states.map((state) => state.executionId)
}

/** Makes a file as the first version of this package did, with rows in it. */
async function makeOld(file: string): Promise<readonly string[]> {
  const connection = openConnection(file, 0)
  const [initial] = migrations.map((migration) => ({ ...migration, sum: checksumOf(migration) }))
  connection.readPragma('journal_mode = WAL')
  connection.runScript(
    `CREATE TABLE migrations (
      version INTEGER PRIMARY KEY, name TEXT NOT NULL, checksum TEXT NOT NULL,
      applied_at_ms INTEGER NOT NULL) STRICT;
    INSERT INTO migrations VALUES (1, 'initial', '${initial?.sum}', 3);
    ${initial?.sql}
    PRAGMA application_id = ${applicationId};
    PRAGMA user_version = 1`,
  )
  const environment = testEnvironment()
  const driver = createSqliteDriver({ ...environment, connection, file })
  const { storage } = overDriver(driver, environment)
  const ids = Array.from({ length: 50 }, (_, index) => `old-${index}`)
  for (const id of ids) await createWorkflow(storage, id)
  await storage.close()
  return ids
}

describe(`${processes} processes at once`, () => {
  it('make one database of a file that does not exist, and all work on it', async () => {
    for (let round = 0; round < rounds; round += 1) {
      const file = `${stage.path}/new-${round}.db`
      const ids = await openTogether(file)
      expect(await idsIn(file, ids)).toEqual(ids)
    }
  })

  it('migrate a file of schema 1 once, and lose nothing of it', async () => {
    for (let round = 0; round < rounds; round += 1) {
      const file = `${stage.path}/old-${round}.db`
      const before = await makeOld(file)
      const ids = [...before, ...(await openTogether(file))]
      expect(await idsIn(file, ids)).toEqual(ids)
    }
  })
})
