/** The test of the contract: each gets a storage of its own, and leaves it in order. */

import { test as bare, type TestAPI } from 'vitest'
import type { Storage } from '../../src/storage/storage.ts'
import { checkInvariants } from '../support/storage/check-invariants.ts'
import type { OpenedStorage } from '../support/storage/opened-storage.ts'

/** Opens an empty storage. */
export type OpenStorage = () => Promise<OpenedStorage & { readonly dispose?: () => void }>

/** What a test of the contract may ask for. */
export interface ContractFixtures {
  readonly opened: OpenedStorage
  readonly storage: Storage
}

/** `test` for one adapter. */
export type ContractTest = TestAPI<ContractFixtures>

/** Tests over storages opened so. After each, the invariants are checked and it is closed. */
export function createContractTest(open: OpenStorage): ContractTest {
  return bare.extend<ContractFixtures>({
    opened: async ({ task: _task }, use) => {
      const { dispose, ...opened } = await open()
      try {
        await use(opened)
        await checkInvariants(opened.storage)
      } finally {
        await opened.storage.close()
        dispose?.()
      }
    },
    storage: async ({ opened }, use) => {
      await use(opened.storage)
    },
  })
}
