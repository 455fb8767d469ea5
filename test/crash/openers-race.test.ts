/** Another process makes the database between any two looks of one that opens it. */

import { expect, it, vi } from 'vitest'
import type * as connections from '../../src/storage/sqlite/connection.ts'
import type { Connection } from '../../src/storage/sqlite/connection.ts'
import { openSqlite } from '../../src/storage/sqlite/open.ts'
import { schemaVersion } from '../../src/storage/sqlite/schema.ts'
import { testEnvironment } from '../support/storage/opened-storage.ts'
import { temporaryDirectory } from '../support/storage/temporary-directory.ts'

/** What happens at the next looks of the connection that is opened first. */
const looks = vi.hoisted(() => ({ left: 0, onLook: (): void => undefined }))

vi.mock(import('../../src/storage/sqlite/connection.ts'), async (importOriginal) => {
  const original: typeof connections = await importOriginal()
  const openConnection = (file: string | Uint8Array, busyTimeout: number): Connection => {
    const connection = original.openConnection(file, busyTimeout)
    return {
      ...connection,
      readPragma: (pragma) => {
        looks.left -= 1
        if (looks.left === 0) looks.onLook()
        return connection.readPragma(pragma)
      },
    }
  }
  return { ...original, openConnection }
})

it('a database that comes into being while it is opened is not taken for somebody else’s', async () => {
  for (let look = 1; look <= 6; look += 1) {
    using folder = temporaryDirectory()
    const file = folder.file('race.db')
    const environment = testEnvironment()
    let other: ReturnType<typeof openSqlite> | undefined
    looks.left = look
    looks.onLook = () => {
      // Begins at once, as far as nobody is in its way; else it is done when its turn comes.
      other = openSqlite({ file }, environment)
    }
    const opening = openSqlite({ file }, environment)
    opening.catch(() => undefined)
    other?.catch(() => undefined)
    await environment.scheduler.advance(1_000)
    const drivers = [await opening, await other]
    expect(drivers[1], `look ${look}`).toBeDefined()
    expect(schemaVersion).toBeGreaterThan(0)
    for (const driver of drivers) await driver?.close()
  }
})
