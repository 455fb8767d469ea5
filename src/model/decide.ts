/**
 * The transition table. It lives here and nowhere else: what each event means in each state, and
 * what is refused. `machines/execution.ts` draws it from the same guards; storage only obeys.
 */

import { unreachable } from '../base/assert.ts'
import { accept, type Result, refuse } from '../base/result.ts'
import type { Instant } from '../base/time.ts'
import {
  askOf,
  blockingOf,
  type CreatedEvent,
  type ExecutionEvent,
  type FinishedEvent,
  type HistoryEvent,
  isHistoryEvent,
  type LockedEvent,
  type UnlockedEvent,
  type UpgradeFinishedEvent,
  type Version,
} from './event.ts'
import type { ExecutionId } from './ids.ts'
import { illegal, type Refusal } from './refusal.ts'
import type {
  BlockedState,
  ExecutionState,
  FinishedState,
  LockedState,
  LockOwner,
  PendingState,
  StateBase,
  UnfinishedBase,
  UnfinishedState,
} from './state.ts'

/** One event, offered to a state. */
export interface Proposal {
  readonly event: ExecutionEvent
  readonly createdAt: Instant
  /** The version the writer believes to be next. */
  readonly version: Version
  /**
   * For events with a wait (`waitAfter`): when the first response beyond `seenCursor` that answers
   * an ask, this event's own included, arrived; `undefined` if there is none.
   */
  readonly answeredAt?: Instant | undefined
}

/** The next state, or why not. */
export type Decision = Result<ExecutionState, Refusal>

/** The state of an execution that has just been created. */
export function decideCreated(
  executionId: ExecutionId,
  event: CreatedEvent,
  createdAt: Instant,
): PendingState {
  return {
    status: 'pending_at',
    executionId,
    function: event.function,
    parent: event.parent,
    version: 0,
    createdAt,
    firstScheduledAt: event.scheduledAt,
    deploymentId: event.deploymentId,
    failures: 0,
    paused: false,
    cancelling: false,
    scheduledAt: event.scheduledAt,
  }
}

/** The version that an append to this state must carry; a finished log has no next one. */
export function nextVersion(state: ExecutionState): Version {
  return state.status === 'finished' ? state.version : state.version + 1
}

/**
 * What an event does to a state. The order of checks is part of the contract: lock admissibility
 * comes before the version, `already_finished` before it too, everything else after.
 */
export function decideEvent(state: ExecutionState, proposal: Proposal): Decision {
  const { event } = proposal
  if (event.type === 'created') return refuse({ kind: 'invalid', reason: 'created_by_append' })
  const refusal =
    event.type === 'locked'
      ? (refuseLock(state, event, proposal.createdAt) ?? refuseVersion(state, proposal))
      : (refuseFinished(state) ?? refuseVersion(state, proposal))
  if (refusal !== undefined) return refuse(refusal)
  if (state.status === 'finished')
    return refuse({ kind: 'already_finished', version: state.version })
  if (state.cancelling && !isCancellation(event)) return refuse(illegal('cancelling'))
  if (isHistoryEvent(event)) return accept(block(state, event, proposal.answeredAt))
  return transition(state, event, proposal)
}

/** Events of the engine and of its users; what user code did is not among them. */
type LifecycleEvent = Exclude<ExecutionEvent, CreatedEvent | HistoryEvent>

function transition(state: UnfinishedState, event: LifecycleEvent, proposal: Proposal): Decision {
  switch (event.type) {
    case 'locked':
      return accept(toLocked(state, event))
    case 'unlocked':
      return unlock(state, event)
    case 'temporarily_failed':
    case 'temporarily_timed_out':
      return accept(countFailure(state, event.backoffExpiresAt))
    case 'finished':
      return accept(toFinished(state, event, proposal.createdAt))
    case 'paused':
      return pause(state)
    case 'unpaused':
      return unpause(state)
    case 'cancel_requested':
      return accept({ ...advance(state), cancelling: true })
    case 'upgrade_finished':
      return accept(upgrade(advance(state), event))
    default:
      return unreachable(event)
  }
}

/** What a response does to its execution: wakes it when it waits for one like this. */
export function decideResponse(
  state: ExecutionState,
  response: { readonly createdAt: Instant; readonly answersAsk: boolean },
): ExecutionState {
  if (state.status !== 'blocked' || !response.answersAsk) return state
  return {
    ...toPending(state, Math.max(state.runExpiresAt, response.createdAt)),
    version: state.version,
  }
}

// ── guards, shared with machines/execution.ts ───────────────────────────────────────────────────

/** Whether the lock would end after it begins. */
export function hasValidExpiry(event: LockedEvent, createdAt: Instant): boolean {
  return event.lockExpiresAt > createdAt
}

/** Whether executor and run are those of the last lock. */
export function isLastOwner(owner: LockOwner | undefined, event: LockOwner): boolean {
  return owner?.executorId === event.executorId && owner.runId === event.runId
}

/** Whether a pending execution may be locked: due, or held back for this very run. */
export function isLockable(state: PendingState, event: LockedEvent, createdAt: Instant): boolean {
  return state.scheduledAt <= createdAt || isLastOwner(state.lastOwner, event)
}

/** Whether unlocking makes the execution due earlier than it would be anyway. */
export function isEarlier(state: PendingState | BlockedState, event: UnlockedEvent): boolean {
  return event.dueAt < (state.status === 'pending_at' ? state.scheduledAt : state.runExpiresAt)
}

/** Whether the event is the one that may follow `cancel_requested`. */
export function isCancellation(event: ExecutionEvent): boolean {
  return (
    event.type === 'finished' &&
    event.outcome.type === 'execution_failure' &&
    event.outcome.kind === 'cancelled'
  )
}

// ── refusals ────────────────────────────────────────────────────────────────────────────────────

function refuseFinished(state: ExecutionState): Refusal | undefined {
  if (state.status !== 'finished') return undefined
  return { kind: 'already_finished', version: state.version }
}

function refuseVersion(state: ExecutionState, { version }: Proposal): Refusal | undefined {
  const expected = nextVersion(state)
  if (version === expected) return undefined
  return { kind: 'version_conflict', expected, requested: version }
}

/** Why a lock is inadmissible, whatever its version. Expired is not free: the watcher frees it. */
function refuseLock(
  state: ExecutionState,
  event: LockedEvent,
  createdAt: Instant,
): Refusal | undefined {
  if (!hasValidExpiry(event, createdAt)) return { kind: 'invalid', reason: 'expiry_not_after_lock' }
  if (state.status === 'finished') return illegal('finished')
  if (state.cancelling) return illegal('cancelling')
  if (state.paused) return illegal('paused')
  switch (state.status) {
    case 'pending_at':
      if (isLockable(state, event, createdAt)) return undefined
      return { kind: 'invalid', reason: 'not_yet_pending' }
    case 'locked':
      return isLastOwner(state.lastOwner, event) ? undefined : illegal('already_locked')
    case 'blocked':
      return illegal('blocked')
    default:
      return unreachable(state)
  }
}

// ── transitions ─────────────────────────────────────────────────────────────────────────────────

function toLocked(state: UnfinishedState, event: LockedEvent): LockedState {
  const { kind, name } = state.function
  const owner = { executorId: event.executorId, runId: event.runId }
  const base = unfinishedBase(state)
  return {
    status: 'locked',
    lockExpiresAt: event.lockExpiresAt,
    lastLockVersion: state.version + 1,
    retry: event.retry,
    ...base,
    function: { kind, name, version: event.functionVersion },
    deploymentId: event.deploymentId,
    lastOwner: owner,
  }
}

function unlock(state: UnfinishedState, event: UnlockedEvent): Decision {
  if (state.paused) return refuse({ kind: 'unlock_refused', state: 'paused' })
  switch (state.status) {
    case 'locked':
      return accept(toPending(state, event.dueAt))
    case 'pending_at':
      if (isEarlier(state, event)) return accept(toPending(state, event.dueAt))
      return refuse({ kind: 'unlock_refused', state: 'pending' })
    case 'blocked':
      if (isEarlier(state, event)) return accept({ ...advance(state), runExpiresAt: event.dueAt })
      return refuse({ kind: 'unlock_refused', state: 'blocked' })
    default:
      return unreachable(state)
  }
}

function pause(state: UnfinishedState): Decision {
  if (state.paused) return refuse(illegal('paused'))
  if (state.status === 'locked') return refuse(illegal('locked'))
  return accept({ ...advance(state), paused: true })
}

function unpause(state: UnfinishedState): Decision {
  if (!state.paused) return refuse(illegal('not_paused'))
  return accept({ ...advance(state), paused: false })
}

function countFailure(state: UnfinishedState, backoffExpiresAt: Instant): PendingState {
  return { ...toPending(state, backoffExpiresAt), failures: state.failures + 1 }
}

function upgrade(state: UnfinishedState, event: UpgradeFinishedEvent): UnfinishedState {
  if (event.result === 'failed') return { ...state, incompatibleVersion: event.functionVersion }
  const { incompatibleVersion: _cleared, ...rest } = state
  const target = { ...state.function, version: event.functionVersion }
  return { ...rest, function: target, deploymentId: event.deploymentId }
}

/** History events leave the state alone, except that a blocking one waits unless it is answered. */
function block(
  state: UnfinishedState,
  event: HistoryEvent,
  answeredAt: Instant | undefined,
): UnfinishedState {
  const wait = waitAfter(state, event)
  if (wait === undefined) return advance(state)
  if (answeredAt !== undefined) return toPending(state, Math.max(wait.runExpiresAt, answeredAt))
  return { status: 'blocked', ...wait, ...unfinishedBase(state) }
}

/**
 * The wait that has to be judged after this event, by whether a response beyond its cursor answers
 * an ask: one that the event begins, or the one under way when the event adds an ask to it.
 */
export function waitAfter(
  state: ExecutionState,
  event: ExecutionEvent,
): Pick<BlockedState, 'seenCursor' | 'runExpiresAt'> | undefined {
  const begun = blockingOf(event)
  if (begun !== undefined) return begun
  if (state.status !== 'blocked' || askOf(event) === undefined) return undefined
  return { seenCursor: state.seenCursor, runExpiresAt: state.runExpiresAt }
}

function toPending(state: UnfinishedState, scheduledAt: Instant): PendingState {
  return { status: 'pending_at', scheduledAt, ...unfinishedBase(state) }
}

function toFinished(
  state: UnfinishedState,
  event: FinishedEvent,
  finishedAt: Instant,
): FinishedState {
  const { outcome } = event
  return {
    status: 'finished',
    finishedAt,
    outcomeType: outcome.type,
    failureKind: outcome.type === 'execution_failure' ? outcome.kind : undefined,
    ...stateBase(state),
  }
}

function advance<State extends UnfinishedState>(state: State): State {
  return { ...state, version: state.version + 1 }
}

/**
 * What survives every transition, one version on. Fields that are absent are there as `undefined`,
 * and new fields stand before what is spread: adding a field after a spread costs V8 a microsecond
 * each, more than the whole decision.
 */
function stateBase(state: UnfinishedState): StateBase {
  return {
    executionId: state.executionId,
    function: state.function,
    parent: state.parent,
    version: state.version + 1,
    createdAt: state.createdAt,
    firstScheduledAt: state.firstScheduledAt,
    deploymentId: state.deploymentId,
    failures: state.failures,
  }
}

function unfinishedBase(state: UnfinishedState): UnfinishedBase {
  return {
    paused: state.paused,
    cancelling: state.cancelling,
    lastOwner: state.lastOwner,
    incompatibleVersion: state.incompatibleVersion,
    ...stateBase(state),
  }
}
