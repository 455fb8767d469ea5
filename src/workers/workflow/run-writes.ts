/** What turns have gathered → what is appended, and what the frame learns from it. */

import type { Instant } from '../../base/time.ts'
import type { RunHistory, RunWrites } from '../../engine/worker.ts'
import type { Cursor, ExecutionEvent, Version } from '../../model/event.ts'
import type { ExecutionState } from '../../model/state.ts'
import type { Frame } from './frame.ts'

/** Children and delays cancelled in one transaction. */
export const cancellationsPerAppend = 100

/**
 * Appends. Many cancellations go ahead of the events in batches of their own: repeating them does
 * no harm. `undefined` when the lock is lost.
 */
export async function appendWrites(
  history: RunHistory,
  writes: RunWrites,
  createdAt: Instant,
): Promise<ExecutionState | undefined> {
  const { cancelledChildren: allChildren, cancelledDelays: allDelays } = writes
  if (allChildren.length + allDelays.length <= cancellationsPerAppend) {
    return history.append(writes, createdAt)
  }
  // What is only now brought into being can be cancelled with it, and not before.
  const isNew = bornIn(writes)
  const children = allChildren.filter((id) => !isNew(id))
  const delays = allDelays.filter((id) => !isNew(id))
  while (children.length + delays.length > 0) {
    const cancelledChildren = children.splice(0, cancellationsPerAppend)
    const cancelledDelays = delays.splice(0, cancellationsPerAppend - cancelledChildren.length)
    const batch = { events: [], creations: [], cancelledChildren, cancelledDelays }
    const state = await history.append(batch, createdAt)
    if (state === undefined) return undefined
  }
  const rest = {
    cancelledChildren: allChildren.filter(isNew),
    cancelledDelays: allDelays.filter(isNew),
  }
  return history.append({ ...writes, ...rest }, createdAt)
}

/** Tells what these writes bring into being. */
function bornIn({ events, creations }: RunWrites): (id: string) => boolean {
  const born = new Set<string>(creations.map(({ executionId }) => executionId))
  for (const event of events) {
    if (event.type === 'join_set_request' && event.kind === 'delay') born.add(event.delayId)
  }
  return (id) => born.has(id)
}

/** The events with a wait at their end: part of the last ask, where that comes last anyway. */
export function withWait(
  events: readonly ExecutionEvent[],
  seenCursor: Cursor,
  runExpiresAt: Instant,
): readonly ExecutionEvent[] {
  const blocking = { seenCursor, runExpiresAt }
  const last = events.at(-1)
  if (last?.type !== 'join_next') return [...events, { type: 'wait', ...blocking }]
  return [...events.slice(0, -1), { ...last, ...blocking }]
}

/** Events as they stand in the log now. */
export interface Appended {
  readonly events: readonly ExecutionEvent[]
  readonly createdAt: Instant
  /** Version of the last of them. */
  readonly version: Version
}

/** Steps whose ends are written now are delivered from the record, like any other. */
export function recordStepEnds(frame: Frame, { events, createdAt, version }: Appended): void {
  const first = version - events.length + 1
  for (const [index, event] of events.entries()) {
    if (event.type !== 'step_finished') continue
    frame.journal.addStepEnd({ version: first + index, createdAt, event })
  }
}
