/** Opening the database of a command. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { openForReading, openForWriting, useDatabase } from '../../../src/cli/open-database.ts'
import { openReadConnection } from '../../../src/storage/sqlite/connection.ts'
import { migrations } from '../../../src/storage/sqlite/schema.ts'
import { testEnvironment } from '../../support/storage/opened-storage.ts'
import { temporaryDirectory } from '../../support/storage/temporary-directory.ts'
import { makeOldFile } from '../storage/sqlite/old-file.ts'
import { openShop, testWorld } from './test-cli.ts'

test('a file that is not there is not made', async () => {
  using directory = temporaryDirectory()
  const file = directory.file('nope.db')
  const world = testWorld()
  await expect(openForReading(world, file)).rejects.toThrow('nothing was created')
  await expect(openForWriting(world, file)).rejects.toThrow('nothing was created')
  expect(existsSync(file)).toBe(false)
})

test('a directory is no database', async () => {
  using directory = temporaryDirectory()
  await expect(openForReading(testWorld(), directory.path)).rejects.toThrow('is not a file')
})

test('a file of something else is left as it is', async () => {
  using directory = temporaryDirectory()
  const file = directory.file('notes.txt')
  writeFileSync(file, 'these are notes, and long enough to be taken for a database'.repeat(20))
  const opening = openForReading(testWorld(), file)
  await expect(opening).rejects.toMatchObject({ code: 'storage_corrupt' })
  expect(readFileSync(file, 'utf8')).toContain('these are notes')
})

test('reading does not write: a command is refused', async () => {
  using shop = await openShop()
  const before = readFileSync(shop.file)
  const world = testWorld({ time: shop.time })
  const pausing = useDatabase(openForReading(world, shop.file), async ({ engine }) => {
    await (await engine.get('later')).pause()
  })
  await expect(pausing).rejects.toMatchObject({ code: 'storage_read_only' })
  expect(readFileSync(shop.file).equals(before)).toBe(true)
})

test('an older schema is read as it is, and not written', async () => {
  using directory = temporaryDirectory()
  const file = directory.file('old.db')
  makeOldFile(file, 1, testEnvironment().clock)
  const world = testWorld()
  const items = await useDatabase(
    openForReading(world, file),
    async ({ engine, schemaVersion }) => {
      expect(schemaVersion).toBe(1)
      return (await engine.list()).items
    },
  )
  expect(items).toEqual([])
  await expect(openForWriting(world, file)).rejects.toThrow(
    `has schema version 1; this stele writes version ${migrations.length}`,
  )
  const connection = openReadConnection(file, 0)
  expect(connection.readPragma('user_version')).toBe(1)
  connection.close()
})

test('values come as they are stored where that is asked for', async () => {
  using shop = await openShop()
  const world = testWorld({ time: shop.time })
  const read = async (isStored: boolean): Promise<unknown> =>
    useDatabase(openForReading(world, shop.file, { isStored }), async ({ engine }) => {
      const { events } = await (await engine.get('paid')).log()
      return events[0]
    })
  expect(await read(true)).toEqual(await read(false))
})
