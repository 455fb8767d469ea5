/**
 * The port between an executor and whoever really runs a function: what a run is given, and every
 * way in which it can end.
 */

import type { Json, JsonObject } from '../base/json.ts'
import type { Instant, Milliseconds } from '../base/time.ts'
import type {
  CreatedEvent,
  Cursor,
  ExecutionEvent,
  HttpTrace,
  LoggedEvent,
  Version,
} from '../model/event.ts'
import type { DelayId, DeploymentId, ExecutionId } from '../model/ids.ts'
import type { StoredError } from '../model/outcome.ts'
import type { ExecutionState, LockedState } from '../model/state.ts'
import type { CreateRequest } from '../storage/create.ts'
import type { ListedResponse } from '../storage/read.ts'
import type { LogLevel } from '../storage/run-log.ts'

/**
 * Why a run should end: its time is up, the execution was cancelled, somebody else took over, the
 * engine wants to stop (there is still a moment to finish), the moment has passed.
 */
export type AbortReason = 'timed_out' | 'cancelled' | 'superseded' | 'stopping' | 'released'

/** What a worker is given for one run. */
export interface Run {
  readonly executionId: ExecutionId
  readonly created: CreatedEvent
  /** The state when the lock was taken. */
  readonly state: LockedState
  /** The number of this attempt, from 1. */
  readonly attempt: number
  /** When the attempt's time is up. */
  readonly deadline: Instant
  /** Whether a failure of this attempt would be repeated. */
  readonly canRetry: boolean
  /** Why the run should end, once it should. */
  readonly abortReason: () => AbortReason | undefined
  /** Called at once, each time the run is told to end. One listener: the worker. */
  readonly onAbort: (listener: (reason: AbortReason) => void) => void
  /** Extends the lock if that is due; rejects with `lock_lost` once it is lost. */
  readonly heartbeat: () => Promise<void>
  /** Keeps a line with the run. Never waits, never throws. */
  readonly log: (level: LogLevel, message: string, fields?: JsonObject) => void
  /** Reports user code that goes on after its run has ended. */
  readonly onStraggler: (end: Promise<unknown>) => void
  /** The engine takes no new work: whoever can stop without losing anything should. */
  readonly isClosing: () => boolean
  /** Log and inbox; functions without a history of their own leave it alone. */
  readonly history: RunHistory
}

/** The log and the inbox of an execution, as a run that holds its lock sees them. */
export interface RunHistory {
  /** All events from this version on, ascending. */
  readonly readEvents: (from: Version) => Promise<readonly LoggedEvent[]>
  /** All responses beyond this cursor, ascending. */
  readonly readResponses: (after: Cursor) => Promise<readonly ListedResponse[]>
  /**
   * Appends what a run did, all or nothing, and again while the storage is away. `undefined`
   * when the lock is lost: the run has been told so. Progress begins the attempt's time anew.
   */
  readonly append: (writes: RunWrites, createdAt: Instant) => Promise<ExecutionState | undefined>
  /** Nothing may be recorded for this long from now on, and that is no reason to end the run. */
  readonly expectSilence: (duration: Milliseconds) => void
  /** Calls back whenever a response may have arrived. One listener: the worker. */
  readonly onResponse: (listener: () => void) => void
}

/** What one or more turns of a run wrote, for one transaction. */
export interface RunWrites {
  /** In order; a blocking event may only be the last. */
  readonly events: readonly ExecutionEvent[]
  /** Children and detached executions. */
  readonly creations: readonly CreateRequest[]
  /** Children that are cancelled, after the events. */
  readonly cancelledChildren: readonly ExecutionId[]
  /** Delays that are cancelled, after the events. */
  readonly cancelledDelays: readonly DelayId[]
}

/** Every way in which a run can end. Values are in stored form. */
export type WorkerResult =
  /** The function said yes or no. */
  | {
      readonly type: 'run_finished'
      readonly outcome:
        | { readonly type: 'ok'; readonly value?: Json }
        | { readonly type: 'err'; readonly value?: Json }
      /** An `err` that must not be retried. */
      readonly permanent?: boolean
      readonly httpTraces?: readonly HttpTrace[]
    }
  /** The log already says how this ended, or where it waits. */
  | { readonly type: 'already_written' }
  /** The engine stops; the attempt does not count. */
  | { readonly type: 'executor_closing' }
  /** The attempt's time is up. */
  | { readonly type: 'temporary_timeout'; readonly httpTraces?: readonly HttpTrace[] }
  /** An activity threw. */
  | {
      readonly type: 'activity_trap'
      readonly reason: string
      readonly detail?: string
      readonly error?: StoredError
      readonly permanent?: boolean
      readonly httpTraces?: readonly HttpTrace[]
    }
  /** A limit of this process was hit; the attempt does not count. */
  | { readonly type: 'limit_reached'; readonly reason: string }
  /** A person has to look at it before it can go on. */
  | { readonly type: 'needs_attention'; readonly reason: string }
  /** The log is of another version, and today's code does not agree with it. */
  | {
      readonly type: 'upgrade_failed'
      readonly functionVersion: string
      readonly deploymentId: DeploymentId
      readonly reason: string
    }
  /** No repetition can help. */
  | {
      readonly type: 'fatal_error'
      readonly fatal: FatalError
      readonly httpTraces?: readonly HttpTrace[]
    }

/** What no repetition can help. */
export type FatalError =
  | { readonly type: 'nondeterminism_detected'; readonly detail: string }
  /** The stored input cannot be read by the function. */
  | { readonly type: 'input_unreadable'; readonly reason: string; readonly detail?: string }
  /** The result cannot be stored; the effects have happened. */
  | { readonly type: 'result_not_storable'; readonly reason: string; readonly detail?: string }
  | { readonly type: 'constraint_violation'; readonly reason: string }
  | {
      readonly type: 'workflow_trap'
      readonly reason: string
      readonly detail?: string
      readonly error?: StoredError
    }

/** Runs functions of one kind. */
export interface Worker {
  /**
   * Runs to an end. May reject or never resolve: the engine treats a rejection as a trap, and goes
   * on without the run when it was aborted.
   */
  readonly run: (run: Run) => Promise<WorkerResult>
}
