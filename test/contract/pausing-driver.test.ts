/** The contract, kept when every statement takes its time: no protocol may assume synchrony. */

import { openPausingStorage } from '../support/storage/pausing-driver.ts'
import { temporaryDirectory } from '../support/storage/temporary-directory.ts'
import { describeStorage } from './storage.contract.ts'

/** Give another to see other interleavings; the title says which it was. */
const seed = Number(process.env['STELE_TEST_SEED'] ?? 1)

describeStorage(`a driver that pauses before every statement, seed ${seed}`, async () => {
  const directory = temporaryDirectory()
  const opened = await openPausingStorage(directory.file('stele.db'), seed)
  return { ...opened, dispose: directory[Symbol.dispose] }
})
