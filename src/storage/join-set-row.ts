/**
 * The rows of table `join_sets`: asks and responses of each set, counted, and what becomes of its
 * children when their parent is cancelled. A set without any of these has no row.
 */

import { askOf, type ExecutionEvent } from '../model/event.ts'
import type { ExecutionId } from '../model/ids.ts'
import type { JoinSetId } from '../model/join-set.ts'
import { integerOf } from './column.ts'
import { type Call, call, type Row, statement } from './protocol.ts'

const countAsk = statement(
  'count-ask',
  `INSERT INTO join_sets (execution_id, join_set_id, asks, responses)
   VALUES ($1, $2, 1, 0)
   ON CONFLICT (execution_id, join_set_id) DO UPDATE
   SET asks = join_sets.asks + 1`,
)

/** Not an upsert of -1: its row would break the CHECK before the conflict is looked at. */
const withdrawAsk = statement(
  'withdraw-ask',
  `UPDATE join_sets
   SET asks = asks - 1
   WHERE execution_id = $1 AND join_set_id = $2`,
)

const countResponse = statement(
  'count-response',
  `INSERT INTO join_sets (execution_id, join_set_id, asks, responses)
   VALUES ($1, $2, 0, 1)
   ON CONFLICT (execution_id, join_set_id) DO UPDATE
   SET responses = join_sets.responses + 1
   RETURNING asks, responses`,
)

/**
 * CROSS, so that SQLite begins with the responses, whatever statistics say: with those of ANALYZE
 * over a large file it began with the sets: 2.4 ms for 10,000 of them, not 0.002 ms, measured.
 */
const firstAnswer = statement(
  'first-answer',
  `SELECT r.created_at_ms
   FROM responses r
   CROSS JOIN join_sets s
   WHERE r.execution_id = $1 AND r.cursor > $2
     AND s.execution_id = r.execution_id AND s.join_set_id = r.join_set_id AND r.ordinal <= s.asks
   ORDER BY r.cursor
   LIMIT 1`,
)

const keepOnClose = statement(
  'keep-on-close',
  `INSERT INTO join_sets (execution_id, join_set_id, asks, responses, on_close)
   VALUES ($1, $2, 0, 0, $3)
   ON CONFLICT (execution_id, join_set_id) DO UPDATE
   SET on_close = EXCLUDED.on_close`,
)

/**
 * Joins the set `s` of a child `c`, whose id is `<parent>.<set>_<index>`: one look-up by key for
 * each child, however many sets there are.
 */
export const joinSetOfChild = `LEFT JOIN join_sets s
     ON s.execution_id = c.parent_execution_id
     AND s.join_set_id = substr(c.execution_id, length(c.parent_execution_id) + 2,
       length(rtrim(c.execution_id, '0123456789')) - length(c.parent_execution_id) - 2)`

/** That the end of its parent by cancellation cancels the child `c` of the set `s`. */
export const isToBeCancelled = `c.status <> 'finished' AND c.cancelling = 0
     AND (s.on_close IS NULL OR s.on_close = 'cancel')`

/** That a parent is not finished as cancelled before the child `c` of the set `s` is. */
export const isAwaited = `c.status <> 'finished'
     AND (s.on_close IS NULL OR s.on_close <> 'abandon')`

/** What an event changes in the row of its set: counts an ask, withdraws one, keeps a policy. */
export function joinSetCalls(id: ExecutionId, event: ExecutionEvent): readonly Call[] {
  if (event.type === 'join_set_create' && event.onClose !== undefined) {
    return [call(keepOnClose, id, event.joinSetId, event.onClose)]
  }
  const ask = askOf(event)
  if (ask === undefined) return []
  return [call(ask.change === 1 ? countAsk : withdrawAsk, id, ask.joinSetId)]
}

/** Counts a response, and gives the counters of its set. */
export function countResponseCall(id: ExecutionId, joinSetId: JoinSetId): Call {
  return call(countResponse, id, joinSetId)
}

/** Asks for the first response beyond a cursor that answers an ask of any set. */
export function firstAnswerCall(id: ExecutionId, seenCursor: number): Call {
  return call(firstAnswer, id, seenCursor)
}

/** Asks and responses of a join set. */
export interface JoinSetCounts {
  readonly asks: number
  readonly responses: number
}

/** The counters that a row says. */
export function parseCounts(row: Row): JoinSetCounts {
  return { asks: integerOf(row, 'asks'), responses: integerOf(row, 'responses') }
}
