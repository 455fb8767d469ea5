/** Reading transactions about one execution: state, log, inbox, outcome, and what it waits for. */

import type { Instant } from '../base/time.ts'
import type { Cursor, LoggedEvent, Version } from '../model/event.ts'
import type { DelayId, ExecutionId } from '../model/ids.ts'
import type { JoinSetId } from '../model/join-set.ts'
import type { StoredOutcome } from '../model/outcome.ts'
import type { LoggedResponse } from '../model/response.ts'
import type { ExecutionState } from '../model/state.ts'
import { corruptColumn, flagOf, integerOf, objectOf, textOrNone } from './column.ts'
import { eventColumns, parseEvent } from './event-row.ts'
import { delayIdOf, joinSetIdOf } from './id-row.ts'
import { call, type Protocol, query, type Row, statement } from './protocol.ts'
import { parseResponse, responseColumns } from './response-row.ts'
import { findState, parseState, stateColumns } from './state-row.ts'

const selectEvent = statement(
  'select-event',
  `SELECT ${eventColumns}
   FROM events v
   WHERE v.execution_id = $1 AND v.version = $2`,
)

const selectEvents = statement(
  'select-events',
  `SELECT ${eventColumns}
   FROM events v
   WHERE v.execution_id = $1 AND v.version >= $2
   ORDER BY v.version
   LIMIT $3`,
)

const selectResponses = statement(
  'select-responses',
  `SELECT ${responseColumns}, c.body AS child_body
   FROM responses r
   LEFT JOIN events c ON c.execution_id = r.child_execution_id AND c.version = r.finished_version
   WHERE r.execution_id = $1 AND r.cursor > $2
   ORDER BY r.cursor
   LIMIT $3`,
)

const selectSetAside = statement(
  'select-set-aside',
  'SELECT e.set_aside_reason FROM executions e WHERE e.execution_id = $1',
)

const selectOpenAsks = statement(
  'select-open-asks',
  `SELECT s.join_set_id, s.asks, s.responses
   FROM join_sets s
   WHERE s.execution_id = $1 AND s.asks > s.responses
   ORDER BY s.join_set_id`,
)

const selectDelays = statement(
  'select-delays',
  `SELECT d.delay_id, d.due_at_ms, d.paused
   FROM delays d
   WHERE d.execution_id = $1
   ORDER BY d.due_at_ms, d.delay_id
   LIMIT $2`,
)

/** Delays shown with one execution; the earliest come first. */
const shownDelaysMax = 100

const selectHeld = statement(
  'select-held',
  `SELECT ${stateColumns}
   FROM executions e
   WHERE e.execution_id = $1`,
)

/** One event of a log, or `undefined`. */
export function* findEvent(id: ExecutionId, version: Version): Protocol<LoggedEvent | undefined> {
  const [row] = yield* query(selectEvent, id, version)
  return row === undefined ? undefined : parseEvent(row)
}

/** Part of a log. */
export interface EventsPage {
  readonly executionId: ExecutionId
  /** From this version on, inclusive. */
  readonly from: Version
  readonly limit: number
}

/** Events of a log, ascending. Empty for an unknown execution. */
export function* listEvents(page: EventsPage): Protocol<readonly LoggedEvent[]> {
  const rows = yield* query(selectEvents, page.executionId, page.from, page.limit)
  return rows.map(parseEvent)
}

/** Part of an inbox. */
export interface ResponsesPage {
  readonly executionId: ExecutionId
  /** Beyond this cursor, exclusive. */
  readonly after: Cursor
  readonly limit: number
}

/** A response, with the child's outcome where a child has answered. */
export interface ListedResponse extends LoggedResponse {
  readonly outcome?: StoredOutcome
}

/** Responses of an inbox, ascending. Empty for an unknown execution. */
export function* listResponses(page: ResponsesPage): Protocol<readonly ListedResponse[]> {
  const rows = yield* query(selectResponses, page.executionId, page.after, page.limit)
  return rows.map(parseListed)
}

function parseListed(row: Row): ListedResponse {
  const logged = parseResponse(row)
  if (textOrNone(row, 'child_body') === undefined) return logged
  const { outcome } = objectOf(row, 'child_body') as { readonly outcome?: StoredOutcome }
  if (outcome === undefined) throw corruptColumn(row, 'finished_version', 'a finished event')
  return { ...logged, outcome }
}

/** A log with its inbox and its state, on one snapshot. */
export interface ExecutionRecord {
  readonly state: ExecutionState
  readonly events: readonly LoggedEvent[]
  readonly responses: readonly ListedResponse[]
}

/** Everything about an execution, up to a number of events and of responses. */
export function* findRecord(
  executionId: ExecutionId,
  limit: number,
): Protocol<ExecutionRecord | undefined> {
  const state = yield* findState(executionId)
  if (state === undefined) return undefined
  const events = yield* listEvents({ executionId, from: 0, limit })
  const responses = yield* listResponses({ executionId, after: 0, limit })
  return { state, events, responses }
}

/** A state, with the last event and the outcome when there is one. */
export interface StateReport {
  readonly state: ExecutionState
  readonly lastEvent: LoggedEvent
  /** Why the row was taken out of the way. */
  readonly setAside?: string
}

/** The state of an execution, and the event that led to it. */
export function* findReport(id: ExecutionId): Protocol<StateReport | undefined> {
  const state = yield* findState(id)
  if (state === undefined) return undefined
  const lastEvent = yield* findEvent(id, state.version)
  const [row] = yield* query(selectSetAside, id)
  const setAside = row === undefined ? undefined : textOrNone(row, 'set_aside_reason')
  if (lastEvent === undefined) {
    throw corruptColumn({ execution_id: id }, 'version', 'the version of the last event')
  }
  return { state, lastEvent, ...(setAside === undefined ? {} : { setAside }) }
}

/** A join set with asks that nobody has answered yet. */
export interface OpenAsk {
  readonly joinSetId: JoinSetId
  readonly asks: number
  readonly responses: number
}

/** A delay that has not ended. */
export interface OpenDelay {
  readonly delayId: DelayId
  readonly dueAt: Instant
  readonly paused: boolean
}

/** What an execution waits for. */
export interface Waits {
  readonly asks: readonly OpenAsk[]
  readonly delays: readonly OpenDelay[]
}

/** Unanswered asks and running delays of an execution. */
export function* findWaits(id: ExecutionId): Protocol<Waits> {
  const [asks = [], delays = []] = yield [
    call(selectOpenAsks, id),
    call(selectDelays, id, shownDelaysMax),
  ]
  return {
    asks: asks.map((row) => ({
      joinSetId: joinSetIdOf(row),
      asks: integerOf(row, 'asks'),
      responses: integerOf(row, 'responses'),
    })),
    delays: delays.map((row) => ({
      delayId: delayIdOf(row),
      dueAt: integerOf(row, 'due_at_ms'),
      paused: flagOf(row, 'paused'),
    })),
  }
}

/** The states of several executions; unknown ones and unreadable rows are left out. */
export function* findStates(ids: readonly ExecutionId[]): Protocol<readonly ExecutionState[]> {
  const answers = yield ids.map((id) => call(selectHeld, id))
  return answers.flatMap((rows) => rows.flatMap(parseIfReadable))
}

function parseIfReadable(row: Row): readonly ExecutionState[] {
  try {
    return [parseState(row)]
  } catch {
    return []
  }
}
