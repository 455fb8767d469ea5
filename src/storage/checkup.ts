/** Reading transactions of a check-up: every row and every event once, a page at a time. */

import { SteleError } from '../base/error.ts'
import type { Instant } from '../base/time.ts'
import type { Version } from '../model/event.ts'
import { integerOf, integerOrNone, textOf, textOrNone } from './column.ts'
import type { ListedExecution } from './list.ts'
import { call, type Protocol, query, type Row, statement } from './protocol.ts'
import { parseState, stateColumns } from './state-row.ts'

const countExecutions = statement('count-executions', 'SELECT COUNT(*) AS n FROM executions e')
const countEvents = statement('count-events', 'SELECT COUNT(*) AS n FROM events v')
const countResponses = statement('count-responses', 'SELECT COUNT(*) AS n FROM responses r')
const countLogLines = statement('count-log-lines', 'SELECT COUNT(*) AS n FROM run_logs l')
const oldestExecution = statement(
  'oldest-execution',
  'SELECT MIN(e.created_at_ms) AS oldest FROM executions e',
)

/** How much there is. */
export interface RowCounts {
  readonly executions: number
  readonly events: number
  readonly responses: number
  readonly logLines: number
  /** When the oldest execution was created; absent when there is none. */
  readonly oldestCreatedAt?: Instant
}

/** Counts the rows of the large tables. */
export function* countRows(): Protocol<RowCounts> {
  const calls = [countExecutions, countEvents, countResponses, countLogLines, oldestExecution]
  const answers = yield calls.map((counted) => call(counted))
  const [executions = 0, events = 0, responses = 0, logLines = 0] = answers
    .slice(0, 4)
    .map(([row = {}]) => integerOf(row, 'n'))
  const oldest = integerOrNone(answers[4]?.[0] ?? {}, 'oldest')
  const counts = { executions, events, responses, logLines }
  return oldest === undefined ? counts : { ...counts, oldestCreatedAt: oldest }
}

const walkRows = statement(
  'walk-executions',
  `SELECT ${stateColumns}, e.set_aside_reason
   FROM executions e
   WHERE e.execution_id > $1
   ORDER BY e.execution_id
   LIMIT $2`,
)

/** A page of all rows, in the order of their ids. */
export interface WalkedPage {
  readonly items: readonly ListedExecution[]
  /** Rows that hold something that no engine has written. */
  readonly unreadable: readonly { readonly executionId: string; readonly reason: string }[]
  /** Rows of the page. */
  readonly count: number
  /** Where the next page begins; absent on the last one. */
  readonly next?: string
}

/** A page of the state rows beyond an id. */
export function* walkExecutions(after: string, limit: number): Protocol<WalkedPage> {
  const rows = yield* query(walkRows, after, limit)
  const items: ListedExecution[] = []
  const unreadable: { executionId: string; reason: string }[] = []
  for (const row of rows) {
    const read = readRow(row)
    if ('reason' in read) unreadable.push(read)
    else items.push(read)
  }
  const last = rows.length < limit ? undefined : rows.at(-1)
  const page = { items, unreadable, count: rows.length }
  return last === undefined ? page : { ...page, next: textOf(last, 'execution_id') }
}

function readRow(row: Row): ListedExecution | WalkedPage['unreadable'][number] {
  try {
    const setAside = textOrNone(row, 'set_aside_reason')
    return { state: parseState(row), ...(setAside === undefined ? {} : { setAside }) }
  } catch (cause) {
    if (!(cause instanceof SteleError)) throw cause
    return { executionId: String(row['execution_id']), reason: cause.message }
  }
}

const walkLog = statement(
  'walk-events',
  `SELECT v.execution_id, v.version, v.created_at_ms
   FROM events v
   WHERE (v.execution_id, v.version) > ($1, $2)
   ORDER BY v.execution_id, v.version
   LIMIT $3`,
)

/** Where an event stands, without what it says. */
export interface EventPlace {
  readonly executionId: string
  readonly version: Version
  readonly createdAt: Instant
}

/** A page of all events beyond a place, log by log. */
export function* walkEvents(
  after: Pick<EventPlace, 'executionId' | 'version'>,
  limit: number,
): Protocol<readonly EventPlace[]> {
  const rows = yield* query(walkLog, after.executionId, after.version, limit)
  return rows.map((row) => ({
    executionId: textOf(row, 'execution_id'),
    version: integerOf(row, 'version'),
    createdAt: integerOf(row, 'created_at_ms'),
  }))
}
