/** The contract, kept by SQLite in memory. */

import { openMemoryStorage } from '../support/storage/opened-storage.ts'
import { describeStorage } from './storage.contract.ts'

describeStorage('SQLite in memory', () => openMemoryStorage())
