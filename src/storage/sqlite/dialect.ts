/** What SQLite says differently: numbered placeholders, and the codes of its errors. */

import { type ErrorCode, isSteleError, SteleError } from '../../base/error.ts'
import type { SqlValue } from '../protocol.ts'

/** A text with plain placeholders, and which value goes where. */
export interface PositionalText {
  readonly text: string
  /** For each `?` in order, the index of its value. */
  readonly order: readonly number[]
}

const placeholder = /\$(\d+)/g
const boundLimit = /\bLIMIT \?/g

/**
 * `$1, $2` → `?`, since better-sqlite3 would bind `$1` by name only. Done once a statement.
 *
 * `LIMIT ?` → `LIMIT (? + 0)`: the planner looks at a bare parameter there, and so SQLite compiles
 * the whole statement again each time it is bound. 25 to 90 µs for each of ours, measured; with the
 * sum, whose value it does not look at, less than 1 µs.
 */
export function toPositional(text: string): PositionalText {
  const order = [...text.matchAll(placeholder)].map(([, digits]) => Number(digits) - 1)
  return { text: text.replace(placeholder, '?').replace(boundLimit, 'LIMIT (? + 0)'), order }
}

/** The values in the order of the placeholders; the same array when they are in order already. */
export function reorder(
  order: readonly number[],
  values: readonly SqlValue[],
): readonly SqlValue[] {
  return order.map((index) => values[index] ?? null)
}

/** Whether each value is used once and in order, so that nothing needs to be moved. */
export function isInOrder(order: readonly number[]): boolean {
  return order.every((index, position) => index === position)
}

const codesByPrefix: readonly (readonly [string, ErrorCode])[] = [
  ['SQLITE_FULL', 'storage_full'],
  ['SQLITE_READONLY', 'storage_read_only'],
  ['SQLITE_CORRUPT', 'storage_corrupt'],
  ['SQLITE_NOTADB', 'storage_corrupt'],
]

const adviceByCode: Partial<Readonly<Record<ErrorCode, string>>> = {
  storage_full: 'Free space on its disk; work goes on by itself then.',
  storage_read_only: 'Make the file and its directory writable; work goes on by itself then.',
  storage_corrupt: 'Stop all processes and restore the file from a backup.',
}

/** The error of SQLite, if it is one: a text such as `SQLITE_BUSY`. */
export function sqliteCode(cause: unknown): string | undefined {
  if (typeof cause !== 'object' || cause === null || !('code' in cause)) return undefined
  return typeof cause.code === 'string' && cause.code.startsWith('SQLITE_') ? cause.code : undefined
}

/** Whether somebody else holds the lock that was needed: worth another try. */
export function isBusy(cause: unknown): boolean {
  const code = sqliteCode(cause)
  return code?.startsWith('SQLITE_BUSY') === true || code?.startsWith('SQLITE_LOCKED') === true
}

/**
 * Whether a statement, or the protocol that asked for it, failed by itself: the transaction around
 * it is sound then, and only this one has to be rolled back.
 */
export function isStatementFault(cause: unknown): boolean {
  const code = sqliteCode(cause)
  if (code === undefined) return true
  return code.startsWith('SQLITE_CONSTRAINT') || code === 'SQLITE_TOOBIG'
}

/** Whether SQLite met a page that it cannot read. */
export function isCorruption(cause: unknown): boolean {
  return sqliteCode(cause)?.startsWith('SQLITE_CORRUPT') === true
}

/** What else is known of a fault. */
export interface FaultFields {
  /** The other operations of its transaction were well. */
  readonly isolated?: true
}

/** The typed error for anything that SQLite throws; ours pass as they are. */
export function toSteleError(cause: unknown, file: string, known: FaultFields = {}): SteleError {
  if (isSteleError(cause)) return cause
  const found = sqliteCode(cause)
  const code = codesByPrefix.find(([prefix]) => found?.startsWith(prefix) === true)?.[1]
  const advice = code === undefined ? undefined : adviceByCode[code]
  const reason = cause instanceof Error ? cause.message : String(cause)
  const suffix = found === undefined ? '' : ` (${found})`
  return new SteleError(
    code ?? 'storage_unavailable',
    `SQLite database ${JSON.stringify(file)}: ${reason}${suffix}. ` +
      (advice ?? 'Check that the file can be reached; the operation was not carried out.'),
    { fields: { file, sqlite: found, ...known }, cause },
  )
}
