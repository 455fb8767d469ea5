/** What SQLite says of a file: its settings, its size, and whether its pages are sound. */

import { existsSync, statSync } from 'node:fs'
import { integerOf, textOf } from '../column.ts'
import { call, type Protocol, query, type Statement, statement } from '../protocol.ts'

/** Settings and sizes of a file. Sizes are in bytes. */
export interface FileFacts {
  /** `wal`, unless somebody has changed it. */
  readonly journalMode: string
  /** Version of the schema of the file. */
  readonly schemaVersion: number
  readonly fileBytes: number
  /** Of them, those that hold nothing and will be used again. */
  readonly freeBytes: number
  /** What was committed and is not yet copied into the file. */
  readonly walBytes: number
  readonly tables: readonly string[]
}

/** A pragma, asked as a table: the connection gives only rows. */
function pragma(name: string, column: string): Statement {
  return statement(`pragma-${name}`, `SELECT ${column} AS value FROM pragma_${name}`)
}

const journalMode = pragma('journal_mode', 'journal_mode')
const userVersion = pragma('user_version', 'user_version')
const pageSize = pragma('page_size', 'page_size')
const pageCount = pragma('page_count', 'page_count')
const freePages = pragma('freelist_count', 'freelist_count')

const selectTables = statement(
  'select-tables',
  `SELECT m.name FROM sqlite_schema m
   WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%'
   ORDER BY m.name`,
)

/** Reads settings and sizes. */
export function* findFileFacts(): Protocol<Omit<FileFacts, 'walBytes'>> {
  const pragmas = [journalMode, userVersion, pageSize, pageCount, freePages]
  const answers = yield [...pragmas, selectTables].map((asked) => call(asked))
  const [mode = {}, version = {}, size = {}, count = {}, free = {}] = answers.map(
    ([row = {}]) => row,
  )
  const bytes = integerOf(size, 'value')
  return {
    journalMode: textOf(mode, 'value'),
    schemaVersion: integerOf(version, 'value'),
    fileBytes: bytes * integerOf(count, 'value'),
    freeBytes: bytes * integerOf(free, 'value'),
    tables: (answers[5] ?? []).map((row) => textOf(row, 'name')),
  }
}

/** Size of the write-ahead log beside a file; 0 when there is none. */
export function walBytesOf(file: string): number {
  const path = `${file}-wal`
  return existsSync(path) ? statSync(path).size : 0
}

const integrity = statement(
  'integrity-check',
  `SELECT c.integrity_check AS problem
   FROM pragma_integrity_check($1) c
   ORDER BY c.rowid`,
)

/** What is wrong with the pages of a table and of its indexes; nothing when they are sound. */
export function* checkTable(table: string): Protocol<readonly string[]> {
  const rows = yield* query(integrity, table)
  return rows.map((row) => textOf(row, 'problem')).filter((problem) => problem !== 'ok')
}
