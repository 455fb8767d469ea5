/** Opening a file to look at it. */
import {
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { accept } from '../../../../src/base/result.ts'
import { openConnection } from '../../../../src/storage/sqlite/connection.ts'
import { openSqlite } from '../../../../src/storage/sqlite/open.ts'
import { openSqliteReader } from '../../../../src/storage/sqlite/open-reader.ts'
import { migrations } from '../../../../src/storage/sqlite/schema.ts'
import { overDriver, testEnvironment } from '../../../support/storage/opened-storage.ts'
import { createWorkflow } from '../../../support/storage/steps.ts'
import {
  type TemporaryDirectory,
  temporaryDirectory,
} from '../../../support/storage/temporary-directory.ts'
import { makeOldFile } from './old-file.ts'

let directory: TemporaryDirectory
let file: string
const environment = testEnvironment()

beforeEach(async () => {
  directory = temporaryDirectory()
  file = directory.file('stele.db')
  const driver = await openSqlite({ file }, environment)
  await createWorkflow(overDriver(driver, environment).storage, 'a')
  await driver.close()
})

afterEach(() => {
  vi.restoreAllMocks()
  chmodSync(directory.path, 0o700)
  directory[Symbol.dispose]()
})

async function listed(): Promise<readonly string[]> {
  const { driver } = await openSqliteReader(file, environment)
  const { storage } = overDriver(driver, environment)
  const { items } = await storage.listExecutions({ filter: {}, limit: 10 })
  await storage.close()
  return items.map(({ state }) => state.executionId)
}

test('what is there is read, and the file is the same afterwards', async () => {
  const before = readFileSync(file)
  expect(await listed()).toEqual(['a'])
  expect(readFileSync(file).equals(before)).toBe(true)
})

test('what an engine commits meanwhile is seen', async () => {
  const reader = await openSqliteReader(file, environment)
  const writer = await openSqlite({ file }, environment)
  reader.driver.hasForeignChanges()
  await createWorkflow(overDriver(writer, environment).storage, 'b')
  expect(reader.driver.hasForeignChanges()).toBe(true)
  expect(await listed()).toEqual(['b', 'a'])
  await writer.close()
  await reader.driver.close()
})

test('a write is refused', async () => {
  const { driver } = await openSqliteReader(file, environment)
  const { storage } = overDriver(driver, environment)
  await expect(createWorkflow(storage, 'b')).rejects.toMatchObject({ code: 'storage_read_only' })
  await storage.close()
})

test('a file that cannot be written to is read', async () => {
  chmodSync(file, 0o400)
  expect(await listed()).toEqual(['a'])
})

test('a file that is not there is not made', async () => {
  const nowhere = directory.file('nowhere.db')
  const opening = openSqliteReader(nowhere, environment)
  await expect(opening).rejects.toMatchObject({ code: 'storage_unavailable' })
  expect(existsSync(nowhere)).toBe(false)
})

test('an empty file says that it is empty', async () => {
  truncateSync(file)
  await expect(openSqliteReader(file, environment)).rejects.toThrow('is empty: no engine has made')
})

test('a database of somebody else, and one of a newer version', async () => {
  const foreign = directory.file('foreign.db')
  const other = openConnection(foreign, 0)
  other.runScript('CREATE TABLE t (a)')
  other.close()
  await expect(openSqliteReader(foreign, environment)).rejects.toThrow("not one of Stele's")
  const newer = openConnection(file, 0)
  newer.readPragma(`user_version = ${migrations.length + 1}`)
  newer.close()
  const opening = openSqliteReader(file, environment)
  await expect(opening).rejects.toMatchObject({ code: 'schema_too_new' })
})

test.each(migrations.map(({ version }) => version))(
  'schema version %i is not migrated',
  async (version) => {
    const old = directory.file('old.db')
    makeOldFile(old, version, environment.clock)
    const reader = await openSqliteReader(old, environment)
    expect(reader.version).toBe(version)
    await reader.driver.close()
    const connection = openConnection(old, 0)
    expect(connection.readPragma('user_version')).toBe(version)
    connection.close()
  },
)

test('a file of something else says what it is not', async () => {
  const notes = directory.file('notes.txt')
  writeFileSync(notes, 'these are notes, and no database at all. '.repeat(50))
  await expect(openSqliteReader(notes, environment)).rejects.toThrow('is not a SQLite database')
})

test.each(['SQLITE_CANTOPEN', 'SQLITE_READONLY_DIRECTORY'])(
  'where SQLite cannot make its own files (%s), a copy in memory is read',
  async (code) => {
    const { default: Database } = await import('better-sqlite3')
    const pragma = vi.spyOn(Database.prototype, 'pragma')
    pragma.mockImplementationOnce(() => {
      throw Object.assign(new Error('no'), { code })
    })
    expect(await listed()).toEqual(['a'])
    expect(readdirSync(directory.path)).toEqual(['stele.db'])
  },
)

test('no copy is taken where a WAL may hold more than the file', async () => {
  const { default: Database } = await import('better-sqlite3')
  writeFileSync(`${file}-wal`, '')
  const pragma = vi.spyOn(Database.prototype, 'pragma')
  pragma.mockImplementationOnce(() => {
    throw Object.assign(new Error('unable to open database file'), { code: 'SQLITE_CANTOPEN' })
  })
  await expect(listed()).rejects.toMatchObject({ code: 'storage_unavailable' })
})

test('a write through a copy is refused too', async () => {
  const { driver } = await openSqliteReader(file, environment)
  const writing = driver.write(function* () {
    yield [{ statement: { name: 'x', text: 'DELETE FROM run_logs' }, values: [] }]
    return accept(undefined)
  })
  await expect(writing).rejects.toMatchObject({ code: 'storage_read_only' })
  await driver.close()
})
