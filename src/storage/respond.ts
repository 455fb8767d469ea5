/**
 * Transaction: a response into an inbox, and the wake-up of whoever waits for it, together. A
 * response never changes the version of its execution.
 */

import { accept, refuse } from '../base/result.ts'
import type { Instant } from '../base/time.ts'
import { decideResponse } from '../model/decide.ts'
import { type DelayId, type ExecutionId, parseDelayId } from '../model/ids.ts'
import type { Refusal, TakenWhat } from '../model/refusal.ts'
import type { ExecutionResponse } from '../model/response.ts'
import type { ExecutionState } from '../model/state.ts'
import { flagOf, textOf } from './column.ts'
import type { WriteProtocol } from './driver.ts'
import { countResponseCall, parseCounts } from './join-set-row.ts'
import { type Notice, noticesOf } from './notice.ts'
import { type Call, call, type Protocol, query, statement } from './protocol.ts'
import { insertResponseCall, type WrittenResponse, writeResponse } from './response-row.ts'
import { findStateForUpdate, replaceStateCall } from './state-row.ts'

const deleteDelay = statement('delete-delay', 'DELETE FROM delays WHERE delay_id = $1')

const selectDelay = statement('select-delay', 'SELECT d.paused FROM delays d WHERE d.delay_id = $1')

const selectDelayResult = statement(
  'select-delay-result',
  'SELECT r.delay_result FROM responses r WHERE r.delay_id = $1',
)

/** A response with its addressee. */
export interface RespondRequest {
  readonly executionId: ExecutionId
  readonly entry: WrittenResponse
}

/**
 * Appends a response. Refused with `taken` when the same child, delay or message id answered
 * before, with `not_found` when there is no such execution; stored even when it has finished.
 */
export function* respond(request: RespondRequest): WriteProtocol<readonly Notice[], Refusal> {
  const { executionId, entry } = request
  const before = yield* findStateForUpdate(executionId)
  if (before === undefined) return refuse({ kind: 'not_found', id: executionId })
  return yield* respondTo(before, entry)
}

/** The same for a transaction that has just read the state. */
export function* respondTo(
  before: ExecutionState,
  entry: WrittenResponse,
): WriteProtocol<readonly Notice[], Refusal> {
  const { executionId } = before
  const { response, createdAt } = entry
  const [[counted] = []] = yield [countResponseCall(executionId, response.joinSetId)]
  const counts = counted === undefined ? { asks: 0, responses: 1 } : parseCounts(counted)
  const place = { executionId, ordinal: counts.responses, afterVersion: before.version }
  const [inserted = []] = yield [insertResponseCall(entry, place), ...cleanup(response)]
  if (inserted.length === 0) return refuse(takenResponse(response))
  const answersAsk = counts.responses <= counts.asks
  const after = decideResponse(before, { createdAt, answersAsk })
  if (after !== before) yield [replaceStateCall(before, after)]
  return accept(noticesOf(after))
}

/** A delay that has answered is no longer due. */
function cleanup(response: ExecutionResponse): readonly Call[] {
  return response.type === 'delay_finished' ? [call(deleteDelay, response.delayId)] : []
}

function takenResponse(response: ExecutionResponse): Refusal {
  const [what, id] = identityOf(response)
  return { kind: 'taken', what, id }
}

function identityOf(response: ExecutionResponse): readonly [TakenWhat, string] {
  if (response.type === 'child_finished') return ['child_response', response.childExecutionId]
  if (response.type === 'delay_finished') return ['delay', response.delayId]
  return ['message', response.messageId ?? '']
}

/** What became of an attempt to end a delay; `held`: it was paused, and does not fire. */
export type DelayEnd = 'done' | 'already_finished' | 'already_cancelled' | 'held'

/** A delay's end, and what to tell of it. */
export interface DelayEnded {
  readonly end: DelayEnd
  readonly notices: readonly Notice[]
}

/** Ending a delay: it fires, or is cancelled. */
export interface EndDelayRequest {
  readonly delayId: DelayId
  readonly createdAt: Instant
  readonly result: 'ok' | 'cancelled'
}

/**
 * Fires or cancels a delay; the first one wins, and whoever comes later learns who was first.
 * Refused with `not_found` when nobody asked for such a delay.
 */
export function* endDelay(request: EndDelayRequest): WriteProtocol<DelayEnded, Refusal> {
  const { delayId, createdAt, result } = request
  const earlier = yield* findDelayEnd(delayId)
  if (earlier !== undefined) return accept({ end: earlier, notices: [] })
  const [delay] = yield* query(selectDelay, delayId)
  const from = parseDelayId(delayId)
  if (delay === undefined || !from.ok) return refuse({ kind: 'not_found', id: delayId })
  if (result === 'ok' && flagOf(delay, 'paused')) return accept({ end: 'held', notices: [] })
  const { parentId: executionId, joinSetId } = from.value
  const response = { type: 'delay_finished', joinSetId, delayId, result } as const
  const told = yield* respond({ executionId, entry: writeResponse(response, createdAt) })
  return told.ok ? accept({ end: 'done', notices: told.value }) : told
}

/** Asks how a delay has ended; no row while it has not. */
export function delayResultCall(delayId: DelayId): Call {
  return call(selectDelayResult, delayId)
}

function* findDelayEnd(delayId: DelayId): Protocol<DelayEnd | undefined> {
  const [[row] = []] = yield [delayResultCall(delayId)]
  if (row === undefined) return undefined
  return textOf(row, 'delay_result') === 'ok' ? 'already_finished' : 'already_cancelled'
}
