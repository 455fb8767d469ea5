/** What log and inbox of an execution amount to: the state row, as data. Derived, never edited. */

import type { Instant } from '../base/time.ts'
import type { Cursor, ParentRef, Version } from './event.ts'
import type { FunctionId } from './function-id.ts'
import type { DeploymentId, ExecutionId, ExecutorId, RunId } from './ids.ts'
import type { FailureKind, Outcome } from './outcome.ts'
import type { RetryPolicy } from './retry.ts'

/** Who holds, or last held, the lock. */
export interface LockOwner {
  readonly executorId: ExecutorId
  readonly runId: RunId
}

/** What every state has. */
export interface StateBase {
  readonly executionId: ExecutionId
  /** Identity of the function; the version is the one the execution runs under. */
  readonly function: FunctionId
  readonly parent?: ParentRef | undefined
  /** Version of the last event. */
  readonly version: Version
  readonly createdAt: Instant
  /** When the execution was first meant to start. */
  readonly firstScheduledAt: Instant
  readonly deploymentId: DeploymentId
  /** Counted failures and timeouts; only ever grows. `attempt` is one more. */
  readonly failures: number
}

/** What an unfinished state has besides. */
export interface UnfinishedBase extends StateBase {
  readonly paused: boolean
  /** A cancellation was requested: only its completion may still be appended. */
  readonly cancelling: boolean
  /** Survives until the end, so that a run can extend its own lock after a wait. */
  readonly lastOwner?: LockOwner | undefined
  /** A version of the function that was tried on this log and does not fit. */
  readonly incompatibleVersion?: string | undefined
}

/**
 * Due at an instant. Entered by `created`, `unlocked`, `temporarily_failed`,
 * `temporarily_timed_out`, an answered wait, a response; left by `locked`, `finished`.
 */
export interface PendingState extends UnfinishedBase {
  readonly status: 'pending_at'
  readonly scheduledAt: Instant
}

/** Held by a run until `lockExpiresAt`. Entered by `locked`. Never paused. */
export interface LockedState extends UnfinishedBase {
  readonly status: 'locked'
  readonly lockExpiresAt: Instant
  /** Version of the last `locked` event, extensions included. */
  readonly lastLockVersion: Version
  readonly lastOwner: LockOwner
  readonly retry: RetryPolicy
}

/** Waiting for a response beyond `seenCursor` that answers an ask. Entered by a blocking event. */
export interface BlockedState extends UnfinishedBase {
  readonly status: 'blocked'
  readonly seenCursor: Cursor
  /** Others may not take the execution before this instant, even when it is answered. */
  readonly runExpiresAt: Instant
}

/** The log is closed. */
export interface FinishedState extends StateBase {
  readonly status: 'finished'
  readonly finishedAt: Instant
  readonly outcomeType: Outcome['type']
  readonly failureKind?: FailureKind | undefined
}

/** The state of an execution that has not ended. */
export type UnfinishedState = PendingState | LockedState | BlockedState

/** The state of an execution. */
export type ExecutionState = UnfinishedState | FinishedState

/** The names of the states. */
export type ExecutionStatus = 'pending_at' | 'locked' | 'blocked' | 'finished'

/** All names of states. */
export const executionStatuses: readonly ExecutionStatus[] = [
  'pending_at',
  'locked',
  'blocked',
  'finished',
]

/** The number of the attempt that runs now, or would run next. */
export function attemptOf(state: ExecutionState): number {
  return state.failures + 1
}
