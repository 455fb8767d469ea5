/** Opening files: ours, new ones, those of others, and those that cannot be opened. */

import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Driver } from '../../../../src/storage/driver.ts'
import { query, type Row, statement } from '../../../../src/storage/protocol.ts'
import { openConnection } from '../../../../src/storage/sqlite/connection.ts'
import { busyRetryMax, createSqliteDriver } from '../../../../src/storage/sqlite/drive.ts'
import { openSqlite } from '../../../../src/storage/sqlite/open.ts'
import {
  applicationId,
  checksumOf,
  migrations,
  schemaVersion,
} from '../../../../src/storage/sqlite/schema.ts'
import type { Storage } from '../../../../src/storage/storage.ts'
import { checkInvariants } from '../../../support/storage/check-invariants.ts'
import {
  blockingAskEvent,
  delayEvent,
  finishedEvent,
  openedSet,
} from '../../../support/storage/events.ts'
import { childOf, executionId } from '../../../support/storage/ids.ts'
import {
  openFileStorage,
  openMemoryStorage,
  overDriver,
  type TestEnvironment,
  testEnvironment,
} from '../../../support/storage/opened-storage.ts'
import { createRequest, message, responseCommand } from '../../../support/storage/requests.ts'
import { accepted } from '../../../support/storage/results.ts'
import {
  append,
  createActivity,
  createLocked,
  createWorkflow,
  lockAt,
} from '../../../support/storage/steps.ts'
import {
  type TemporaryDirectory,
  temporaryDirectory,
} from '../../../support/storage/temporary-directory.ts'

let directory: TemporaryDirectory
let environment: TestEnvironment
let file: string

beforeEach(() => {
  directory = temporaryDirectory()
  environment = testEnvironment()
  file = directory.file('stele.db')
})

afterEach(() => {
  directory[Symbol.dispose]()
})

function open(synchronous?: 'full' | 'normal'): Promise<Driver> {
  return openSqlite({ file, synchronous }, environment)
}

/** Opens and closes, so that there is a file of ours. */
async function makeFile(): Promise<void> {
  const driver = await open()
  await driver.close()
}

/** Changes the file as somebody else would. */
function meddle(...scripts: readonly string[]): void {
  const other = openConnection(file, 0)
  for (const script of scripts) other.runScript(script)
  other.close()
}

async function rowsOf(driver: Driver, sql: string): Promise<readonly Row[]> {
  return driver.read(() => query(statement('test', sql)))
}

async function pragma(driver: Driver, name: string): Promise<unknown> {
  const [row] = await rowsOf(driver, `SELECT * FROM pragma_${name}`)
  return Object.values(row ?? {})[0]
}

describe('a new file', () => {
  test('gets the schema, the mark and the record of its migrations', async () => {
    environment.clock.set(77)
    const driver = await open()
    expect(await pragma(driver, 'application_id')).toBe(applicationId)
    expect(await pragma(driver, 'user_version')).toBe(schemaVersion)
    const found = await rowsOf(driver, 'SELECT * FROM migrations ORDER BY version')
    expect(found).toEqual(
      migrations.map((migration) => ({
        version: migration.version,
        name: migration.name,
        checksum: checksumOf(migration),
        applied_at_ms: 77,
      })),
    )
    await driver.close()
  })

  test('an empty file is a new one', async () => {
    writeFileSync(file, '')
    const driver = await open()
    expect(await pragma(driver, 'user_version')).toBe(schemaVersion)
    await driver.close()
  })

  test('a database in memory is new each time, and nobody else’s', async () => {
    const one = await openMemoryStorage()
    const two = await openMemoryStorage()
    await createWorkflow(one.storage, 'a')
    expect(await two.storage.findState(executionId('a'))).toBeUndefined()
    await Promise.all([one.storage.close(), two.storage.close()])
    expect(existsSync(':memory:')).toBe(false)
  })
})

describe('settings of the connection', () => {
  test.each([
    [undefined, 2],
    ['full', 2],
    ['normal', 1],
  ] as const)('synchronous: %s', async (synchronous, level) => {
    const driver = await open(synchronous)
    expect(await pragma(driver, 'synchronous')).toBe(level)
    expect(await pragma(driver, 'journal_mode')).toBe('wal')
    expect(await pragma(driver, 'cache_size')).toBe(-16_000)
    expect(await pragma(driver, 'temp_store')).toBe(2)
    expect(await pragma(driver, 'journal_size_limit')).toBe(64 * 1024 * 1024)
    await driver.close()
  })

  test('they hold for every connection, also to a file that exists', async () => {
    await makeFile()
    const driver = await open()
    expect(await pragma(driver, 'synchronous')).toBe(2)
    expect(await pragma(driver, 'journal_mode')).toBe('wal')
    await driver.close()
  })
})

describe('a file of ours', () => {
  test('opened again, it holds what was written', async () => {
    const first = await openFileStorage({ file }, environment)
    const state = await createWorkflow(first.storage, 'a')
    await first.storage.close()
    const second = await openFileStorage({ file }, environment)
    expect(await second.storage.findState(executionId('a'))).toEqual(state)
    await second.storage.close()
  })

  test('opened twice, both work on it', async () => {
    const one = await openFileStorage({ file }, environment)
    const two = await openFileStorage({ file }, environment)
    await createWorkflow(one.storage, 'a')
    expect(await lockAt(two.storage, 5)).toEqual(['a'])
    expect(await lockAt(one.storage, 5)).toEqual([])
    await Promise.all([one.storage.close(), two.storage.close()])
  })

  test('opened by several at once while it is new, it is migrated once', async () => {
    const drivers = await Promise.all([1, 2, 3, 4].map(() => open()))
    for (const driver of drivers) {
      expect(await rowsOf(driver, 'SELECT count(*) AS n FROM migrations')).toEqual([
        { n: schemaVersion },
      ])
    }
    await Promise.all(drivers.map((driver) => driver.close()))
  })

  test('a newer schema is refused, and left as it is', async () => {
    await makeFile()
    meddle(`PRAGMA user_version = ${schemaVersion + 1}`)
    const before = readFileSync(file)
    await expect(open()).rejects.toMatchObject({
      code: 'schema_too_new',
      fields: { file, found: schemaVersion + 1, known: schemaVersion },
    })
    expect(readFileSync(file).equals(before)).toBe(true)
  })

  test('another text of a migration is refused', async () => {
    await makeFile()
    meddle("UPDATE migrations SET checksum = '0' WHERE version = 1")
    await expect(open()).rejects.toMatchObject({
      code: 'storage_corrupt',
      fields: { file, migration: 1 },
    })
  })

  test('a migration that was never recorded is refused', async () => {
    await makeFile()
    meddle('DELETE FROM migrations')
    await expect(open()).rejects.toMatchObject({ code: 'storage_corrupt' })
  })

  test('a migration that fails leaves nothing behind', async () => {
    meddle(`PRAGMA application_id = ${applicationId}`, 'CREATE TABLE delays (it)')
    await expect(open()).rejects.toMatchObject({ code: 'storage_unavailable' })
    const other = openConnection(file, 0)
    const tables = statement('tables', "SELECT name FROM sqlite_schema WHERE type = 'table'")
    expect(other.drive(query(tables))).toEqual([{ name: 'delays' }])
    expect(other.readPragma('user_version')).toBe(0)
    other.close()
  })
})

describe('a file with schema 1', () => {
  /** Makes one as the first version of this package did. */
  async function makeOld(fill: (storage: Storage) => Promise<unknown>): Promise<void> {
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
    const driver = createSqliteDriver({ ...environment, connection, file })
    const { storage } = overDriver(driver, environment)
    await fill(storage)
    await storage.close()
  }

  test('is migrated, and keeps its rows', async () => {
    let before: unknown
    await makeOld(async (storage) => {
      await createLocked(storage, 'a')
      await append(storage, ['a', 2], [delayEvent('a', 500), blockingAskEvent('n:boxes')])
      await createActivity(storage, childOf('a'))
      await accepted(storage.respond(responseCommand('a', message('go', { messageId: 'm' }))))
      before = await storage.findRecord(executionId('a'), 10)
    })
    environment.clock.set(77)
    const { storage, driver } = await openFileStorage({ file }, environment)
    expect(await pragma(driver, 'user_version')).toBe(schemaVersion)
    const applied = 'SELECT version, applied_at_ms FROM migrations ORDER BY version'
    expect(await rowsOf(driver, applied)).toEqual([
      { version: 1, applied_at_ms: 3 },
      ...migrations.slice(1).map(({ version }) => ({ version, applied_at_ms: 77 })),
    ])
    expect(await rowsOf(driver, 'SELECT * FROM join_sets ORDER BY join_set_id')).toEqual([
      { execution_id: 'a', join_set_id: 'm:go', asks: 0, responses: 1, on_close: null },
      { execution_id: 'a', join_set_id: 'n:boxes', asks: 1, responses: 0, on_close: null },
    ])
    expect(await storage.findRecord(executionId('a'), 10)).toEqual(before)
    await checkInvariants(storage)
    await storage.close()
  })

  test('works on: its counters count, its join sets can be given a word', async () => {
    await makeOld((storage) => createLocked(storage, 'a'))
    const { storage } = await openFileStorage({ file }, environment)
    await append(storage, ['a', 2], [openedSet('n:boxes', 'await'), blockingAskEvent('n:boxes')])
    await createActivity(storage, childOf('a'))
    const command = { executionId: executionId('a'), createdAt: 20 }
    await accepted(storage.cancel(command))
    expect(await accepted(storage.closeCancelled(command))).toBe(false)
    await append(storage, [childOf('a'), 1], [finishedEvent()])
    expect(await accepted(storage.closeCancelled(command))).toBe(true)
    await checkInvariants(storage)
    await storage.close()
  })

  test('opened by several at once, it is migrated once', async () => {
    await makeOld((storage) => createWorkflow(storage, 'a'))
    const drivers = await Promise.all([1, 2, 3].map(() => open()))
    for (const driver of drivers) {
      const count = 'SELECT count(*) AS n FROM migrations'
      expect(await rowsOf(driver, count)).toEqual([{ n: schemaVersion }])
    }
    await Promise.all(drivers.map((driver) => driver.close()))
  })

  test('made by another text of its migration, it is refused, not migrated', async () => {
    await makeOld((storage) => createWorkflow(storage, 'a'))
    meddle("UPDATE migrations SET checksum = '0' WHERE version = 1")
    const fields = { file, migration: 1 }
    await expect(open()).rejects.toMatchObject({ code: 'storage_corrupt', fields })
    const other = openConnection(file, 0)
    expect(other.readPragma('user_version')).toBe(1)
    other.close()
  })
})

describe('a database of somebody else', () => {
  test.each([
    ['with tables', ['CREATE TABLE theirs (it)', 'INSERT INTO theirs VALUES (1)']],
    ['with a version', ['PRAGMA user_version = 1']],
    ['with a mark', ['PRAGMA application_id = 252006674', 'CREATE TABLE theirs (it)']],
    ['with a mark and no tables', ['PRAGMA application_id = 7']],
    ['with a newer version than ours', ['CREATE TABLE theirs (it)', 'PRAGMA user_version = 99']],
    ['in WAL mode', ['PRAGMA journal_mode = WAL', 'CREATE TABLE theirs (it)']],
  ])('%s is refused, and not touched', async (_, scripts) => {
    meddle(...scripts)
    const before = readFileSync(file)
    await expect(open()).rejects.toMatchObject({ code: 'storage_corrupt', fields: { file } })
    expect(readFileSync(file).equals(before)).toBe(true)
    expect(existsSync(`${file}-wal`)).toBe(false)
  })
})

describe('what cannot be opened', () => {
  test('a file that is no database, which is not touched', async () => {
    const text = 'This is a text, and long enough to be taken for the header of a page. '.repeat(99)
    writeFileSync(file, text)
    await expect(open()).rejects.toMatchObject({
      code: 'storage_corrupt',
      fields: { file, sqlite: 'SQLITE_NOTADB' },
    })
    expect(readFileSync(file, 'utf8')).toBe(text)
  })

  test('a directory that is missing', async () => {
    file = directory.file('missing/stele.db')
    await expect(open()).rejects.toMatchObject({ code: 'storage_unavailable', fields: { file } })
  })

  test('a directory in place of a file', async () => {
    mkdirSync(file)
    await expect(open()).rejects.toMatchObject({
      code: 'storage_unavailable',
      fields: { sqlite: expect.stringMatching(/^SQLITE_CANTOPEN/) },
    })
  })

  test('a file that is damaged', async () => {
    await makeFile()
    const bytes = readFileSync(file)
    bytes.fill(0xff, 100, 4000)
    writeFileSync(file, bytes)
    await expect(open()).rejects.toMatchObject({ code: 'storage_corrupt' })
  })

  test('it can be opened as soon as the reason is gone', async () => {
    file = directory.file('missing/stele.db')
    await expect(open()).rejects.toMatchObject({ code: 'storage_unavailable' })
    mkdirSync(directory.file('missing'))
    const driver = await open()
    await driver.close()
  })
})

// Windows knows no such permissions.
describe.skipIf(process.geteuid === undefined)('what may only be read', () => {
  const nobody = 65_534

  /** The superuser may write everywhere, so tests that run as such become nobody for a while. */
  async function asReader(mode: number, run: () => Promise<void>): Promise<void> {
    const isSuperuser = process.geteuid?.() === 0
    await makeFile()
    chmodSync(file, 0o444)
    chmodSync(directory.path, mode)
    if (isSuperuser) process.seteuid?.(nobody)
    try {
      await run()
    } finally {
      if (isSuperuser) process.seteuid?.(0)
      chmodSync(directory.path, 0o755)
    }
  }

  test('a file in a directory that may only be read: typed, and as it was', async () => {
    await asReader(0o555, async () => {
      const before = readFileSync(file)
      await expect(open()).rejects.toMatchObject({ code: 'storage_read_only', fields: { file } })
      expect(readFileSync(file).equals(before)).toBe(true)
    })
  })

  test('a directory, for a new file: typed', async () => {
    await asReader(0o555, async () => {
      file = directory.file('new.db')
      const refusal = { code: 'storage_unavailable', fields: { file, sqlite: 'SQLITE_CANTOPEN' } }
      await expect(open()).rejects.toMatchObject(refusal)
      expect(existsSync(file)).toBe(false)
    })
  })

  test('a file in a directory that may be written to: it can be read, writes are refused', async () => {
    await asReader(0o777, async () => {
      const { storage } = await openFileStorage({ file }, environment)
      const refusal = { code: 'storage_read_only', fields: { file } }
      await expect(storage.create(createRequest('a'))).rejects.toMatchObject(refusal)
      expect(await storage.findState(executionId('a'))).toBeUndefined()
      await storage.close()
    })
  })
})

describe('a file that others are busy with', () => {
  test.each(['new', 'ours'])('%s: it is opened when they are done', async (kind) => {
    if (kind === 'ours') await makeFile()
    const other = openConnection(file, 0)
    other.runScript('BEGIN EXCLUSIVE')
    const opening = open()
    await environment.scheduler.advance(100)
    expect(environment.scheduler.dueTimes()).toHaveLength(kind === 'new' ? 1 : 0)
    other.runScript('COMMIT')
    other.close()
    await environment.scheduler.advance(100)
    const driver = await opening
    expect(await pragma(driver, 'user_version')).toBe(schemaVersion)
    await driver.close()
  })

  test('while they never are, it fails in the end, typed', async () => {
    const other = openConnection(file, 0)
    other.runScript('BEGIN EXCLUSIVE')
    const opening = open()
    opening.catch(() => undefined)
    environment.clock.advance(busyRetryMax)
    await environment.scheduler.advance(100)
    await expect(opening).rejects.toMatchObject({
      code: 'storage_unavailable',
      fields: { sqlite: expect.stringMatching(/^SQLITE_BUSY/) },
    })
    other.close()
  })
})
