/** What a commit has to tell: facts for those who wait. Correctness never depends on them. */

import type { Instant } from '../base/time.ts'
import type { FunctionKind } from '../model/function-id.ts'
import type { ExecutionId } from '../model/ids.ts'
import type { ExecutionState } from '../model/state.ts'

/** Something became due, now or later, for executors of this function. */
export interface PendingNotice {
  readonly topic: 'pending'
  readonly kind: FunctionKind
  readonly name: string
  readonly dueAt: Instant
}

/** An execution has a new state. */
export interface ExecutionNotice {
  readonly topic: 'execution'
  readonly state: ExecutionState
}

/** Something became due for the timers watcher. */
export interface TimerNotice {
  readonly topic: 'timer'
  readonly dueAt: Instant
}

/** A fact that a commit has established. */
export type Notice = PendingNotice | ExecutionNotice | TimerNotice

/**
 * What is left to tell when a transaction has changed the same execution more than once: its last
 * state alone, and each instant for the timers watcher once.
 */
export function latestNotices(notices: readonly Notice[]): readonly Notice[] {
  const latest = new Map<ExecutionId, ExecutionState>()
  const timers = new Map<Instant, TimerNotice>()
  for (const notice of notices) {
    if (notice.topic === 'timer') timers.set(notice.dueAt, notice)
    if (notice.topic !== 'execution') continue
    const { executionId } = notice.state
    // Told in the order of last changes.
    latest.delete(executionId)
    latest.set(executionId, notice.state)
  }
  const told = [...latest.values()].flatMap(noticesOf)
  return [...told.filter(({ topic }) => topic !== 'timer'), ...timers.values()]
}

/** What is told of a new state. */
export function noticesOf(state: ExecutionState): readonly Notice[] {
  const changed: ExecutionNotice = { topic: 'execution', state }
  if (state.status === 'finished') return [changed]
  if (state.cancelling) return [changed, { topic: 'timer', dueAt: state.createdAt }]
  if (state.status !== 'pending_at' || state.paused) return [changed]
  const { kind, name } = state.function
  return [changed, { topic: 'pending', kind, name, dueAt: state.scheduledAt }]
}
