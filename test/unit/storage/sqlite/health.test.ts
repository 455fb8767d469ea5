/** What SQLite says of a file. */
import { readFileSync } from 'node:fs'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { checkTable, findFileFacts, walBytesOf } from '../../../../src/storage/sqlite/health.ts'
import { openSqlite } from '../../../../src/storage/sqlite/open.ts'
import { openSqliteReader } from '../../../../src/storage/sqlite/open-reader.ts'
import { schemaVersion } from '../../../../src/storage/sqlite/schema.ts'
import { breakPageWith } from '../../../support/storage/broken-page.ts'
import { overDriver, testEnvironment } from '../../../support/storage/opened-storage.ts'
import { createWorkflow } from '../../../support/storage/steps.ts'
import {
  type TemporaryDirectory,
  temporaryDirectory,
} from '../../../support/storage/temporary-directory.ts'

let directory: TemporaryDirectory
let file: string
const environment = testEnvironment()

beforeEach(async () => {
  directory = temporaryDirectory()
  file = directory.file('stele.db')
  const driver = await openSqlite({ file }, environment)
  const { storage } = overDriver(driver, environment)
  for (let index = 0; index < 200; index += 1) await createWorkflow(storage, `e${index}`)
  expect(walBytesOf(file)).toBeGreaterThan(0)
  await driver.close()
})

afterEach(() => {
  directory[Symbol.dispose]()
})

test('settings, sizes and tables', async () => {
  const { driver } = await openSqliteReader(file, environment)
  const facts = await driver.read(() => findFileFacts())
  await driver.close()
  expect(facts).toMatchObject({ journalMode: 'wal', schemaVersion, freeBytes: 0 })
  expect(facts.fileBytes).toBe(readFileSync(file).length)
  expect(facts.tables).toEqual(expect.arrayContaining(['events', 'executions', 'migrations']))
})

test('without a WAL, nothing stands in it', () => {
  expect(walBytesOf(directory.file('nowhere.db'))).toBe(0)
})

test('a table is sound, until somebody has scribbled into a page of it', async () => {
  const sound = await openSqliteReader(file, environment)
  expect(await sound.driver.read(() => checkTable('events'))).toEqual([])
  await sound.driver.close()
  breakPageWith(file, '{"function":')
  const broken = await openSqliteReader(file, environment)
  // What SQLite cannot even step over, it throws.
  const found = broken.driver.read(() => checkTable('events'))
  await expect(found).rejects.toMatchObject({ code: 'storage_corrupt' })
  await broken.driver.close()
})
