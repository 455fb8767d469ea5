/** Events for tests. Each has a complete default; a test names only what matters to it. */

import type {
  CancelRequestedEvent,
  ChildRequestEvent,
  CreatedEvent,
  DelayRequestEvent,
  ExecutionEvent,
  FinishedEvent,
  JoinNextEvent,
  JoinNextTryEvent,
  JoinNextWithdrawEvent,
  JoinSetCreateEvent,
  LockedEvent,
  PausedEvent,
  TemporarilyFailedEvent,
  TemporarilyTimedOutEvent,
  UnlockedEvent,
  UnpausedEvent,
  UpgradeFinishedEvent,
  WaitEvent,
} from '../../../src/model/event.ts'
import type { FunctionId } from '../../../src/model/function-id.ts'
import type { RetryPolicy } from '../../../src/model/retry.ts'
import { childOf, delayOf, deploymentId, executionId, executorId, joinSet, runId } from './ids.ts'

/** The activity that tests run unless they say otherwise. */
export const charge: FunctionId = { kind: 'activity', name: 'charge', version: '1' }

/** The workflow that tests run unless they say otherwise. */
export const checkout: FunctionId = { kind: 'workflow', name: 'checkout', version: '1' }

/** Retries as activities have them by default. */
export const retryFive: RetryPolicy = { maxRetries: 5, backoff: 100 }

/** Retries as workflows have them by default. */
export const retryForEver: RetryPolicy = { maxRetries: null, backoff: 100 }

/** A workflow is created, due at 0. */
export function createdEvent(part: Partial<CreatedEvent> = {}): CreatedEvent {
  return {
    type: 'created',
    function: checkout,
    input: { total: 5 },
    scheduledAt: 0,
    deploymentId: deploymentId(),
    ...part,
  }
}

/** The first executor locks in its first run, until 1,000. */
export function lockedEvent(part: Partial<LockedEvent> = {}): LockedEvent {
  return {
    type: 'locked',
    executorId: executorId(),
    runId: runId(),
    deploymentId: deploymentId(),
    lockExpiresAt: 1000,
    retry: retryForEver,
    functionVersion: '1',
    ...part,
  }
}

/** The lock is given back; due again at `dueAt`. */
export function unlockedEvent(dueAt: number, reason = 'executor closing'): UnlockedEvent {
  return { type: 'unlocked', dueAt, reason }
}

/** The attempt failed; the next one is due at `backoffExpiresAt`. */
export function failedEvent(backoffExpiresAt: number): TemporarilyFailedEvent {
  return { type: 'temporarily_failed', backoffExpiresAt, reason: 'activity trap: no' }
}

/** The attempt took too long; the next one is due at `backoffExpiresAt`. */
export function timedOutEvent(backoffExpiresAt: number): TemporarilyTimedOutEvent {
  return { type: 'temporarily_timed_out', backoffExpiresAt }
}

/** The execution ends, with `ok` unless said otherwise. */
export function finishedEvent(
  outcome: FinishedEvent['outcome'] = { type: 'ok', value: 'done' },
): FinishedEvent {
  return { type: 'finished', outcome }
}

/** The execution ends as cancelled. */
export function cancelledEvent(): FinishedEvent {
  return finishedEvent({ type: 'execution_failure', kind: 'cancelled' })
}

/** Paused by a person. */
export const pausedEvent: PausedEvent = { type: 'paused' }

/** No longer paused. */
export const unpausedEvent: UnpausedEvent = { type: 'unpaused' }

/** Somebody wants the execution to end. */
export const cancelRequestedEvent: CancelRequestedEvent = { type: 'cancel_requested' }

/** A run under another version was replayed. */
export function upgradeEvent(part: Partial<UpgradeFinishedEvent> = {}): UpgradeFinishedEvent {
  return {
    type: 'upgrade_finished',
    functionVersion: '2',
    deploymentId: deploymentId(2),
    result: 'success',
    ...part,
  }
}

/** A join set is opened. */
export function joinSetEvent(set = 'n:boxes', seq = 1): JoinSetCreateEvent {
  return { type: 'join_set_create', seq, joinSetId: joinSet(set) }
}

/** A join set is opened, with a word for its children at the end. */
export function openedSet(
  set: string,
  onClose: NonNullable<JoinSetCreateEvent['onClose']>,
): JoinSetCreateEvent {
  return { ...joinSetEvent(set), onClose }
}

/** A child is asked for. */
export function childEvent(
  parent: string,
  { set = 'n:boxes', index = 1, seq = 2 } = {},
): ChildRequestEvent {
  return {
    type: 'join_set_request',
    kind: 'child',
    seq,
    joinSetId: joinSet(set),
    childExecutionId: childOf(parent, set, index),
    function: charge,
    input: null,
    result: 'ok',
  }
}

/** A delay is asked for, due at `dueAt`. */
export function delayEvent(
  parent: string,
  dueAt: number,
  { set = 'n:timers', index = 1, seq = 2, paused = false } = {},
): DelayRequestEvent {
  return {
    type: 'join_set_request',
    kind: 'delay',
    seq,
    joinSetId: joinSet(set),
    delayId: delayOf(parent, set, index),
    dueAt,
    intent: { type: 'at', at: dueAt },
    ...(paused ? { paused } : {}),
  }
}

/** An ask, and nothing more. */
export function askEvent(set = 'n:boxes', seq = 3): JoinNextEvent {
  return { type: 'join_next', seq, joinSetId: joinSet(set), closing: false }
}

/** An ask at which the run stops until it is answered. */
export function blockingAskEvent(
  set = 'n:boxes',
  { seenCursor = 0, runExpiresAt = 0, seq = 3 } = {},
): JoinNextEvent {
  return { ...askEvent(set, seq), seenCursor, runExpiresAt }
}

/** The run stops without a new ask. */
export function waitEvent({ seenCursor = 0, runExpiresAt = 0 } = {}): WaitEvent {
  return { type: 'wait', seenCursor, runExpiresAt }
}

/** An unanswered ask is given up. */
export function withdrawEvent(set = 'n:boxes', seq = 4): JoinNextWithdrawEvent {
  return { type: 'join_next_withdraw', seq, joinSetId: joinSet(set) }
}

/** A look without waiting. */
export function tryEvent(
  outcome: JoinNextTryEvent['outcome'],
  set = 'n:boxes',
  seq = 3,
): JoinNextTryEvent {
  return { type: 'join_next_try', seq, joinSetId: joinSet(set), outcome }
}

/** One of every event there is, each with all of its fields, as they may stand in a log. */
export const sampleEvents: readonly ExecutionEvent[] = [
  createdEvent({
    parent: { executionId: executionId('p'), joinSetId: joinSet('n:boxes') },
    metadata: { traceparent: '00-1-2-01' },
    scheduledBy: executionId('p'),
  }),
  lockedEvent({ retry: { maxRetries: 3, backoff: 100, maxBackoff: 1000, jitter: 0.5 } }),
  unlockedEvent(7),
  {
    ...failedEvent(9),
    detail: 'at line 1',
    error: { name: 'Error', message: 'no', cause: { name: 'TypeError', message: 'why' } },
    value: { code: 4 },
    httpTraces: [
      {
        method: 'GET',
        origin: 'https://example.org',
        path: '/a',
        queryKeys: ['q'],
        status: 200,
        startedAt: 1,
        finishedAt: 2,
      },
    ],
  },
  timedOutEvent(11),
  finishedEvent({ type: 'execution_failure', kind: 'uncategorized', reason: 'r', detail: 'd' }),
  { type: 'paused', reason: 'nondeterminism' },
  unpausedEvent,
  { type: 'cancel_requested', reason: 'by hand' },
  upgradeEvent({ result: 'failed', reason: 'differs at version 3' }),
  { ...joinSetEvent(), onFailure: 'cancel', onClose: 'await', concurrency: 2 },
  childEvent('p'),
  delayEvent('p', 50, { paused: true }),
  { ...blockingAskEvent('n:boxes', { seenCursor: 3, runExpiresAt: 20 }), requestedFunction: 'f' },
  tryEvent('pending'),
  { type: 'join_next_too_many', seq: 4, joinSetId: joinSet('n:boxes'), requestedFunction: 'f' },
  withdrawEvent(),
  waitEvent({ seenCursor: 5, runExpiresAt: 30 }),
  { type: 'step_finished', seq: 5, name: 's', outcome: { type: 'ok', value: 1 }, afterCursor: 2 },
  { type: 'step_failed', seq: 6, name: 's', attempt: 1, dueAt: 40, reason: 'r', detail: 'd' },
  {
    type: 'schedule',
    seq: 7,
    executionId: executionId('E_detached'),
    function: charge,
    input: [1],
    intent: { type: 'in', in: 1000 },
    result: 'function_not_found',
    reason: 'none of this name',
  },
  {
    type: 'stub',
    seq: 8,
    targetExecutionId: executionId('stub'),
    outcomeHash: 4_294_967_295,
    result: 'ok',
  },
  { type: 'patched', seq: 9, patchId: 'new-tax' },
  { type: 'macrostep', seq: 10, cursor: 4, event: { type: 'PAID' }, stateHash: 17 },
]
