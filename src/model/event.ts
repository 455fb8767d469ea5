/**
 * The event log of an execution: every variant there is, workflows and machines included, so that
 * the format of the log is settled once. `type` is spelled alike in code, database and JSON.
 */

import type { Json } from '../base/json.ts'
import type { Instant } from '../base/time.ts'
import type { FunctionId } from './function-id.ts'
import type { DelayId, DeploymentId, ExecutionId, ExecutorId, RunId } from './ids.ts'
import type { JoinSetId } from './join-set.ts'
import type { StoredError, StoredOutcome } from './outcome.ts'
import type { RetryPolicy } from './retry.ts'

/** Index of an event in its log: 0-based and dense. The only concurrency control there is. */
export type Version = number

/** Position of a response among all responses of a storage; later ones have higher cursors. */
export type Cursor = number

/** One HTTP request of an attempt: what it asked for, never what it carried. */
export interface HttpTrace {
  readonly method: string
  readonly origin: string
  readonly path: string
  /** Names of the query's keys; the values may be secret. */
  readonly queryKeys: readonly string[]
  readonly status?: number
  /** Message of the error, when there was no status. */
  readonly error?: string
  readonly startedAt: Instant
  readonly finishedAt?: Instant
}

/** The parent of a derived execution. */
export interface ParentRef {
  readonly executionId: ExecutionId
  readonly joinSetId: JoinSetId
}

/** When a scheduled execution or delay was meant to be due, as the code said it. */
export type ScheduleIntent =
  | { readonly type: 'now' }
  | { readonly type: 'at'; readonly at: Instant }
  | { readonly type: 'in'; readonly in: number }

/** The first event, written by `create` alone. */
export interface CreatedEvent {
  readonly type: 'created'
  readonly function: FunctionId
  /** The input in stored form; absent means `undefined`. */
  readonly input?: Json
  readonly parent?: ParentRef
  readonly scheduledAt: Instant
  readonly deploymentId: DeploymentId
  /** Texts that travel with the execution: tracing and the like. */
  readonly metadata?: Readonly<Record<string, string>>
  /** The workflow that scheduled this as a detached execution. */
  readonly scheduledBy?: ExecutionId
}

/** An executor took the execution for a limited time, or extended its lock. */
export interface LockedEvent {
  readonly type: 'locked'
  readonly executorId: ExecutorId
  readonly runId: RunId
  readonly deploymentId: DeploymentId
  readonly lockExpiresAt: Instant
  /** Copied into the state row, so that the timers watcher needs no code to judge a timeout. */
  readonly retry: RetryPolicy
  readonly functionVersion: string
}

/** The lock was given back without a counted failure. */
export interface UnlockedEvent {
  readonly type: 'unlocked'
  /** The next instant at which the execution is due. */
  readonly dueAt: Instant
  readonly reason: string
}

/** An attempt failed and will be repeated. */
export interface TemporarilyFailedEvent {
  readonly type: 'temporarily_failed'
  readonly backoffExpiresAt: Instant
  readonly reason: string
  readonly detail?: string
  /** What was thrown. */
  readonly error?: StoredError
  /** What was returned as `err`, in stored form. */
  readonly value?: Json
  readonly httpTraces?: readonly HttpTrace[]
}

/** An attempt took too long and will be repeated. */
export interface TemporarilyTimedOutEvent {
  readonly type: 'temporarily_timed_out'
  readonly backoffExpiresAt: Instant
  readonly httpTraces?: readonly HttpTrace[]
}

/** The last event of every log. */
export interface FinishedEvent {
  readonly type: 'finished'
  readonly outcome: StoredOutcome
  readonly httpTraces?: readonly HttpTrace[]
}

/** Nobody may lock the execution until it is unpaused. */
export interface PausedEvent {
  readonly type: 'paused'
  /** Absent when a person asked for it. */
  readonly reason?: string
}

/** A pause ended. */
export interface UnpausedEvent {
  readonly type: 'unpaused'
}

/** From here on no run may append; the timers watcher closes what is open. */
export interface CancelRequestedEvent {
  readonly type: 'cancel_requested'
  readonly reason?: string
}

/** A run of another version was replayed against today's code: taken over, or left alone. */
export interface UpgradeFinishedEvent {
  readonly type: 'upgrade_finished'
  readonly functionVersion: string
  readonly deploymentId: DeploymentId
  readonly result: 'success' | 'failed'
  readonly reason?: string
}

/** What every event of a function's own history carries: its place in the order of calls. */
interface CallEvent {
  /** Sequence number of the context call, in call order. */
  readonly seq: number
}

/** A join set was opened. */
export interface JoinSetCreateEvent extends CallEvent {
  readonly type: 'join_set_create'
  readonly joinSetId: JoinSetId
  readonly onFailure?: 'collect' | 'cancel' | 'ignore'
  readonly onClose?: 'cancel' | 'await' | 'abandon'
  readonly concurrency?: number
}

/** A child execution was asked for; created in the same transaction when `result` is `ok`. */
export interface ChildRequestEvent extends CallEvent {
  readonly type: 'join_set_request'
  readonly kind: 'child'
  readonly joinSetId: JoinSetId
  readonly childExecutionId: ExecutionId
  readonly function: FunctionId
  readonly input?: Json
  readonly result: 'ok' | 'function_not_found' | 'invalid_input'
  readonly reason?: string
}

/** A delay was asked for. */
export interface DelayRequestEvent extends CallEvent {
  readonly type: 'join_set_request'
  readonly kind: 'delay'
  readonly joinSetId: JoinSetId
  readonly delayId: DelayId
  /** When it fires; recorded, and never compared on replay. */
  readonly dueAt: Instant
  readonly intent: ScheduleIntent
  readonly paused?: boolean
}

/** Where a run stopped to wait: both or neither. */
interface Blocking {
  /** Responses up to here have been seen by the run. */
  readonly seenCursor?: Cursor
  /** Until then the execution stays with its run. */
  readonly runExpiresAt?: Instant
}

/**
 * An ask: one wish for the next response of a join set. The k-th ask is answered by the k-th
 * response. With `seenCursor` and `runExpiresAt` the run blocks as well.
 */
export interface JoinNextEvent extends CallEvent, Blocking {
  readonly type: 'join_next'
  readonly joinSetId: JoinSetId
  /** Asked by the closing of the set, not by user code. */
  readonly closing: boolean
  readonly requestedFunction?: string
}

/** A look without waiting; `found` counts as an ask. */
export interface JoinNextTryEvent extends CallEvent {
  readonly type: 'join_next_try'
  readonly joinSetId: JoinSetId
  readonly outcome: 'found' | 'pending' | 'all_processed'
}

/** An ask beyond what was submitted; nobody will answer. */
export interface JoinNextTooManyEvent extends CallEvent {
  readonly type: 'join_next_too_many'
  readonly joinSetId: JoinSetId
  readonly requestedFunction?: string
}

/** An unanswered ask was given up, so that it does not swallow a later response. */
export interface JoinNextWithdrawEvent extends CallEvent {
  readonly type: 'join_next_withdraw'
  readonly joinSetId: JoinSetId
}

/** The run blocks without a new ask. */
export interface WaitEvent {
  readonly type: 'wait'
  readonly seenCursor: Cursor
  readonly runExpiresAt: Instant
}

/** A local step of a workflow ended; committed before the code goes on. */
export interface StepFinishedEvent extends CallEvent {
  readonly type: 'step_finished'
  readonly name: string
  readonly outcome: StoredOutcome
  /** The last response delivered before the step's end was. */
  readonly afterCursor: Cursor
}

/** An attempt of a local step failed and will be repeated. */
export interface StepFailedEvent extends CallEvent {
  readonly type: 'step_failed'
  readonly name: string
  readonly attempt: number
  readonly dueAt: Instant
  readonly reason: string
  readonly detail?: string
}

/** A detached execution was asked for. */
export interface ScheduleEvent extends CallEvent {
  readonly type: 'schedule'
  readonly executionId: ExecutionId
  readonly function: FunctionId
  readonly input?: Json
  readonly intent: ScheduleIntent
  readonly result: 'ok' | 'function_not_found' | 'invalid_input'
  readonly reason?: string
}

/** A stub was completed by a workflow. */
export interface StubEvent extends CallEvent {
  readonly type: 'stub'
  readonly targetExecutionId: ExecutionId
  /** Hash of the canonical outcome, so that replay can compare it. */
  readonly outcomeHash: number
  readonly result: 'ok' | 'execution_not_found' | 'conflict'
}

/** The code took the new side of `patched(id)`. */
export interface PatchedEvent extends CallEvent {
  readonly type: 'patched'
  readonly patchId: string
}

/** A durable machine took one event, as one pure macrostep. */
export interface MacrostepEvent extends CallEvent {
  readonly type: 'macrostep'
  /** The response that was consumed; absent for the first step. */
  readonly cursor?: Cursor
  readonly event?: Json
  /** Hash of the canonical snapshot after the step, so that drift is seen at its event. */
  readonly stateHash: number
}

/** What user code did, in order; the part of the log that replay compares. */
export type HistoryEvent =
  | JoinSetCreateEvent
  | ChildRequestEvent
  | DelayRequestEvent
  | JoinNextEvent
  | JoinNextTryEvent
  | JoinNextTooManyEvent
  | JoinNextWithdrawEvent
  | WaitEvent
  | StepFinishedEvent
  | StepFailedEvent
  | ScheduleEvent
  | StubEvent
  | PatchedEvent
  | MacrostepEvent

/** Every event there is. */
export type ExecutionEvent =
  | CreatedEvent
  | LockedEvent
  | UnlockedEvent
  | TemporarilyFailedEvent
  | TemporarilyTimedOutEvent
  | FinishedEvent
  | PausedEvent
  | UnpausedEvent
  | CancelRequestedEvent
  | UpgradeFinishedEvent
  | HistoryEvent

/** The names of all events. */
export type EventType = ExecutionEvent['type']

/** All names of events, in the order of the tables in the docs. */
export const eventTypes = [
  'created',
  'locked',
  'unlocked',
  'temporarily_failed',
  'temporarily_timed_out',
  'finished',
  'paused',
  'unpaused',
  'cancel_requested',
  'upgrade_finished',
  'join_set_create',
  'join_set_request',
  'join_next',
  'join_next_try',
  'join_next_too_many',
  'join_next_withdraw',
  'wait',
  'step_finished',
  'step_failed',
  'schedule',
  'stub',
  'patched',
  'macrostep',
] as const satisfies readonly EventType[]

/** An event in its place. */
export interface LoggedEvent {
  readonly version: Version
  /** When it happened, by the clock of its writer. Not monotone across writers. */
  readonly createdAt: Instant
  readonly event: ExecutionEvent
}

/** An event that is about to be appended. */
export interface NewEvent {
  readonly createdAt: Instant
  readonly event: ExecutionEvent
}

const administrative: ReadonlySet<EventType> = new Set<EventType>([
  'created',
  'locked',
  'unlocked',
  'temporarily_failed',
  'temporarily_timed_out',
  'finished',
  'paused',
  'unpaused',
  'cancel_requested',
  'upgrade_finished',
])

/** Whether the event was caused by user code. */
export function isHistoryEvent(event: ExecutionEvent): event is HistoryEvent {
  return !administrative.has(event.type)
}

/** The wait that an event begins, if it does. */
export function blockingOf(event: ExecutionEvent): Required<Blocking> | undefined {
  if (event.type !== 'join_next' && event.type !== 'wait') return undefined
  const { seenCursor, runExpiresAt } = event
  if (seenCursor === undefined || runExpiresAt === undefined) return undefined
  return { seenCursor, runExpiresAt }
}

/** By how much an event changes the number of asks of a join set. */
export function askOf(
  event: ExecutionEvent,
): { readonly joinSetId: JoinSetId; readonly change: 1 | -1 } | undefined {
  switch (event.type) {
    case 'join_next':
      return { joinSetId: event.joinSetId, change: 1 }
    case 'join_next_try':
      return event.outcome === 'found' ? { joinSetId: event.joinSetId, change: 1 } : undefined
    case 'join_next_withdraw':
      return { joinSetId: event.joinSetId, change: -1 }
    default:
      return undefined
  }
}
