/** States and events for tests, by name. Each builder asks only for what the test is about. */

import type { ExecutionEvent, LockedEvent } from '../../../src/model/event.ts'
import type { FunctionId } from '../../../src/model/function-id.ts'
import {
  delayId,
  type ExecutionId,
  newDeploymentId,
  newExecutionId,
  newExecutorId,
  newRunId,
} from '../../../src/model/ids.ts'
import { type JoinSetId, joinSetId } from '../../../src/model/join-set.ts'
import type {
  BlockedState,
  FinishedState,
  LockedState,
  LockOwner,
  PendingState,
  StateBase,
} from '../../../src/model/state.ts'

const ulid = '01ARZ3NDEKTSV4RRFFQ69G5FAV'
const otherUlid = '01BX5ZZKBKACTAV9WEVGEMMVRZ'

/** The instant at which events of these tests happen. */
export const now = 1000

export const executionId: ExecutionId = newExecutionId(ulid)
export const deployment = newDeploymentId(ulid)
export const workflow: FunctionId = { kind: 'workflow', name: 'flow', version: '1' }

/** The run whose events are offered. */
export const me: LockOwner = { executorId: newExecutorId(ulid), runId: newRunId(ulid) }
/** A later run of the same executor. */
const myOtherRun: LockOwner = { ...me, runId: newRunId(otherUlid) }
/** Somebody else. */
export const stranger: LockOwner = {
  executorId: newExecutorId(otherUlid),
  runId: newRunId(otherUlid),
}

/** The id of a named join set. */
export function named(name: string): JoinSetId {
  const id = joinSetId('named', name)
  if (!id.ok) throw new TypeError(`bad fixture: ${name}`)
  return id.value
}

export const boxes: JoinSetId = named('boxes')

const base: StateBase = {
  executionId,
  function: workflow,
  version: 7,
  createdAt: 10,
  firstScheduledAt: 20,
  deploymentId: deployment,
  failures: 2,
}

type Fields<State> = Partial<Omit<State, 'status'>>

export function pending(fields: Fields<PendingState> = {}): PendingState {
  return {
    ...base,
    status: 'pending_at',
    scheduledAt: 900,
    paused: false,
    cancelling: false,
    ...fields,
  }
}

export function locked(fields: Fields<LockedState> = {}): LockedState {
  return {
    ...base,
    status: 'locked',
    lockExpiresAt: 4000,
    lastLockVersion: 7,
    lastOwner: me,
    retry: { maxRetries: 3, backoff: 50 },
    paused: false,
    cancelling: false,
    ...fields,
  }
}

export function blocked(fields: Fields<BlockedState> = {}): BlockedState {
  return {
    ...base,
    status: 'blocked',
    seenCursor: 5,
    runExpiresAt: 3000,
    lastOwner: me,
    paused: false,
    cancelling: false,
    ...fields,
  }
}

export function finished(fields: Fields<FinishedState> = {}): FinishedState {
  return { ...base, status: 'finished', finishedAt: 990, outcomeType: 'ok', ...fields }
}

export function lock(fields: Partial<LockedEvent> = {}): LockedEvent {
  return {
    type: 'locked',
    ...me,
    deploymentId: deployment,
    lockExpiresAt: 9000,
    retry: { maxRetries: 5, backoff: 100 },
    functionVersion: '1',
    ...fields,
  }
}

const childExecutionId = newExecutionId(otherUlid)
const called = { seq: 1, joinSetId: boxes }

/** One event of every kind, and of those that matter to the table every variant. */
export const events = {
  created: { type: 'created', function: workflow, scheduledAt: 0, deploymentId: deployment },
  locked: lock(),
  locked_no_time: lock({ lockExpiresAt: now }),
  unlocked_early: { type: 'unlocked', dueAt: 2000, reason: 'closing' },
  unlocked_equal: { type: 'unlocked', dueAt: 3000, reason: 'closing' },
  unlocked_late: { type: 'unlocked', dueAt: 6000, reason: 'closing' },
  temporarily_failed: { type: 'temporarily_failed', backoffExpiresAt: 1500, reason: 'trap' },
  temporarily_timed_out: { type: 'temporarily_timed_out', backoffExpiresAt: 1500 },
  finished_ok: { type: 'finished', outcome: { type: 'ok', value: 1 } },
  finished_err: { type: 'finished', outcome: { type: 'err', value: 1 } },
  finished_cancelled: {
    type: 'finished',
    outcome: { type: 'execution_failure', kind: 'cancelled' },
  },
  finished_timed_out: {
    type: 'finished',
    outcome: { type: 'execution_failure', kind: 'timed_out' },
  },
  paused: { type: 'paused' },
  unpaused: { type: 'unpaused' },
  cancel_requested: { type: 'cancel_requested' },
  upgrade_success: {
    type: 'upgrade_finished',
    functionVersion: '2',
    deploymentId: deployment,
    result: 'success',
  },
  upgrade_failed: {
    type: 'upgrade_finished',
    functionVersion: '2',
    deploymentId: deployment,
    result: 'failed',
  },
  join_set_create: { type: 'join_set_create', ...called },
  child_request: {
    type: 'join_set_request',
    kind: 'child',
    ...called,
    childExecutionId,
    function: workflow,
    result: 'ok',
  },
  delay_request: {
    type: 'join_set_request',
    kind: 'delay',
    ...called,
    delayId: delayId({ parentId: executionId, joinSetId: boxes, index: 1 }),
    dueAt: 5000,
    intent: { type: 'now' },
  },
  join_next: { type: 'join_next', ...called, closing: false },
  join_next_half: { type: 'join_next', ...called, closing: false, seenCursor: 5 },
  join_next_waiting: {
    type: 'join_next',
    ...called,
    closing: true,
    seenCursor: 6,
    runExpiresAt: 1700,
  },
  join_next_try: { type: 'join_next_try', ...called, outcome: 'found' },
  join_next_too_many: { type: 'join_next_too_many', ...called },
  join_next_withdraw: { type: 'join_next_withdraw', ...called },
  wait: { type: 'wait', seenCursor: 6, runExpiresAt: 1700 },
  step_finished: {
    type: 'step_finished',
    seq: 1,
    name: 'quote',
    outcome: { type: 'ok' },
    afterCursor: 0,
  },
  step_failed: {
    type: 'step_failed',
    seq: 1,
    name: 'quote',
    attempt: 1,
    dueAt: 2000,
    reason: 'no',
  },
  schedule: {
    type: 'schedule',
    seq: 1,
    executionId: childExecutionId,
    function: workflow,
    intent: { type: 'now' },
    result: 'ok',
  },
  stub: {
    type: 'stub',
    seq: 1,
    targetExecutionId: childExecutionId,
    outcomeHash: 1,
    result: 'ok',
  },
  patched: { type: 'patched', seq: 1, patchId: 'p' },
  macrostep: { type: 'macrostep', seq: 1, stateHash: 1 },
} as const satisfies Readonly<Record<string, ExecutionEvent>>

/** The name of an event above. */
export type EventName = keyof typeof events

/** Every state that the table tells apart, by the name of its column. */
export const states = {
  P_due: pending({ scheduledAt: now }),
  P_new: pending({ scheduledAt: 5000 }),
  P_mine: pending({ scheduledAt: 5000, lastOwner: me }),
  P_run: pending({ scheduledAt: 5000, lastOwner: myOtherRun }),
  P_other: pending({ scheduledAt: 5000, lastOwner: stranger }),
  L_mine: locked(),
  L_late: locked({ lockExpiresAt: 999 }),
  L_run: locked({ lastOwner: myOtherRun }),
  L_other: locked({ lastOwner: stranger }),
  L_free: locked({ lastOwner: stranger, lockExpiresAt: 999 }),
  B: blocked(),
  B_other: blocked({ lastOwner: stranger, runExpiresAt: 1000 }),
  XP_due: pending({ scheduledAt: now, paused: true }),
  XP: pending({ scheduledAt: 5000, paused: true, lastOwner: me }),
  XB: blocked({ paused: true }),
  CP: pending({ cancelling: true }),
  CL: locked({ cancelling: true }),
  CB: blocked({ cancelling: true }),
  CXP: pending({ cancelling: true, paused: true, scheduledAt: 5000 }),
  CXB: blocked({ cancelling: true, paused: true }),
  F: finished(),
} as const

/** The name of a state above. */
export type StateName = keyof typeof states

/** All names of events. */
export const eventNames = Object.keys(events).filter(isEventName)

/** All names of states. */
export const stateNames = Object.keys(states).filter(isStateName)

export function isEventName(name: string): name is EventName {
  return Object.hasOwn(events, name)
}

export function isStateName(name: string): name is StateName {
  return Object.hasOwn(states, name)
}
