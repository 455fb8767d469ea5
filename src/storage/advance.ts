/**
 * Transaction: what a run's turn writes. Events, what comes into being with them, and then what the
 * turn gives up: children and delays are cancelled, and may answer the very execution.
 */

import { accept, refuse } from '../base/result.ts'
import { nextVersion } from '../model/decide.ts'
import type { Version } from '../model/event.ts'
import type { ExecutionId } from '../model/ids.ts'
import { illegal, type Refusal } from '../model/refusal.ts'
import type { ExecutionState } from '../model/state.ts'
import {
  type AppendRequest,
  appendEvents,
  type WrittenAppend,
  type WrittenCancellations,
} from './append.ts'
import { cancelExecution } from './control.ts'
import type { Written } from './create.ts'
import type { WriteProtocol } from './driver.ts'
import { latestNotices, type Notice } from './notice.ts'
import { endDelay } from './respond.ts'
import { findState, findStateForUpdate } from './state-row.ts'

/** Whose turn it is, and what its run knows. */
export type TurnOwner = Pick<AppendRequest, 'executionId' | 'known'>

/**
 * Appends, then cancels. Gives the state at the end: answers of what was cancelled may have woken
 * the execution. Not a generator itself, so that a plain append costs what it did.
 */
export function advance(owner: TurnOwner, written: WrittenAppend): WriteProtocol<Written, Refusal> {
  const { cancellations } = written
  if (cancellations === undefined) return appendEvents(owner, written)
  return appendAndCancel(owner, written, cancellations)
}

function* appendAndCancel(
  owner: TurnOwner,
  written: WrittenAppend,
  cancellations: WrittenCancellations,
): WriteProtocol<Written, Refusal> {
  const { executionId } = owner
  const appended =
    written.entries.length === 0
      ? yield* checkTurn(executionId, written.version)
      : yield* appendEvents(owner, written)
  if (!appended.ok) return appended
  const cancelled = yield* cancelAll(cancellations)
  if (!cancelled.ok) return cancelled
  const state = yield* findState(executionId)
  if (state === undefined) return refuse({ kind: 'not_found', id: executionId })
  const notices = latestNotices([...appended.value.notices, ...cancelled.value])
  return accept({ state, notices })
}

/** A turn without events is refused as any event of a run would be. */
function* checkTurn(id: ExecutionId, version: Version): WriteProtocol<Written, Refusal> {
  const state = yield* findStateForUpdate(id)
  if (state === undefined) return refuse({ kind: 'not_found', id })
  const refusal = refuseTurn(state, version)
  return refusal === undefined ? accept({ state, notices: [] }) : refuse(refusal)
}

function refuseTurn(state: ExecutionState, requested: Version): Refusal | undefined {
  if (state.status === 'finished') return { kind: 'already_finished', version: state.version }
  const expected = nextVersion(state)
  if (requested !== expected) return { kind: 'version_conflict', expected, requested }
  return state.cancelling ? illegal('cancelling') : undefined
}

function* cancelAll({
  children,
  delays,
  createdAt,
}: WrittenCancellations): WriteProtocol<readonly Notice[], Refusal> {
  const notices: Notice[] = []
  for (const executionId of children) {
    const cancelled = yield* cancelExecution({ executionId, createdAt })
    if (cancelled.ok) notices.push(...cancelled.value.notices)
    else if (!isUnknown(executionId, cancelled.error)) return cancelled
  }
  for (const delayId of delays) {
    const ended = yield* endDelay({ delayId, createdAt, result: 'cancelled' })
    if (ended.ok) notices.push(...ended.value.notices)
    else if (!isUnknown(delayId, ended.error)) return ended
  }
  return accept(notices)
}

/** That nothing has this id. Another id is that of a missing parent, which is not to be hidden. */
function isUnknown(id: string, refusal: Refusal): boolean {
  return refusal.kind === 'not_found' && refusal.id === id
}
