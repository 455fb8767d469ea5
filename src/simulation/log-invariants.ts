/** Invariants of single logs: order, fences, attempts, backoff, and the state row. */

import {
  blockingOf,
  type ExecutionEvent,
  isHistoryEvent,
  type LoggedEvent,
} from '../model/event.ts'
import { backoffLimit, type RetryPolicy } from '../model/retry.ts'
import type { LockedState } from '../model/state.ts'
import type { EventStep, ExecutionChange, Invariant, InvariantView } from './invariant.ts'

/** Asks about each execution that a commit has changed. */
export function ofChanges(
  name: string,
  check: (change: ExecutionChange, view: InvariantView) => string | undefined,
): Invariant {
  return {
    name,
    check: (view) => firstOf(view.changes, (change) => check(change, view)),
  }
}

/** Asks about each event that a commit has added. */
export function ofSteps(
  name: string,
  check: (step: EventStep, change: ExecutionChange, view: InvariantView) => string | undefined,
): Invariant {
  return ofChanges(name, (change, view) =>
    firstOf(change.steps, (step) => check(step, change, view)),
  )
}

/** The first that is wrong. */
export function firstOf<Item>(
  items: readonly Item[],
  find: (item: Item) => string | undefined,
): string | undefined {
  for (const item of items) {
    const found = find(item)
    if (found !== undefined) return found
  }
  return undefined
}

const show = (id: string, { version, event }: LoggedEvent): string =>
  `${id} v${version} ${event.type}`

const denseVersions = ofChanges('versions are dense', ({ executionId, execution }) => {
  const { events, state } = execution
  const wrong = events.findIndex(({ version }, index) => version !== index)
  if (wrong >= 0) return `${executionId} has version ${events[wrong]?.version} at place ${wrong}`
  if (state.version === events.length - 1) return undefined
  const last = events.length - 1
  return `the row of ${executionId} says version ${state.version}, its log ends at ${last}`
})

const createdFirst = ofSteps('created comes first, and once', ({ entry }, { executionId }) =>
  (entry.event.type === 'created') === (entry.version === 0) ? undefined : show(executionId, entry),
)

const finishedLast = ofSteps('nothing follows finished', ({ entry, before }, { executionId }) =>
  before?.status === 'finished' ? `${show(executionId, entry)} after the end` : undefined,
)

const rowIsFold = ofChanges('the state row is the fold of log and inbox', (change) => {
  const { executionId, folded, execution } = change
  if (isSame(execution.state, folded)) return undefined
  return [
    `the row of ${executionId} and the fold of its log differ:`,
    `  row  ${JSON.stringify(execution.state)}`,
    `  fold ${JSON.stringify(folded)}`,
  ].join('\n')
})

/** Whether two values say the same; what is absent and what is undefined are one. */
function isSame(left: unknown, right: unknown): boolean {
  if (Object.is(left, right)) return true
  if (typeof left !== 'object' || typeof right !== 'object') return false
  if (left === null || right === null) return false
  const keys = new Set([...Object.keys(left), ...Object.keys(right)])
  return [...keys].every((key) => isSame(Reflect.get(left, key), Reflect.get(right, key)))
}

const oneHolder = ofSteps(
  'no lock is taken while somebody holds it',
  ({ entry, before }, { executionId }) => {
    const { event } = entry
    if (event.type !== 'locked' || before?.status !== 'locked') return undefined
    const { runId, executorId } = before.lastOwner
    if (runId === event.runId && executorId === event.executorId) return undefined
    return `${show(executionId, entry)} by ${event.runId}, while ${runId} holds it`
  },
)

/** Needs to learn which process runs an executor: whoever commits its locks. */
function createFence(): readonly Invariant[] {
  const processes = new Map<string, string>()
  const learn = ofSteps('executors belong to one process', ({ entry }, _change, { process }) => {
    const { event } = entry
    if (event.type !== 'locked') return undefined
    const known = processes.get(event.executorId) ?? process
    processes.set(event.executorId, process)
    return known === process
      ? undefined
      : `executor ${event.executorId} writes from ${known} and from ${process}`
  })
  const fence = ofSteps(
    'only the holder of the lock writes history',
    ({ entry, before }, { executionId }, { process }) => {
      if (!isHistoryEvent(entry.event)) return undefined
      if (before?.status !== 'locked') {
        return `${show(executionId, entry)} while it is ${before?.status ?? 'not there'}`
      }
      const holder = processes.get(before.lastOwner.executorId) ?? process
      return holder === process
        ? undefined
        : `${show(executionId, entry)} is written by ${process}; ${holder} holds the lock`
    },
  )
  const holderOf = (before: LockedState, process: string): string =>
    processes.get(before.lastOwner.executorId) ?? process
  return [learn, fence, resultsAreFenced(holderOf), locksAreKept(holderOf)]
}

/** Names the process that holds this lock; the process given, when nobody has seen it locked. */
type HolderOf = (before: LockedState, process: string) => string

function resultsAreFenced(holderOf: HolderOf): Invariant {
  return ofSteps(
    'only the holder of the lock writes its result',
    ({ entry, before }, { executionId }, { process }) => {
      if (before === undefined || before.status === 'finished' || !isOwnResult(entry.event)) {
        return undefined
      }
      // Stubs are completed from outside, and nobody ever locks them.
      if (before.lastOwner === undefined) return undefined
      if (before.status !== 'locked') return `${show(executionId, entry)} while ${before.status}`
      const holder = holderOf(before, process)
      return holder === process
        ? undefined
        : `${show(executionId, entry)} is written by ${process}; ${holder} holds the lock`
    },
  )
}

/** Whether this is what the code of a run came to, which nobody else can know. */
function isOwnResult(event: ExecutionEvent): boolean {
  if (event.type === 'temporarily_failed') return true
  if (event.type !== 'finished') return false
  return event.outcome.type !== 'execution_failure' || event.outcome.kind === 'uncategorized'
}

function locksAreKept(holderOf: HolderOf): Invariant {
  return ofSteps(
    'others free a lock only when it has run out',
    ({ entry, before }, { executionId }, { process }) => {
      if (before?.status !== 'locked' || !frees(entry.event)) return undefined
      if (holderOf(before, process) === process) return undefined
      return entry.createdAt >= before.lockExpiresAt
        ? undefined
        : `${show(executionId, entry)} at ${entry.createdAt}, locked until ${before.lockExpiresAt}`
    },
  )
}

/** Whether it ends a run from outside; a pause may do so at any time. */
function frees(event: ExecutionEvent): boolean {
  if (event.type === 'temporarily_timed_out') return true
  if (event.type === 'unlocked') return event.reason !== 'paused'
  return (
    event.type === 'finished' &&
    event.outcome.type === 'execution_failure' &&
    event.outcome.kind === 'timed_out'
  )
}

const notTooEarly = ofSteps('nothing is locked before it is due', ({ entry, before }, change) => {
  const { event, createdAt } = entry
  if (event.type !== 'locked' || before?.status !== 'pending_at') return undefined
  // The run that had it may take it back before others may.
  if (before.lastOwner?.runId === event.runId || createdAt >= before.scheduledAt) return undefined
  return `${show(change.executionId, entry)} at ${createdAt}, due at ${before.scheduledAt}`
})

const notWhilePaused = ofSteps(
  'nothing is locked while it is paused',
  ({ entry, before }, change) =>
    entry.event.type === 'locked' && before !== undefined && 'paused' in before && before.paused
      ? show(change.executionId, entry)
      : undefined,
)

const nothingAfterCancel = ofSteps(
  'after a cancellation no run writes',
  ({ entry, before }, { executionId }) => {
    if (before === undefined || !('cancelling' in before) || !before.cancelling) return undefined
    const { event } = entry
    const isRun = isHistoryEvent(event) || event.type === 'locked'
    return isRun ? `${show(executionId, entry)} while it is being cancelled` : undefined
  },
)

function isRetry({ event }: LoggedEvent): boolean {
  return event.type === 'temporarily_failed' || event.type === 'temporarily_timed_out'
}

const attemptsAreCounted = ofChanges('attempts are counted', ({ executionId, execution }) => {
  const { events, state } = execution
  const counted = events.filter(isRetry).length
  if (state.failures === counted) return undefined
  return `${executionId} has ${counted} failed attempts in its log, and counts ${state.failures}`
})

function policyOf(step: EventStep): RetryPolicy | undefined {
  return step.before?.status === 'locked' ? step.before.retry : undefined
}

const retriesWithinBudget = ofSteps('no more retries than allowed', (step, { executionId }) => {
  const maxRetries = policyOf(step)?.maxRetries ?? null
  if (!isRetry(step.entry) || maxRetries === null) return undefined
  if (step.after.failures <= maxRetries) return undefined
  return `${show(executionId, step.entry)} is failure ${step.after.failures} of ${maxRetries}`
})

const retriedWhileAllowed = ofSteps('what times out is retried while it may be', (step, change) => {
  const { entry, before } = step
  const maxRetries = policyOf(step)?.maxRetries
  if (entry.event.type !== 'finished' || maxRetries === undefined || before === undefined) {
    return undefined
  }
  const { outcome } = entry.event
  const isTimeout = outcome.type === 'execution_failure' && outcome.kind === 'timed_out'
  if (!isTimeout || (maxRetries !== null && before.failures >= maxRetries)) return undefined
  return `${show(change.executionId, entry)} timed out after ${before.failures} failures`
})

const backoffDoubles = ofSteps('backoff doubles from one attempt to the next', (step, change) => {
  const retry = policyOf(step)
  const { event, createdAt, version } = step.entry
  if (retry === undefined || (retry.jitter ?? 0) > 0) return undefined
  if (event.type !== 'temporarily_failed' && event.type !== 'temporarily_timed_out')
    return undefined
  const failures = change.execution.events.slice(0, version).filter(isRetry).length
  const wanted = Math.min(
    retry.backoff * 2 ** failures,
    retry.maxBackoff ?? backoffLimit,
    backoffLimit,
  )
  const waited = event.backoffExpiresAt - createdAt
  return waited === wanted || failures > 30
    ? undefined
    : `${show(change.executionId, step.entry)} waits ${waited} ms, not ${wanted}`
})

const cursorsRise = ofSteps('a run never unsees a response', ({ entry, before }, change) => {
  const wait = blockingOf(entry.event)
  if (wait === undefined || before === undefined) return undefined
  const earlier = change.execution.events
    .slice(0, entry.version)
    .map(({ event }) => blockingOf(event)?.seenCursor ?? 0)
  const highest = Math.max(0, ...earlier)
  return wait.seenCursor >= highest
    ? undefined
    : `${show(change.executionId, entry)} has seen ${wait.seenCursor}, earlier ${highest}`
})

/** Invariants of single logs, for one simulation. */
export function createLogInvariants(): readonly Invariant[] {
  return [
    denseVersions,
    createdFirst,
    finishedLast,
    oneHolder,
    ...createFence(),
    notTooEarly,
    notWhilePaused,
    nothingAfterCancel,
    attemptsAreCounted,
    retriesWithinBudget,
    retriedWhileAllowed,
    backoffDoubles,
    cursorsRise,
    rowIsFold,
  ]
}
