/** The plans of SQLite for statements: which steps an index serves, and which walk or sort. */

import { type Call, query, statement } from '../../../src/storage/protocol.ts'
import type { Connection } from '../../../src/storage/sqlite/connection.ts'
import type { Observed } from './observed-connection.ts'

/** The first call of each statement, by name. */
export function callsByName(seen: readonly Observed[]): ReadonlyMap<string, Call> {
  const calls = seen
    .filter((one) => typeof one !== 'string')
    .filter(({ statement: { name } }) => name !== planName)
  return new Map(calls.toReversed().map((one) => [one.statement.name, one]))
}

const planName = 'explain'

/** The steps of SQLite's plan for a statement with these values. */
export function planOf(
  connection: Connection,
  { statement: { text }, values }: Call,
): readonly string[] {
  const explain = statement(planName, `EXPLAIN QUERY PLAN ${text}`)
  return connection.drive(query(explain, ...values)).map(({ detail }) => String(detail))
}

/** The steps of a plan that no index serves. */
export function slowSteps(connection: Connection, asked: Call): readonly string[] {
  const { name } = asked.statement
  return planOf(connection, asked)
    .filter((step) => !isServed(step) && allowed[name]?.includes(step) !== true)
    .map((step) => `${name}: ${step}`)
}

/** What a plan may say although it sounds slow. */
const allowed: Readonly<Record<string, readonly string[]>> = {
  // The first entry of an index is all that is read.
  'next-lock-expiry': ['SCAN e USING INDEX executions_locked'],
  'next-delay': ['SCAN d USING COVERING INDEX delays_due'],
  // Looks at each that is being cancelled, and at no other.
  cancelling: ['SCAN e USING INDEX executions_cancelling'],
  // The whole table is what is asked for; it is as small as the code base, and in order already.
  'select-functions': ['SCAN f'],
  // Up to its limit, and sorts those that beat in the same millisecond by id: a handful.
  'select-executors': [
    'SCAN x USING INDEX executors_by_beat',
    'USE TEMP B-TREE FOR LAST TERM OF ORDER BY',
  ],
}

function isServed(step: string): boolean {
  // A heading of the steps below it, which are judged for themselves.
  if (/^CORRELATED SCALAR SUBQUERY \d+$/.test(step)) return true
  return /^SEARCH \w+ USING (?:(?:COVERING )?INDEX|PRIMARY KEY|INTEGER PRIMARY KEY)\b/.test(step)
}
