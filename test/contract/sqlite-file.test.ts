/** The contract, kept by SQLite in a file. */

import { openFileStorage } from '../support/storage/opened-storage.ts'
import { temporaryDirectory } from '../support/storage/temporary-directory.ts'
import { describeStorage } from './storage.contract.ts'

describeStorage('SQLite in a file', async () => {
  const directory = temporaryDirectory()
  const opened = await openFileStorage({ file: directory.file('stele.db'), synchronous: 'normal' })
  return { ...opened, dispose: directory[Symbol.dispose] }
})
