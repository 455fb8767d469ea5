/**
 * Transaction: one poll of an executor. Per function the earliest due executions, merged in order
 * of due time, each locked or set aside; a row that cannot be read never stops the others.
 */

import { unreachable } from '../base/assert.ts'
import { accept } from '../base/result.ts'
import { addDuration, type Instant, type Milliseconds } from '../base/time.ts'
import { decideEvent } from '../model/decide.ts'
import type { CreatedEvent, LockedEvent } from '../model/event.ts'
import type { FunctionId } from '../model/function-id.ts'
import type { DeploymentId, ExecutorId, RunId } from '../model/ids.ts'
import type { RetryPolicy } from '../model/retry.ts'
import type { LockedState, PendingState } from '../model/state.ts'
import { integerOf, textOf } from './column.ts'
import type { WriteProtocol } from './driver.ts'
import { insertEventCall, parseCreated, type WrittenEvent, writeEvent } from './event-row.ts'
import { type Notice, noticesOf } from './notice.ts'
import { type Call, call, type Protocol, type Row, statement } from './protocol.ts'
import { type SetAside, setAsideCall } from './set-aside.ts'
import { parseState, pendingColumns, replaceStateCall } from './state-row.ts'

/**
 * Which versions of a function an executor takes: any (`by_name`), its own (`by_version`), or any
 * that is not known to be incompatible, keeping the stored version so that the worker can see the
 * difference (`auto`).
 */
export type LockingStrategy = 'by_name' | 'by_version' | 'auto'

/** Which executions count as due. */
export interface DueTarget {
  readonly function: FunctionId
  readonly strategy: LockingStrategy
}

/** One function an executor polls for. */
export interface LockTarget extends DueTarget {
  /** At most this many, whatever the limit of the poll says. */
  readonly limit: number
  readonly retry: RetryPolicy
  readonly lockExpiry: Milliseconds
}

/** One poll. */
export interface LockRequest {
  readonly targets: readonly LockTarget[]
  readonly executorId: ExecutorId
  readonly runId: RunId
  readonly deploymentId: DeploymentId
  /** Executions due at or before this instant; also the time of the events. */
  readonly lockedAt: Instant
  /** At most this many in all. */
  readonly limit: number
}

/** An execution that the poll has locked. */
export interface LockedExecution {
  readonly state: LockedState
  readonly created: CreatedEvent
  readonly locked: LockedEvent
}

/** What a poll did. */
export interface LockBatch {
  readonly locked: readonly LockedExecution[]
  readonly setAside: readonly SetAside[]
  readonly notices: readonly Notice[]
}

const duePredicate = `e.function_kind = $1 AND e.function_name = $2 AND e.status = 'pending_at'
     AND e.paused = 0 AND e.cancelling = 0 AND e.set_aside_reason IS NULL`

/** `beyond` is null unless the log has an event that its row does not know of. */
const candidateList = `SELECT ${pendingColumns}, v.body AS created_body, b.version AS beyond
   FROM executions e
   JOIN events v ON v.execution_id = e.execution_id AND v.version = 0
   LEFT JOIN events b ON b.execution_id = e.execution_id AND b.version = e.version + 1`

const candidateOrder = `ORDER BY e.scheduled_at_ms, e.execution_id
   LIMIT $4`

const dueByName = statement(
  'due-by-name',
  `${candidateList}
   WHERE ${duePredicate} AND e.scheduled_at_ms <= $3
   ${candidateOrder}`,
)

const dueByVersion = statement(
  'due-by-version',
  `${candidateList}
   WHERE ${duePredicate} AND e.scheduled_at_ms <= $3 AND e.function_version = $5
   ${candidateOrder}`,
)

const dueAuto = statement(
  'due-auto',
  `${candidateList}
   WHERE ${duePredicate} AND e.scheduled_at_ms <= $3
     AND (e.incompatible_version IS NULL OR e.incompatible_version <> $5)
   ${candidateOrder}`,
)

const nextDue = statement(
  'next-due',
  `SELECT e.scheduled_at_ms
   FROM executions e
   WHERE ${duePredicate}
     AND ($3 <> 'by_version' OR e.function_version = $4)
     AND ($3 <> 'auto' OR e.incompatible_version IS NULL OR e.incompatible_version <> $4)
   ORDER BY e.scheduled_at_ms
   LIMIT 1`,
)

/** Locks what is due. */
export function* lockDue(request: LockRequest): WriteProtocol<LockBatch, never> {
  const candidates = yield* findCandidates(request)
  const eventFor = createLockEvents(request)
  const attempts = candidates.map(({ row, target }) => tryLock(row, target, eventFor))
  const drafts = attempts.filter((attempt) => attempt.type === 'draft')
  const setAside = attempts
    .filter((attempt) => attempt.type === 'poison')
    .map(({ executionId, reason }) => ({ executionId, reason }))
  const calls = [
    ...drafts.map(({ insert }) => insert),
    ...drafts.map(({ update }) => update),
    ...setAside.map(setAsideCall),
  ]
  if (calls.length > 0) yield calls
  const locked = drafts.map(({ execution }) => execution)
  return accept({ locked, setAside, notices: locked.flatMap(({ state }) => noticesOf(state)) })
}

/** When the earliest execution of these functions is due; `undefined` when none waits. */
export function* findNextDue(targets: readonly DueTarget[]): Protocol<Instant | undefined> {
  const answers = yield targets.map((target) => {
    const { kind, name, version } = target.function
    return call(nextDue, kind, name, target.strategy, version)
  })
  const instants = answers.flatMap((rows) => rows.map((row) => integerOf(row, 'scheduled_at_ms')))
  return instants.length === 0 ? undefined : Math.min(...instants)
}

interface Candidate {
  readonly row: Row
  readonly target: LockTarget
  readonly scheduledAt: Instant
}

function* findCandidates(request: LockRequest): Protocol<readonly Candidate[]> {
  const { targets, lockedAt, limit } = request
  const answers = yield targets.map((target) => candidateCall(target, lockedAt, limit))
  const candidates = answers.flatMap((rows, index) => {
    const target = targets[index]
    if (target === undefined) return []
    return rows.map((row) => ({ row, target, scheduledAt: dueOf(row) }))
  })
  // Each answer is sorted; sorting the whole is stable, so functions keep their order among equals.
  if (targets.length > 1) candidates.sort((left, right) => left.scheduledAt - right.scheduledAt)
  return candidates.slice(0, limit)
}

/** A row whose due time cannot be read comes first, and is set aside for it. */
function dueOf(row: Row): Instant {
  try {
    return integerOf(row, 'scheduled_at_ms')
  } catch {
    return Number.NEGATIVE_INFINITY
  }
}

function candidateCall(target: LockTarget, lockedAt: Instant, limit: number): Call {
  const { kind, name, version } = target.function
  const values = [kind, name, lockedAt, Math.min(limit, target.limit)] as const
  switch (target.strategy) {
    case 'by_name':
      return call(dueByName, ...values)
    case 'by_version':
      return call(dueByVersion, ...values, version)
    case 'auto':
      return call(dueAuto, ...values, version)
    default:
      return unreachable(target.strategy)
  }
}

/** A lock that only has to be written. */
interface LockDraft {
  readonly type: 'draft'
  readonly execution: LockedExecution
  readonly insert: Call
  readonly update: Call
}

const aheadOfRow = 'its log has events beyond the version of its row'

type LockAttempt = LockDraft | ({ readonly type: 'poison' } & SetAside)

function tryLock(row: Row, target: LockTarget, eventFor: LockEvents): LockAttempt {
  const executionId = textOf(row, 'execution_id')
  try {
    const before = parseState(row)
    const created = parseCreated(row)
    if (before.status !== 'pending_at') return poison(executionId, 'the row is not pending')
    if (before.version < 0) return poison(executionId, 'its version is negative')
    // Somebody else has written to this log: not ours to lock.
    if (row['beyond'] !== null) return poison(executionId, aheadOfRow)
    const entry = eventFor(before, target)
    const { event: locked, createdAt } = entry
    const version = before.version + 1
    const decision = decideEvent(before, { event: locked, createdAt, version })
    if (!decision.ok) return poison(executionId, `the lock is refused: ${decision.error.kind}`)
    if (decision.value.status !== 'locked') return poison(executionId, 'the lock did not take')
    return {
      type: 'draft',
      execution: { state: decision.value, created, locked },
      insert: insertEventCall(before.executionId, version, entry),
      update: replaceStateCall(before, decision.value),
    }
  } catch (cause) {
    return poison(executionId, cause instanceof Error ? cause.message : String(cause))
  }
}

function poison(executionId: string, reason: string): LockAttempt {
  return { type: 'poison', executionId, reason }
}

/** A `locked` event, written out. */
type LockEntry = WrittenEvent & { readonly event: LockedEvent }

/** The event for a row; all rows of one function share one, but for those of another version. */
type LockEvents = (before: PendingState, target: LockTarget) => LockEntry

function createLockEvents(request: LockRequest): LockEvents {
  const shared = new Map<LockTarget, LockEntry>()
  return (before, target) => {
    // `auto` leaves version and deployment as they are until the upgrade has succeeded.
    const { version } = before.function
    if (target.strategy === 'auto' && version !== target.function.version) {
      return writeLock(request, target, { version, deploymentId: before.deploymentId })
    }
    const known = shared.get(target)
    if (known !== undefined) return known
    const { deploymentId } = request
    const entry = writeLock(request, target, { version: target.function.version, deploymentId })
    shared.set(target, entry)
    return entry
  }
}

function writeLock(
  { executorId, runId, lockedAt }: LockRequest,
  { retry, lockExpiry }: LockTarget,
  { version, deploymentId }: { readonly version: string; readonly deploymentId: DeploymentId },
): LockEntry {
  const event: LockedEvent = {
    type: 'locked',
    executorId,
    runId,
    deploymentId,
    lockExpiresAt: addDuration(lockedAt, lockExpiry),
    retry,
    functionVersion: version,
  }
  return { ...writeEvent(event, lockedAt), event }
}
