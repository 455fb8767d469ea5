/** Opening a SQLite file: settings of the connection, migrations, and the check that it is ours. */

import { SteleError } from '../../base/error.ts'
import type { Random } from '../../base/random.ts'
import type { Clock, Milliseconds, Scheduler } from '../../base/time.ts'
import type { Driver } from '../driver.ts'
import { query, statement } from '../protocol.ts'
import { type Connection, openConnection } from './connection.ts'
import { isBusy, toSteleError } from './dialect.ts'
import { busyRetryMax, createSqliteDriver } from './drive.ts'
import { watchIdentity } from './file-identity.ts'
import { applicationId, checksumOf, type Migration, migrations, schemaVersion } from './schema.ts'

/** Settings of a SQLite storage. */
export interface SqliteOptions {
  /** Name of the file; `':memory:'` for a database that ends with the process. */
  readonly file: string
  /**
   * When a commit counts as durable. `full` (default): after the disk has it. `normal`: the last
   * commits may be lost when the machine loses power, never when only the process dies.
   */
  readonly synchronous?: 'full' | 'normal' | undefined
}

/** What an opened storage stands on. */
export interface OpenEnvironment {
  readonly clock: Clock
  readonly random: Random
  readonly scheduler: Scheduler
}

/** How long SQLite itself may block the event loop while another process writes. */
export const busyTimeout: Milliseconds = 10
/** Pause before a busy database is opened again. */
const openPause: Milliseconds = 20
/** Page cache, in KiB: enough for the hot part of a large log. */
const cacheSizeKiB = 16_000
/**
 * Pages after which the WAL is copied into the database, on the application's thread: more, and
 * what is written often is copied less often; fewer, and each copy blocks for a shorter time. Where
 * commits are not synced, the copy syncs the whole WAL first: 30 ms for 4,000 pages, measured.
 */
const walPagesMax = { full: 2_000, normal: 1_000 } as const
/** The WAL is cut to this after a checkpoint. */
const journalSizeLimitBytes = 64 * 1024 * 1024

/**
 * Opens the file, creating it when there is none, and brings its schema up to date. Throws
 * `schema_too_new`, `storage_corrupt` (also for a database that is not Stele's),
 * `storage_read_only` or `storage_unavailable`.
 */
export async function openSqlite(
  options: SqliteOptions,
  environment: OpenEnvironment,
): Promise<Driver> {
  const { file } = options
  const connection = await openPatiently(file, environment, () =>
    openOnce(options, environment.clock),
  )
  return createSqliteDriver({ connection, file, identity: watchIdentity(file), ...environment })
}

/** Others may be opening, migrating or writing at the same moment: tries until they are done. */
export async function openPatiently(
  file: string,
  { clock, scheduler }: OpenEnvironment,
  open: () => Connection,
): Promise<Connection> {
  const deadline = clock.now() + busyRetryMax
  for (;;) {
    try {
      return open()
    } catch (cause) {
      if (!isBusy(cause) || clock.now() >= deadline) throw toSteleError(cause, file)
    }
    await new Promise<void>((resolve) => scheduler.after(openPause, resolve))
  }
}

function openOnce(options: SqliteOptions, clock: Clock): Connection {
  return prepareConnection(openConnection(options.file, busyTimeout), options, clock)
}

/** Settings and migrations for a connection; closes it when they fail. */
export function prepareConnection(
  connection: Connection,
  options: SqliteOptions,
  clock: Clock,
): Connection {
  try {
    checkOwner(connection, options.file)
    configure(connection, options)
    migrate(connection, { file: options.file, clock })
    return connection
  } catch (cause) {
    connection.close()
    throw cause
  }
}

/**
 * Looks before touching: a database of somebody else is left exactly as it was. Gives the version
 * of its schema, 0 for a file in which nothing is yet.
 */
export function checkOwner(connection: Connection, file: string): number {
  const { owner, version, isEmpty } = readMarks(connection)
  if (owner !== applicationId && (owner !== 0 || version !== 0 || !isEmpty)) {
    throw new SteleError(
      'storage_corrupt',
      `${JSON.stringify(file)} is a SQLite database, but not one of Stele's. ` +
        'Give Stele a file of its own.',
      { fields: { file } },
    )
  }
  if (version > schemaVersion) {
    throw new SteleError(
      'schema_too_new',
      `${JSON.stringify(file)} has schema version ${version}; this Stele knows ${schemaVersion}. ` +
        'Upgrade the package in this process.',
      { fields: { file, found: version, known: schemaVersion } },
    )
  }
  return version
}

interface Marks {
  readonly owner: number
  readonly version: number
  readonly isEmpty: boolean
}

/** All of one moment: another process may be making this very database. */
function readMarks(connection: Connection): Marks {
  connection.control('BEGIN')
  const owner = Number(connection.readPragma('application_id'))
  const version = Number(connection.readPragma('user_version'))
  const isEmpty = Number(connection.readPragma('schema_version')) === 0
  connection.control('COMMIT')
  return { owner, version, isEmpty }
}

function configure(connection: Connection, { synchronous = 'full' }: SqliteOptions): void {
  connection.readPragma('journal_mode = WAL')
  connection.readPragma(`synchronous = ${synchronous === 'normal' ? 'NORMAL' : 'FULL'}`)
  connection.readPragma(`cache_size = -${cacheSizeKiB}`)
  connection.readPragma('temp_store = MEMORY')
  connection.readPragma(`wal_autocheckpoint = ${walPagesMax[synchronous]}`)
  connection.readPragma(`journal_size_limit = ${journalSizeLimitBytes}`)
}

/** Applies what is missing, in one transaction; of several processes one does it. */
function migrate(connection: Connection, context: { file: string; clock: Clock }): void {
  if (currentVersion(connection) === schemaVersion) {
    checkChecksums(connection, context.file)
    return
  }
  connection.control('BEGIN IMMEDIATE')
  try {
    checkChecksums(connection, context.file)
    for (const migration of migrations.slice(currentVersion(connection))) {
      apply(connection, migration, context.clock)
    }
    connection.control('COMMIT')
  } catch (cause) {
    if (connection.isInTransaction()) connection.control('ROLLBACK')
    throw cause
  }
}

function currentVersion(connection: Connection): number {
  return Number(connection.readPragma('user_version'))
}

const createMigrationsTable = `
CREATE TABLE IF NOT EXISTS migrations (
  version INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  checksum TEXT NOT NULL,
  applied_at_ms INTEGER NOT NULL
) STRICT;
`

const insertMigration = statement(
  'insert-migration',
  `INSERT INTO migrations (version, name, checksum, applied_at_ms)
   VALUES ($1, $2, $3, $4)`,
)

const selectMigrations = statement(
  'select-migrations',
  'SELECT m.version, m.checksum FROM migrations m ORDER BY m.version',
)

function apply(connection: Connection, migration: Migration, clock: Clock): void {
  const { version, name, sql } = migration
  connection.runScript(createMigrationsTable)
  connection.runScript(sql)
  connection.drive(query(insertMigration, version, name, checksumOf(migration), clock.now()))
  connection.readPragma(`application_id = ${applicationId}`)
  connection.readPragma(`user_version = ${version}`)
}

/** A schema that was changed by hand, or by an unreleased version, is not to be trusted. */
function checkChecksums(connection: Connection, file: string): void {
  const applied = migrations.slice(0, currentVersion(connection))
  const rows = applied.length === 0 ? [] : connection.drive(query(selectMigrations))
  for (const migration of applied) {
    const row = rows.find((candidate) => candidate['version'] === migration.version)
    if (row?.['checksum'] === checksumOf(migration)) continue
    throw new SteleError(
      'storage_corrupt',
      `${JSON.stringify(file)} was made by another text of migration ${migration.version}. ` +
        'Use the version of Stele that made it, or start with a new file.',
      { fields: { file, migration: migration.version } },
    )
  }
}
