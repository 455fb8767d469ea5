/**
 * The port between an executor and whoever really runs a function: what a run is given, and every
 * way in which it can end.
 */

import type { Json, JsonObject } from '../base/json.ts'
import type { Instant } from '../base/time.ts'
import type { CreatedEvent, HttpTrace } from '../model/event.ts'
import type { ExecutionId } from '../model/ids.ts'
import type { StoredError } from '../model/outcome.ts'
import type { LockedState } from '../model/state.ts'
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
