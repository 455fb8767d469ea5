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
  /** In capitals. */
  readonly method: string
  /** Scheme, host and port; empty when the URL could not be read. */
  readonly origin: string
  /** The path, without the query. */
  readonly path: string
  /** Names of the query's keys; the values may be secret. */
  readonly queryKeys: readonly string[]
  /** Status of the response, when there was one. */
  readonly status?: number
  /** Name and codes of the error, when there was no status; messages may quote secrets. */
  readonly error?: string
  /** When it was sent. */
  readonly startedAt: Instant
  /** When the head of the response arrived, or the error; absent while it is under way. */
  readonly finishedAt?: Instant
}

/** The parent of a derived execution. */
export interface ParentRef {
  /** The parent. */
  readonly executionId: ExecutionId
  /** The parent's join set. */
  readonly joinSetId: JoinSetId
}

/** When a scheduled execution or delay was meant to be due, as the code said it. */
export type ScheduleIntent =
  | { readonly type: 'now' }
  | { readonly type: 'at'; readonly at: Instant }
  | { readonly type: 'in'; readonly in: number }

/** What every event has. */
export interface NamedEvent<Type extends string> {
  /** Which event it is. */
  readonly type: Type
}

/** The first event, written by `create` alone. */
export interface CreatedEvent extends NamedEvent<'created'> {
  /** What is executed, in the version that was asked for. */
  readonly function: FunctionId
  /** The input in stored form; absent means `undefined`. */
  readonly input?: Json
  /** Who asked for it; absent for an execution of its own. */
  readonly parent?: ParentRef
  /** Not to begin before this instant. */
  readonly scheduledAt: Instant
  /** The deployment that created it. */
  readonly deploymentId: DeploymentId
  /** Texts that travel with the execution: tracing and the like. */
  readonly metadata?: Readonly<Record<string, string>>
  /** The workflow that scheduled this as a detached execution. */
  readonly scheduledBy?: ExecutionId
}

/** An executor took the execution for a limited time, or extended its lock. */
export interface LockedEvent extends NamedEvent<'locked'> {
  /** Who took it. */
  readonly executorId: ExecutorId
  /** The poll that took it; the same when the lock is extended. */
  readonly runId: RunId
  /** The deployment of the executor. */
  readonly deploymentId: DeploymentId
  /** From then on the timers watcher may free it. */
  readonly lockExpiresAt: Instant
  /** Copied into the state row, so that the timers watcher needs no code to judge a timeout. */
  readonly retry: RetryPolicy
  /** The version of the code that runs. */
  readonly functionVersion: string
}

/** The lock was given back without a counted failure. */
export interface UnlockedEvent extends NamedEvent<'unlocked'> {
  /** The next instant at which the execution is due. */
  readonly dueAt: Instant
  /** Why, for people. */
  readonly reason: string
}

/** An attempt failed and will be repeated. */
export interface TemporarilyFailedEvent extends NamedEvent<'temporarily_failed'> {
  /** When the next attempt is due. */
  readonly backoffExpiresAt: Instant
  /** One sentence. */
  readonly reason: string
  /** Longer text, usually a stack; cut at `limits.errorDetailBytes`. */
  readonly detail?: string
  /** What was thrown. */
  readonly error?: StoredError
  /** What was returned as `err`, in stored form. */
  readonly value?: Json
  /** HTTP requests of the attempt. */
  readonly httpTraces?: readonly HttpTrace[]
}

/** An attempt took too long and will be repeated. */
export interface TemporarilyTimedOutEvent extends NamedEvent<'temporarily_timed_out'> {
  /** When the next attempt is due. */
  readonly backoffExpiresAt: Instant
  /** HTTP requests of the attempt. */
  readonly httpTraces?: readonly HttpTrace[]
}

/** The last event of every log. */
export interface FinishedEvent extends NamedEvent<'finished'> {
  /** How the execution ended. */
  readonly outcome: StoredOutcome
  /** HTTP requests of the attempt. */
  readonly httpTraces?: readonly HttpTrace[]
}

/** Nobody may lock the execution until it is unpaused. */
export interface PausedEvent extends NamedEvent<'paused'> {
  /** Absent when a person asked for it. */
  readonly reason?: string
}

/** A pause ended. */
export type UnpausedEvent = NamedEvent<'unpaused'>

/** From here on no run may append; the timers watcher closes what is open. */
export interface CancelRequestedEvent extends NamedEvent<'cancel_requested'> {
  /** The text given at `cancel`. */
  readonly reason?: string
}

/** A run of another version was replayed against today's code: taken over, or left alone. */
export interface UpgradeFinishedEvent extends NamedEvent<'upgrade_finished'> {
  /** The version that was tried. */
  readonly functionVersion: string
  /** The deployment of the executor. */
  readonly deploymentId: DeploymentId
  /** Whether today's code agrees with the log. */
  readonly result: 'success' | 'failed'
  /** Where the two part, when they do. */
  readonly reason?: string
}

/** Where in the code of a workflow a call stands. */
export interface SourcePlace {
  /** The file: relative to the folder in which the engine was started, where it lies below that. */
  readonly file: string
  /** The line, from 1. */
  readonly line: number
  /** The column, from 1. */
  readonly column: number
  /** Names the text of the file as it was then; `engine.source(hash)` gives it. */
  readonly hash: string
}

/** What every event of a function's own history carries: its place in the order of calls. */
export interface CallEvent<Type extends string> extends NamedEvent<Type> {
  /** Sequence number of the context call, in call order. */
  readonly seq: number
  /** Where the call stands in the code; with `sourceLines` only, and never compared on replay. */
  readonly source?: SourcePlace
}

/** A call that has to do with a join set. */
export interface JoinSetEvent<Type extends string> extends CallEvent<Type> {
  /** The join set. */
  readonly joinSetId: JoinSetId
}

/** A join set was opened. */
export interface JoinSetCreateEvent extends JoinSetEvent<'join_set_create'> {
  /** What becomes of its other children when one fails. */
  readonly onFailure?: 'collect' | 'cancel' | 'ignore'
  /** What becomes of open children when it closes. */
  readonly onClose?: 'cancel' | 'await' | 'abandon'
  /** How many children may run at once; absent: all of them. */
  readonly concurrency?: number
}

/** A child execution was asked for; created in the same transaction when `result` is `ok`. */
export interface ChildRequestEvent extends JoinSetEvent<'join_set_request'> {
  /** What was asked for. */
  readonly kind: 'child'
  /** The child. */
  readonly childExecutionId: ExecutionId
  /** What it executes. */
  readonly function: FunctionId
  /** Its input in stored form; absent means `undefined`. */
  readonly input?: Json
  /**
   * Hash of the canonical form of what the code passed, where the schema of the function made
   * something else of it: replay compares that, and never asks the schema again.
   */
  readonly givenHash?: number
  /** Whether it was created, or why not. */
  readonly result: 'ok' | 'function_not_found' | 'invalid_input'
  /** What is wrong with the input, for people. */
  readonly reason?: string
}

/** A delay was asked for. */
export interface DelayRequestEvent extends JoinSetEvent<'join_set_request'> {
  /** What was asked for. */
  readonly kind: 'delay'
  /** The delay. */
  readonly delayId: DelayId
  /** When it fires; recorded, and never compared on replay. */
  readonly dueAt: Instant
  /** When it was meant to be, as the code said it. */
  readonly intent: ScheduleIntent
  /** Does not fire until it is unpaused. */
  readonly paused?: boolean
}

/** Where a run stopped to wait: both or neither. */
export interface Blocking {
  /** Responses up to here have been seen by the run. */
  readonly seenCursor?: Cursor
  /** Until then the execution stays with its run. */
  readonly runExpiresAt?: Instant
}

/**
 * An ask: one wish for the next response of a join set. The k-th ask is answered by the k-th
 * response. With `seenCursor` and `runExpiresAt` the run blocks as well.
 */
export interface JoinNextEvent extends JoinSetEvent<'join_next'>, Blocking {
  /** Asked by the closing of the set, not by user code. */
  readonly closing: boolean
  /** The function whose answer is awaited, when the code says which. */
  readonly requestedFunction?: string
}

/** A look without waiting; `found` counts as an ask. */
export interface JoinNextTryEvent extends JoinSetEvent<'join_next_try'> {
  /** What the look came to. */
  readonly outcome: 'found' | 'pending' | 'all_processed'
}

/** An ask beyond what was submitted; nobody will answer. */
export interface JoinNextTooManyEvent extends JoinSetEvent<'join_next_too_many'> {
  /** The function whose answer is awaited, when the code says which. */
  readonly requestedFunction?: string
}

/** An unanswered ask was given up, so that it does not swallow a later response. */
export type JoinNextWithdrawEvent = JoinSetEvent<'join_next_withdraw'>

/** The run blocks without a new ask. */
export interface WaitEvent extends NamedEvent<'wait'>, Required<Blocking> {}

/** A local step of a workflow ended; committed before the code goes on. */
export interface StepFinishedEvent extends CallEvent<'step_finished'> {
  /** Its name in the code. */
  readonly name: string
  /** How it ended. */
  readonly outcome: StoredOutcome
  /** The last response delivered before the step's end was. */
  readonly afterCursor: Cursor
}

/** An attempt of a local step failed and will be repeated. */
export interface StepFailedEvent extends CallEvent<'step_failed'> {
  /** Its name in the code. */
  readonly name: string
  /** The number of the attempt, from 1. */
  readonly attempt: number
  /** When the next attempt is due. */
  readonly dueAt: Instant
  /** One sentence. */
  readonly reason: string
  /** Longer text, usually a stack; cut at `limits.errorDetailBytes`. */
  readonly detail?: string
}

/** A detached execution was asked for. */
export interface ScheduleEvent extends CallEvent<'schedule'> {
  /** The new execution. */
  readonly executionId: ExecutionId
  /** What it executes. */
  readonly function: FunctionId
  /** Its input in stored form; absent means `undefined`. */
  readonly input?: Json
  /** When it is meant to begin, as the code said it. */
  readonly intent: ScheduleIntent
  /** Hash of what the code passed; see `ChildRequestEvent`. */
  readonly givenHash?: number
  /** Whether it was created, or why not. */
  readonly result: 'ok' | 'function_not_found' | 'invalid_input'
  /** What is wrong with the input, for people. */
  readonly reason?: string
}

/** A stub was completed by a workflow. */
export interface StubEvent extends CallEvent<'stub'> {
  /** The stub. */
  readonly targetExecutionId: ExecutionId
  /** Hash of the canonical outcome, so that replay can compare it. */
  readonly outcomeHash: number
  /** Whether it ended with this outcome, or why not. */
  readonly result: 'ok' | 'execution_not_found' | 'conflict'
}

/** The code took the new side of `patched(id)`. */
export interface PatchedEvent extends CallEvent<'patched'> {
  /** The name of the change. */
  readonly patchId: string
}

/** A durable machine took one event, as one pure macrostep. */
export interface MacrostepEvent extends CallEvent<'macrostep'> {
  /** The response that was consumed; absent for the first step. */
  readonly cursor?: Cursor
  /** The event that the machine took, in stored form. */
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
  if (event.type === 'join_next') return { joinSetId: event.joinSetId, change: 1 }
  if (event.type === 'join_next_withdraw') return { joinSetId: event.joinSetId, change: -1 }
  if (event.type !== 'join_next_try') return undefined
  return event.outcome === 'found' ? { joinSetId: event.joinSetId, change: 1 } : undefined
}
