/**
 * Opening a SQLite file to look at it: nothing is created, migrated or written, engines may go on
 * working beside it, and a file that cannot be written to is as good as any other.
 */

import { existsSync, readFileSync, statSync } from 'node:fs'
import { SteleError } from '../../base/error.ts'
import type { Driver } from '../driver.ts'
import { type Connection, openReadConnection } from './connection.ts'
import { sqliteCode, toSteleError } from './dialect.ts'
import { createSqliteDriver } from './drive.ts'
import { watchIdentity } from './file-identity.ts'
import { busyTimeout, checkOwner, type OpenEnvironment, openPatiently } from './open.ts'

/** Largest file that is read into memory where SQLite cannot make its own files beside it. */
const copiedBytesMax = 1024 * 1024 * 1024

/** A database that is looked at. */
export interface Reader {
  /** Reads; whatever is written through it is refused with `storage_read_only`. */
  readonly driver: Driver
  /** Version of the schema of the file, which may be older than the one of this code. */
  readonly version: number
}

/**
 * Opens an existing file for reading. Rejects with `storage_unavailable` when there is none or it
 * cannot be read, `storage_corrupt` (also for a file that is not Stele's) or `schema_too_new`.
 */
export async function openSqliteReader(
  file: string,
  environment: OpenEnvironment,
): Promise<Reader> {
  let version = 0
  const connection = await openPatiently(file, environment, () => {
    const opened = openFileOrCopy(file)
    try {
      version = requireSchema(opened, file)
      return opened
    } catch (cause) {
      opened.close()
      throw cause
    }
  })
  const identity = watchIdentity(file)
  return { driver: createSqliteDriver({ connection, file, identity, ...environment }), version }
}

function requireSchema(connection: Connection, file: string): number {
  const version = checkOwner(connection, file)
  if (version > 0) return version
  throw new SteleError(
    'storage_corrupt',
    `${JSON.stringify(file)} is empty: no engine has made a database of it yet. ` +
      'Give the file that is the `storage` of an engine.',
    { fields: { file } },
  )
}

function openFileOrCopy(file: string): Connection {
  let connection: Connection | undefined
  try {
    connection = openReadConnection(file, busyTimeout)
    // Opening is lazy: the first look finds out.
    connection.readPragma('schema_version')
    return connection
  } catch (cause) {
    connection?.close()
    if (sqliteCode(cause) === 'SQLITE_NOTADB') throw notADatabase(file, cause)
    if (!lacksCompanions(cause) || !canCopy(file)) throw cause
    return openCopy(file)
  }
}

function notADatabase(file: string, cause: unknown): SteleError {
  return new SteleError(
    'storage_corrupt',
    `${JSON.stringify(file)} is not a SQLite database, or its beginning was overwritten. Give ` +
      'the file that is the `storage` of an engine; if it is that one, restore it from a backup.',
    { fields: { file }, cause },
  )
}

/** A file in WAL mode needs its `-shm` file, which cannot be made in a read-only directory. */
function lacksCompanions(cause: unknown): boolean {
  const code = sqliteCode(cause)
  return companionFaults.some((fault) => code?.startsWith(fault) === true)
}

/** With the directory read-only, with the file as well, and with a `-shm` that is not ours. */
const companionFaults = ['SQLITE_CANTOPEN', 'SQLITE_READONLY_DIRECTORY', 'SQLITE_READONLY_CANTINIT']

/** Nobody can be writing where no WAL is; with one, the copy would lack what stands in it. */
function canCopy(file: string): boolean {
  return existsSync(file) && !existsSync(`${file}-wal`) && statSync(file).size <= copiedBytesMax
}

/** Where the header says which journal is used: 2 stands for the WAL, 1 for a rollback journal. */
const journalBytes = [18, 19] as const

function openCopy(file: string): Connection {
  try {
    const bytes = readFileSync(file)
    // A database in memory has no WAL, and there is none to be read.
    for (const index of journalBytes) bytes[index] = 1
    return openReadConnection(bytes, busyTimeout)
  } catch (cause) {
    throw sqliteCode(cause) === undefined ? unreadable(file, cause) : toSteleError(cause, file)
  }
}

function unreadable(file: string, cause: unknown): SteleError {
  return new SteleError(
    'storage_unavailable',
    `${JSON.stringify(file)} cannot be read. Check its permissions.`,
    { fields: { file }, cause },
  )
}
