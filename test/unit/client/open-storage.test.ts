/** Which adapter is loaded for what is given. */

import { existsSync } from 'node:fs'
import { sqlite } from 'stele/sqlite'
import { expect, test } from 'vitest'
import { openStorage } from '../../../src/client/open-storage.ts'
import { executeSql, testEnvironment } from '../../support/storage/opened-storage.ts'
import { temporaryDirectory } from '../../support/storage/temporary-directory.ts'

const readOnly = { ...testEnvironment(), readOnly: true }

test.each<[string, unknown]>([
  ['nothing', ''],
  ['a number', 7],
  ['null', null],
  ['an object that opens nothing', {}],
  ['Postgres, which this version has not', 'postgres://localhost/app'],
])('%s is refused', async (_, storage) => {
  await expect(openStorage(storage as never, testEnvironment())).rejects.toMatchObject({
    code: 'invalid_option',
  })
})

test.each(['a file name', 'a storage object'])(
  '%s opens for writing, and for reading alone',
  async (form) => {
    using folder = temporaryDirectory()
    const file = folder.file('app.db')
    const storage = form === 'a file name' ? file : sqlite({ file })
    await expect(openStorage(storage, readOnly)).rejects.toMatchObject({
      code: 'storage_unavailable',
    })
    expect(existsSync(file)).toBe(false)
    await (await openStorage(storage, testEnvironment())).close()
    const driver = await openStorage(storage, readOnly)
    const writing = executeSql({ driver }, 'UPDATE executions SET paused = 0')
    await expect(writing).rejects.toMatchObject({ code: 'storage_read_only' })
    await driver.close()
  },
)
