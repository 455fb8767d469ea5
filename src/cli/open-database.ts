/**
 * Opening the database of a command: to look, or to give a command to its engines. The second
 * composition root: it loads the adapter, on demand.
 */

import { existsSync, statSync } from 'node:fs'
import { basename } from 'node:path'
import { SteleError } from '../base/error.ts'
import { createEngine, type Engine } from '../client/create-engine.ts'
import type { Driver } from '../storage/driver.ts'
import { readableCodec, storedCodec } from './codecs.ts'
import type { World } from './world.ts'

/** A database, and a client over it; disposing closes both. */
export interface Database extends AsyncDisposable {
  readonly file: string
  /** Finds, lists, explains; executes nothing. */
  readonly engine: Engine
  /** For what no client asks. */
  readonly driver: Driver
  /** Version of the schema of the file. */
  readonly schemaVersion: number
}

/** How to open. */
export interface OpenOptions {
  /** Values as they are stored, for programs; otherwise as the code saw them. */
  readonly isStored?: boolean | undefined
}

/** Uses a database that is being opened, and closes it whatever comes of it. */
export async function useDatabase<Value>(
  opening: Promise<Database>,
  use: (database: Database) => Promise<Value>,
): Promise<Value> {
  const database = await opening
  try {
    return await use(database)
  } finally {
    await database[Symbol.asyncDispose]()
  }
}

/** Largest page that a command may ask for. */
export const pageMax = 100_000

/** Opens for reading: nothing is created, migrated or written. Rejects with a `storage_…` error. */
export async function openForReading(
  world: World,
  file: string,
  options: OpenOptions = {},
): Promise<Database> {
  requireFile(file)
  const { openSqliteReader } = await import('../storage/sqlite/open-reader.ts')
  const reader = await openSqliteReader(file, world)
  return client(world, { file, driver: reader.driver, schemaVersion: reader.version, ...options })
}

/** Opens for a command; the schema must be current, since only engines migrate. */
export async function openForWriting(world: World, file: string): Promise<Database> {
  requireFile(file)
  const schemaVersion = await requireCurrent(world, file)
  const { openSqlite } = await import('../storage/sqlite/open.ts')
  const driver = await openSqlite({ file }, world)
  return client(world, { file, driver, schemaVersion })
}

/** Refuses a file of an older version, which whoever opens it for writing would migrate. */
export async function requireCurrent(world: World, file: string): Promise<number> {
  const { openSqliteReader } = await import('../storage/sqlite/open-reader.ts')
  const reader = await openSqliteReader(file, world)
  await reader.driver.close()
  const { schemaVersion } = await import('../storage/sqlite/schema.ts')
  if (reader.version !== schemaVersion) throw tooOld(file, reader.version, schemaVersion)
  return schemaVersion
}

interface Opened extends OpenOptions {
  readonly file: string
  readonly driver: Driver
  readonly schemaVersion: number
}

async function client(world: World, opened: Opened): Promise<Database> {
  const { file, driver, schemaVersion, isStored = false } = opened
  const { clock, scheduler, random } = world
  const engine = await createEngine({
    storage: { open: () => Promise.resolve(driver) },
    codec: isStored ? storedCodec : readableCodec,
    limits: { listPage: pageMax },
    logger: false,
    deployment: 'stele-cli',
    clock,
    scheduler,
    random,
  })
  const close = (): Promise<void> => engine.stop({ timeout: 0 })
  return { file, engine, driver, schemaVersion, [Symbol.asyncDispose]: close }
}

/** A misspelled name must not make a database. */
export function requireFile(file: string): void {
  const fields = { file }
  if (!existsSync(file)) {
    throw new SteleError(
      'storage_unavailable',
      `There is no file ${JSON.stringify(file)}. Give the file that is the \`storage\` of an ` +
        'engine; nothing was created.',
      { fields },
    )
  }
  if (statSync(file).isFile()) return
  throw new SteleError(
    'storage_unavailable',
    `${JSON.stringify(file)} is not a file. Give the database itself, such as ` +
      `${JSON.stringify(`${basename(file)}/app.db`)}.`,
    { fields },
  )
}

function tooOld(file: string, found: number, known: number): SteleError {
  return new SteleError(
    'storage_unavailable',
    `${JSON.stringify(file)} has schema version ${found}; this stele writes version ${known}. ` +
      'Only engines migrate: start one of this version on it, or use the stele of the old one.',
    { fields: { file, found, known } },
  )
}
