/** Opening a storage: the one file that may load a database adapter, and only the one asked for. */

import { SteleError } from '../base/error.ts'
import { invalidOption, readMember } from '../base/options.ts'
import type { Driver } from '../storage/driver.ts'
import type { StorageEnvironment, StorageFactory } from './engine-options.ts'

/** Opens what `storage` names. Throws `invalid_option`, or what opening it throws. */
export async function openStorage(
  storage: string | StorageFactory,
  environment: StorageEnvironment,
): Promise<Driver> {
  if (isFactory(storage)) {
    return storage.open(environment)
  }
  if (typeof storage !== 'string' || storage === '') {
    throw invalidOption('storage', "must be a file name, ':memory:' or a storage object")
  }
  if (/^postgres(?:ql)?:/.test(storage)) {
    throw new SteleError(
      'invalid_option',
      'This version has no Postgres adapter. Give `storage` the name of a SQLite file.',
    )
  }
  if (environment.readOnly === true) {
    const { openSqliteReader } = await import('../storage/sqlite/open-reader.ts')
    return (await openSqliteReader(storage, environment)).driver
  }
  const { openSqlite } = await import('../storage/sqlite/open.ts')
  return openSqlite({ file: storage }, environment)
}

function isFactory(storage: unknown): storage is StorageFactory {
  return typeof storage === 'object' && typeof readMember(storage, 'open') === 'function'
}
