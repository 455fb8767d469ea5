/** Transactions of the timers watcher: what has expired, what is due, and when to look again. */

import type { Instant } from '../base/time.ts'
import type { DelayId } from '../model/ids.ts'
import type { ExecutionState, LockedState } from '../model/state.ts'
import { integerOrNone, textOf } from './column.ts'
import { delayIdOf } from './id-row.ts'
import { isAwaited, isToBeCancelled, joinSetOfChild } from './join-set-row.ts'
import { call, type Protocol, type Row, statement } from './protocol.ts'
import type { SetAside } from './set-aside.ts'
import { parseState, stateColumns } from './state-row.ts'

/** What the watcher asks for. */
export interface TimersRequest {
  /** Locks that expired at or before this instant. */
  readonly locksExpiredBy: Instant
  /** Delays due at or before this instant. */
  readonly delaysDueBy: Instant
  /** At most this many of each kind. */
  readonly limit: number
}

/** A delay that is due. */
export interface DueDelay {
  readonly delayId: DelayId
}

/** What has expired. */
export interface ExpiredTimers {
  readonly locks: readonly LockedState[]
  readonly delays: readonly DueDelay[]
  /** Executions whose cancellation can be carried on: not those that only wait for children. */
  readonly cancelling: readonly ExecutionState[]
  /** Rows that cannot be read; they wait for nobody. */
  readonly poison: readonly SetAside[]
}

const expiredLocks = statement(
  'expired-locks',
  `SELECT ${stateColumns}
   FROM executions e
   WHERE e.status = 'locked' AND e.cancelling = 0 AND e.set_aside_reason IS NULL
     AND e.lock_expires_at_ms <= $1
   ORDER BY e.lock_expires_at_ms, e.execution_id
   LIMIT $2`,
)

const dueDelays = statement(
  'due-delays',
  `SELECT d.delay_id
   FROM delays d
   WHERE d.paused = 0 AND d.due_at_ms <= $1
   ORDER BY d.due_at_ms, d.delay_id
   LIMIT $2`,
)

/**
 * Only those for which a step would do something, so that any number that wait for their children
 * crowd nobody out; the answer of the last child is what makes them appear again. One that waits
 * costs 2 µs a look, and 0.7 µs for each child that is awaited, measured.
 */
const cancellingRows = statement(
  'cancelling',
  `SELECT ${stateColumns}
   FROM executions e
   WHERE e.cancelling = 1 AND e.status <> 'finished' AND e.set_aside_reason IS NULL
     AND (EXISTS (SELECT 1 FROM delays d WHERE d.execution_id = e.execution_id)
       OR EXISTS (
         SELECT 1
         FROM executions c
         ${joinSetOfChild}
         WHERE c.parent_execution_id = e.execution_id AND ${isToBeCancelled})
       OR NOT EXISTS (
         SELECT 1
         FROM executions c
         ${joinSetOfChild}
         WHERE c.parent_execution_id = e.execution_id AND ${isAwaited}))
   ORDER BY e.execution_id
   LIMIT $1`,
)

const nextLockExpiry = statement(
  'next-lock-expiry',
  `SELECT e.lock_expires_at_ms AS at_ms
   FROM executions e
   WHERE e.status = 'locked' AND e.cancelling = 0 AND e.set_aside_reason IS NULL
   ORDER BY e.lock_expires_at_ms
   LIMIT 1`,
)

const nextDelay = statement(
  'next-delay',
  `SELECT d.due_at_ms AS at_ms
   FROM delays d
   WHERE d.paused = 0
   ORDER BY d.due_at_ms
   LIMIT 1`,
)

/** Everything that has expired, up to the limit. */
export function* findExpired(request: TimersRequest): Protocol<ExpiredTimers> {
  const [locks = [], delays = [], cancelling = []] = yield [
    call(expiredLocks, request.locksExpiredBy, request.limit),
    call(dueDelays, request.delaysDueBy, request.limit),
    call(cancellingRows, request.limit),
  ]
  const poison: SetAside[] = []
  return {
    locks: readable(locks, poison).filter((state) => state.status === 'locked'),
    delays: delays.map((row) => ({ delayId: delayIdOf(row) })),
    cancelling: readable(cancelling, poison),
    poison,
  }
}

function readable(rows: readonly Row[], poison: SetAside[]): ExecutionState[] {
  return rows.flatMap((row) => {
    try {
      return [parseState(row)]
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause)
      poison.push({ executionId: textOf(row, 'execution_id'), reason })
      return []
    }
  })
}

/** The next instants at which a lock expires and a delay is due. */
export interface NextTimers {
  readonly lockExpiresAt: Instant | undefined
  readonly delayDueAt: Instant | undefined
}

/** When there will be something to do. */
export function* findNextTimers(): Protocol<NextTimers> {
  const [locks = [], delays = []] = yield [call(nextLockExpiry), call(nextDelay)]
  return { lockExpiresAt: instantOf(locks), delayDueAt: instantOf(delays) }
}

function instantOf([row]: readonly Row[]): Instant | undefined {
  return row === undefined ? undefined : integerOrNone(row, 'at_ms')
}
