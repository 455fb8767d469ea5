/** Transactions asked for from outside: cancel, pause, unpause, complete a stub, hold a delay. */

import { canonicalJson } from '../base/json.ts'
import { accept, refuse } from '../base/result.ts'
import type { Instant } from '../base/time.ts'
import { nextVersion } from '../model/decide.ts'
import type { ExecutionEvent } from '../model/event.ts'
import type { DelayId, ExecutionId } from '../model/ids.ts'
import type { StoredOutcome } from '../model/outcome.ts'
import { illegal, type Refusal } from '../model/refusal.ts'
import type { ExecutionState } from '../model/state.ts'
import { appendTo } from './append.ts'
import { integerOf } from './column.ts'
import type { Written } from './create.ts'
import type { WriteProtocol } from './driver.ts'
import { writeEvent } from './event-row.ts'
import type { Notice } from './notice.ts'
import { query, statement } from './protocol.ts'
import { findEvent } from './read.ts'
import { findStateForUpdate } from './state-row.ts'

const setDelayPaused = statement(
  'set-delay-paused',
  'UPDATE delays SET paused = $2 WHERE delay_id = $1 RETURNING due_at_ms',
)

/** What an outside command is about. */
export interface CommandRequest {
  readonly executionId: ExecutionId
  readonly createdAt: Instant
}

/** A cancellation. */
export interface CancelRequest extends CommandRequest {
  readonly reason?: string | undefined
}

/** What became of a cancellation. */
export interface Cancelled {
  readonly end: 'cancelled' | 'already_finished'
  readonly notices: readonly Notice[]
}

/**
 * Cancels, in any unfinished state. An activity is finished at once; anything that may have
 * children is marked, and the timers watcher carries it out. Idempotent.
 */
export function* cancelExecution(request: CancelRequest): WriteProtocol<Cancelled, Refusal> {
  const { executionId, createdAt, reason } = request
  const before = yield* findStateForUpdate(executionId)
  if (before === undefined) return refuse({ kind: 'not_found', id: executionId })
  if (before.status === 'finished') {
    const end = before.failureKind === 'cancelled' ? 'cancelled' : 'already_finished'
    return accept({ end, notices: [] })
  }
  if (before.cancelling) return accept({ end: 'cancelled', notices: [] })
  const why = reason === undefined ? {} : { reason }
  const event: ExecutionEvent =
    before.function.kind === 'activity'
      ? { type: 'finished', outcome: { type: 'execution_failure', kind: 'cancelled', ...why } }
      : { type: 'cancel_requested', ...why }
  const written = yield* appendNow(before, createdAt, [event])
  return written.ok ? accept({ end: 'cancelled', notices: written.value.notices }) : written
}

/**
 * Pauses. A run of a workflow is unlocked first, in the same transaction; a running activity
 * cannot be paused, since two attempts could overlap then.
 */
export function* pauseExecution(request: CommandRequest): WriteProtocol<Written, Refusal> {
  const { executionId, createdAt } = request
  const before = yield* findStateForUpdate(executionId)
  if (before === undefined) return refuse({ kind: 'not_found', id: executionId })
  const paused: ExecutionEvent = { type: 'paused' }
  if (before.status !== 'locked') return yield* appendNow(before, createdAt, [paused])
  if (before.function.kind === 'activity') return refuse(illegal('locked'))
  const unlocked: ExecutionEvent = { type: 'unlocked', dueAt: createdAt, reason: 'paused' }
  return yield* appendNow(before, createdAt, [unlocked, paused])
}

/** Ends a pause; the execution is as it was before. */
export function* unpauseExecution(request: CommandRequest): WriteProtocol<Written, Refusal> {
  const before = yield* findStateForUpdate(request.executionId)
  if (before === undefined) return refuse({ kind: 'not_found', id: request.executionId })
  return yield* appendNow(before, request.createdAt, [{ type: 'unpaused' }])
}

/** The outcome of a stub, supplied from outside. */
export interface CompleteRequest extends CommandRequest {
  readonly outcome: StoredOutcome
}

/**
 * Finishes a stub at whatever version its log has reached. Repeating the same outcome is accepted
 * and changes nothing; another outcome is refused with `already_finished`.
 */
export function* completeExecution(request: CompleteRequest): WriteProtocol<Written, Refusal> {
  const { executionId, createdAt, outcome } = request
  const before = yield* findStateForUpdate(executionId)
  if (before === undefined) return refuse({ kind: 'not_found', id: executionId })
  if (before.status !== 'finished') {
    // Nobody ever locks a stub.
    if (!before.cancelling && before.lastOwner !== undefined) return refuse(illegal('has_run'))
    return yield* appendNow(before, createdAt, [{ type: 'finished', outcome }])
  }
  const stored = yield* findEvent(executionId, before.version)
  if (stored?.event.type === 'finished' && sameOutcome(stored.event.outcome, outcome)) {
    return accept({ state: before, notices: [] })
  }
  return refuse({ kind: 'already_finished', version: before.version })
}

function sameOutcome(left: StoredOutcome, right: StoredOutcome): boolean {
  return canonicalJson({ ...left }) === canonicalJson({ ...right })
}

function appendNow(
  before: ExecutionState,
  createdAt: Instant,
  events: readonly ExecutionEvent[],
): WriteProtocol<Written, Refusal> {
  const entries = events.map((event) => writeEvent(event, createdAt))
  return appendTo(before, { version: nextVersion(before), entries, creations: [] })
}

/** Holds a delay back, or lets it go. Not an event; idempotent; `not_found` once it has ended. */
export function* setDelayPause(request: {
  readonly delayId: DelayId
  readonly paused: boolean
}): WriteProtocol<readonly Notice[], Refusal> {
  const { delayId, paused } = request
  const [row] = yield* query(setDelayPaused, delayId, paused ? 1 : 0)
  if (row === undefined) return refuse({ kind: 'not_found', id: delayId })
  return accept(paused ? [] : [{ topic: 'timer', dueAt: integerOf(row, 'due_at_ms') }])
}
