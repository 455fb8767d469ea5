/** The rows of table `join_sets`: asks and responses of each set, counted. */

import { askOf, type ExecutionEvent } from '../model/event.ts'
import type { ExecutionId } from '../model/ids.ts'
import type { JoinSetId } from '../model/join-set.ts'
import { integerOf } from './column.ts'
import { type Call, call, type Row, statement } from './protocol.ts'

const countAsk = statement(
  'count-ask',
  `INSERT INTO join_sets (execution_id, join_set_id, asks, responses)
   VALUES ($1, $2, $3, 0)
   ON CONFLICT (execution_id, join_set_id) DO UPDATE
   SET asks = join_sets.asks + $3`,
)

const countResponse = statement(
  'count-response',
  `INSERT INTO join_sets (execution_id, join_set_id, asks, responses)
   VALUES ($1, $2, 0, 1)
   ON CONFLICT (execution_id, join_set_id) DO UPDATE
   SET responses = join_sets.responses + 1
   RETURNING asks, responses`,
)

const firstAnswer = statement(
  'first-answer',
  `SELECT r.created_at_ms
   FROM responses r
   JOIN join_sets s ON s.execution_id = r.execution_id AND s.join_set_id = r.join_set_id
   WHERE r.execution_id = $1 AND r.cursor > $2 AND r.ordinal <= s.asks
   ORDER BY r.cursor
   LIMIT 1`,
)

/** Counts the ask that an event is, if it is one. */
export function countAskCalls(id: ExecutionId, event: ExecutionEvent): readonly Call[] {
  const ask = askOf(event)
  return ask === undefined ? [] : [call(countAsk, id, ask.joinSetId, ask.change)]
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
