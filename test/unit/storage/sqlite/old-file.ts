/** A database as an older version has left it. */
import type { Clock } from '../../../../src/base/time.ts'
import { query, statement } from '../../../../src/storage/protocol.ts'
import { openConnection } from '../../../../src/storage/sqlite/connection.ts'
import { applicationId, checksumOf, migrations } from '../../../../src/storage/sqlite/schema.ts'

const insert = statement(
  'insert-old-migration',
  `INSERT INTO migrations (version, name, checksum, applied_at_ms)
   VALUES ($1, $2, $3, $4)`,
)

/** Makes an empty database with the schema of a version. */
export function makeOldFile(file: string, version: number, clock: Clock): void {
  const connection = openConnection(file, 0)
  connection.readPragma('journal_mode = WAL')
  connection.runScript(`CREATE TABLE migrations (
    version INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    checksum TEXT NOT NULL,
    applied_at_ms INTEGER NOT NULL
  ) STRICT;`)
  for (const migration of migrations.slice(0, version)) {
    connection.runScript(migration.sql)
    const row = [migration.version, migration.name, checksumOf(migration), clock.now()] as const
    connection.drive(query(insert, ...row))
  }
  connection.readPragma(`application_id = ${applicationId}`)
  connection.readPragma(`user_version = ${version}`)
  connection.close()
}
