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

const selectNeverWoken = statement(
  'never-woken',
  `SELECT e.execution_id
   FROM executions e
   WHERE e.status = 'blocked' AND e.cancelling = 0 AND e.paused = 0
     AND NOT EXISTS (SELECT 1 FROM join_sets s
       WHERE s.execution_id = e.execution_id AND s.asks > s.responses)
   ORDER BY e.execution_id
   LIMIT $1`,
)

/** Executions that wait, and have asked for nothing that could wake them. */
export function* listNeverWoken(limit: number): Protocol<readonly string[]> {
  return (yield* query(selectNeverWoken, limit)).map((row) => textOf(row, 'execution_id'))
}

const selectOverdueDelays = statement(
  'overdue-delays',
  `SELECT d.delay_id, d.due_at_ms
   FROM delays d
   WHERE d.paused = 0 AND d.due_at_ms < $1
   ORDER BY d.due_at_ms, d.delay_id
   LIMIT $2`,
)

/** A delay that should have fired. */
export interface OverdueDelay {
  readonly delayId: string
  readonly dueAt: Instant
}

/** Delays that were due before an instant and have not fired, the oldest first. */
export function* listOverdueDelays(
  before: Instant,
  limit: number,
): Protocol<readonly OverdueDelay[]> {
  const rows = yield* query(selectOverdueDelays, before, limit)
  return rows.map((row) => ({
    delayId: textOf(row, 'delay_id'),
    dueAt: integerOf(row, 'due_at_ms'),
  }))
}

const selectLostLogs = statement(
  'lost-logs',
  `SELECT e.execution_id
   FROM executions e
   WHERE NOT EXISTS (SELECT 1 FROM events v
     WHERE v.execution_id = e.execution_id AND v.version = e.version)
   ORDER BY e.execution_id
   LIMIT $1`,
)

/** Executions whose row names a last event that is not in the log. */
export function* listLostLogs(limit: number): Protocol<readonly string[]> {
  return (yield* query(selectLostLogs, limit)).map((row) => textOf(row, 'execution_id'))
}
