/** Reasons to end a run: where they come from, and what follows from each. */

import { isSteleError, SteleError } from '../base/error.ts'
import type { ExecutionId } from '../model/ids.ts'
import type { Refusal } from '../model/refusal.ts'
import type { ExecutionState } from '../model/state.ts'
import { isRowFault } from '../storage/row-fault.ts'
import type { AbortReason, WorkerResult } from './worker.ts'

/** What becomes of a run that goes on although it was told to end. */
export function resultWithout(reason: AbortReason): WorkerResult {
  if (reason === 'timed_out') return { type: 'temporary_timeout' }
  return { type: isLost(reason) ? 'already_written' : 'executor_closing' }
}

/** Faults that end by themselves, or when somebody repairs the disk. */
export function isPassing(cause: unknown): boolean {
  return (
    isSteleError(cause, 'storage_unavailable') ||
    isSteleError(cause, 'storage_full') ||
    isSteleError(cause, 'storage_read_only') ||
    // A database that cannot be read at all: somebody puts it right, or nothing works any more.
    (isSteleError(cause, 'storage_corrupt') && !isRowFault(cause))
  )
}

/** After these the run has nothing to say any more. */
export function isLost(reason: AbortReason | undefined): boolean {
  return reason === 'cancelled' || reason === 'superseded'
}

/** After these nothing else can be told. */
export function isFinal(reason: AbortReason | undefined): boolean {
  return isLost(reason) || reason === 'released'
}

/** Why a run should end, when its execution has come to this state. */
export function reasonFor(state: ExecutionState): AbortReason {
  const isCancelled =
    state.status === 'finished' ? state.failureKind === 'cancelled' : state.cancelling
  return isCancelled ? 'cancelled' : 'superseded'
}

/** Why a run should end, when it is refused to write. */
export function reasonOf(refusal: Refusal): AbortReason {
  return refusal.kind === 'illegal_state' && refusal.reason === 'cancelling'
    ? 'cancelled'
    : 'superseded'
}

/** The error for whoever works on without the lock. */
export function lockLost(executionId: ExecutionId): SteleError {
  return new SteleError(
    'lock_lost',
    `The lock of ${executionId} is lost: it was cancelled, or another run has taken over. ` +
      'Stop here; nothing this run returns will be recorded.',
    { fields: { executionId } },
  )
}
