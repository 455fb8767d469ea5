/**
 * A transaction, written once: a generator that yields statements and receives their rows. It
 * performs no I/O and holds no clock; each database drives it in its own way.
 */

/** What SQL can take. Booleans are 0 and 1, instants integer milliseconds, JSON is text. */
export type SqlValue = string | number | null

/** One row, as the database gives it. Only `*-row.ts` files look inside. */
export type Row = Readonly<Record<string, unknown>>

/** A named SQL text with `$1, $2, …`; the name is that of the prepared statement. */
export interface Statement {
  /** Unique among all statements. */
  readonly name: string
  /** One statement, parameters numbered in any order. */
  readonly text: string
}

/** A statement with its values. */
export interface Call {
  /** What to run. */
  readonly statement: Statement
  /** What its parameters stand for, `$1` first. */
  readonly values: readonly SqlValue[]
}

/** Independent statements, handed over at once; answered with the rows of each, in order. */
export type Calls = readonly Call[]

/** The rows of each call. */
export type Answers = readonly (readonly Row[])[]

/** A transaction. Started by a factory, since a driver may have to run it again. */
export type Protocol<Value> = Generator<Calls, Value, Answers>

/** Declares a statement. */
export function statement(name: string, text: string): Statement {
  return { name, text }
}

/** Binds values to a statement. */
export function call(bound: Statement, ...values: readonly SqlValue[]): Call {
  return { statement: bound, values }
}

/** Runs one statement and gives its rows. */
export function* query(bound: Statement, ...values: readonly SqlValue[]): Protocol<readonly Row[]> {
  const [rows = []] = yield [{ statement: bound, values }]
  return rows
}
