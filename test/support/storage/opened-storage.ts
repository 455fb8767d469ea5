/** Storages for tests: opened over a clock and timers that only a test moves. */

import { createRandom } from '../../../src/base/random.ts'
import { accept } from '../../../src/base/result.ts'
import type { Driver } from '../../../src/storage/driver.ts'
import { createNotifications } from '../../../src/storage/notifications.ts'
import { query, type Row, type SqlValue, statement } from '../../../src/storage/protocol.ts'
import { openSqlite, type SqliteOptions } from '../../../src/storage/sqlite/open.ts'
import { createStorage, type Storage } from '../../../src/storage/storage.ts'
import {
  createTestClock,
  createTestScheduler,
  type TestClock,
  type TestScheduler,
} from '../test-time.ts'

/** What a storage in a test stands on. */
export interface TestEnvironment {
  readonly clock: TestClock
  readonly scheduler: TestScheduler
  readonly random: ReturnType<typeof createRandom>
}

/** An open storage, and what a test may need to look behind it. */
export interface OpenedStorage extends TestEnvironment {
  readonly storage: Storage
  readonly driver: Driver
  /** The same database once more, as another process would open it; absent in memory. */
  readonly openAnother?: () => Promise<OpenedStorage>
}

/** Time stands still; writes run by themselves, timers only when the test advances. */
export function testEnvironment(): TestEnvironment {
  const clock = createTestClock()
  const scheduler = createTestScheduler(clock, { soon: 'event_loop' })
  return { clock, scheduler, random: createRandom(1) }
}

/** A storage in memory. */
export async function openMemoryStorage(environment = testEnvironment()): Promise<OpenedStorage> {
  const driver = await openSqlite({ file: ':memory:' }, environment)
  return overDriver(driver, environment)
}

/** A storage in a file. */
export async function openFileStorage(
  options: SqliteOptions,
  environment = testEnvironment(),
): Promise<OpenedStorage> {
  const driver = await openSqlite(options, environment)
  return {
    ...overDriver(driver, environment),
    openAnother: () => openFileStorage(options, environment),
  }
}

/** The storage over any driver. */
export function overDriver(driver: Driver, environment: TestEnvironment): OpenedStorage {
  const { scheduler } = environment
  const { hasForeignChanges } = driver
  const notifications = createNotifications({ scheduler, hasForeignChanges })
  return { ...environment, driver, storage: createStorage(driver, notifications) }
}

/** Runs one statement behind the back of the storage: to look, or to break something. */
export async function executeSql(
  { driver }: Pick<OpenedStorage, 'driver'>,
  sql: string,
  ...values: readonly SqlValue[]
): Promise<readonly Row[]> {
  const bare = statement('test', sql)
  const result = await driver.write(function* () {
    return accept(yield* query(bare, ...values))
  })
  return result.ok ? result.value : []
}
