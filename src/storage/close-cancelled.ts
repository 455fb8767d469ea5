/**
 * Transaction: one step of carrying a cancellation down. Children and delays of a cancelled
 * execution are cancelled in bounded batches, except children whose join set says `await` or
 * `abandon`; when nobody is left to wait for, the execution finishes.
 */

import { accept, refuse } from '../base/result.ts'
import type { Instant } from '../base/time.ts'
import { nextVersion } from '../model/decide.ts'
import type { DelayId, ExecutionId } from '../model/ids.ts'
import type { Refusal } from '../model/refusal.ts'
import type { UnfinishedState } from '../model/state.ts'
import { appendTo } from './append.ts'
import { type CommandRequest, cancelExecution } from './control.ts'
import type { WriteProtocol } from './driver.ts'
import { writeEvent } from './event-row.ts'
import { delayIdOf, executionIdOf } from './id-row.ts'
import { isAwaited, isToBeCancelled, joinSetOfChild } from './join-set-row.ts'
import type { Notice } from './notice.ts'
import { call, type Protocol, statement } from './protocol.ts'
import { findEvent } from './read.ts'
import { endDelay } from './respond.ts'
import { findStateForUpdate } from './state-row.ts'

/** Children, and delays, that one step cancels. */
export const cancelStepMax = 100

const openChildren = statement(
  'open-children',
  `SELECT c.execution_id
   FROM executions c
   ${joinSetOfChild}
   WHERE c.parent_execution_id = $1 AND ${isToBeCancelled}
   ORDER BY c.execution_id
   LIMIT $2`,
)

const awaitedChild = statement(
  'awaited-child',
  `SELECT c.execution_id
   FROM executions c
   ${joinSetOfChild}
   WHERE c.parent_execution_id = $1 AND ${isAwaited}
   ORDER BY c.cancelling, c.execution_id
   LIMIT 1`,
)

const openDelays = statement(
  'open-delays',
  `SELECT d.delay_id
   FROM delays d
   WHERE d.execution_id = $1
   ORDER BY d.due_at_ms, d.delay_id
   LIMIT $2`,
)

/** What a step did. */
export interface CancelStep {
  /** Whether the execution has finished with this step. */
  readonly finished: boolean
  readonly notices: readonly Notice[]
}

/** Cancels what is below, or finishes the execution when nothing there is waited for. */
export function* closeCancelled(request: CommandRequest): WriteProtocol<CancelStep, Refusal> {
  const { executionId, createdAt } = request
  const before = yield* findStateForUpdate(executionId)
  if (before === undefined) return refuse({ kind: 'not_found', id: executionId })
  if (before.status === 'finished' || !before.cancelling) {
    return accept({ finished: false, notices: [] })
  }
  const open = yield* findOpen(executionId)
  if (open.children.length + open.delays.length > 0) return yield* cancelOpen(open, createdAt)
  if (open.isAwaited) return accept({ finished: false, notices: [] })
  return yield* finish(before, createdAt)
}

function* cancelOpen(open: Open, createdAt: Instant): WriteProtocol<CancelStep, Refusal> {
  const notices: Notice[] = []
  for (const child of open.children) {
    const step = yield* cancelExecution({ executionId: child, createdAt })
    if (!step.ok) return step
    notices.push(...step.value.notices)
  }
  for (const delayId of open.delays) {
    const step = yield* endDelay({ delayId, createdAt, result: 'cancelled' })
    if (!step.ok) return step
    notices.push(...step.value.notices)
  }
  return accept({ finished: false, notices })
}

/** The reason is the one given with the request, which is the last event. */
function* finish(before: UnfinishedState, createdAt: Instant): WriteProtocol<CancelStep, Refusal> {
  const requested = yield* findEvent(before.executionId, before.version)
  const reason = requested?.event.type === 'cancel_requested' ? requested.event.reason : undefined
  const why = reason === undefined ? {} : { reason }
  const outcome = { type: 'execution_failure', kind: 'cancelled', ...why } as const
  const entry = writeEvent({ type: 'finished', outcome }, createdAt)
  const version = nextVersion(before)
  const written = yield* appendTo(before, { version, entries: [entry], creations: [] })
  return written.ok ? accept({ finished: true, notices: written.value.notices }) : written
}

interface Open {
  /** To be cancelled. */
  readonly children: readonly ExecutionId[]
  /** To be cancelled. */
  readonly delays: readonly DelayId[]
  /** Whether any child has to finish first: one that is cancelling already, or awaited. */
  readonly isAwaited: boolean
}

function* findOpen(id: ExecutionId): Protocol<Open> {
  const [children = [], delays = [], awaited = []] = yield [
    call(openChildren, id, cancelStepMax),
    call(openDelays, id, cancelStepMax),
    call(awaitedChild, id),
  ]
  return {
    children: children.map(executionIdOf),
    delays: delays.map(delayIdOf),
    isAwaited: awaited.length > 0,
  }
}
