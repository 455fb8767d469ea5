/** `stele/sqlite`: SQLite as a storage object, for settings that a file name cannot say. */

import { invalidOption, requireKnownKeys, requireOneOf } from './base/options.ts'
import type { StorageFactory } from './client/engine-options.ts'
import { openSqlite, type SqliteOptions } from './storage/sqlite/open.ts'
import { openSqliteReader } from './storage/sqlite/open-reader.ts'

export type { Random } from './base/random.ts'
export type { Result } from './base/result.ts'
export type { Cancel, Clock, Instant, Milliseconds, Purpose, Scheduler } from './base/time.ts'
export type { StorageEnvironment, StorageFactory } from './client/engine-options.ts'
export type { Driver, WriteProtocol } from './storage/driver.ts'
export type {
  Answers,
  Call,
  Calls,
  Protocol,
  Row,
  SqlValue,
  Statement,
} from './storage/protocol.ts'
export type { SqliteOptions } from './storage/sqlite/open.ts'

/** A SQLite file as the `storage` of an engine. Throws `invalid_option`. */
export function sqlite(options: SqliteOptions): StorageFactory {
  requireKnownKeys(options, ['file', 'synchronous'], 'sqlite')
  if (typeof options.file !== 'string' || options.file === '') {
    throw invalidOption('sqlite.file', "must be a file name or ':memory:'")
  }
  if (options.synchronous !== undefined) {
    requireOneOf(options.synchronous, 'sqlite.synchronous', ['full', 'normal'])
  }
  return {
    open: async (environment) => {
      if (environment.readOnly !== true) return openSqlite(options, environment)
      return (await openSqliteReader(options.file, environment)).driver
    },
  }
}
