/** Refusals of the storage → the typed errors of the public API. */

import { unreachable } from '../base/assert.ts'
import { SteleError } from '../base/error.ts'
import type { IllegalReason, Refusal } from '../model/refusal.ts'

/** The error for a refusal: what was tried, on which execution. */
export function refusalError(refusal: Refusal, executionId: string, attempted: string): SteleError {
  const fields = { executionId, refusal }
  switch (refusal.kind) {
    case 'not_found':
      return notFoundError(executionId)
    case 'already_finished':
      return new SteleError(
        'already_finished',
        `Cannot ${attempted} ${executionId}: it has finished. Read its outcome instead.`,
        { fields },
      )
    case 'version_conflict':
      // Commands read the version in the transaction that they append in.
      return new SteleError(
        'internal',
        `Cannot ${attempted} ${executionId}: its log moved on within one transaction. ` +
          'Please report it.',
        { fields },
      )
    case 'illegal_state':
      return illegalState(illegalTexts[refusal.reason], { executionId, attempted, fields })
    case 'unlock_refused':
      return illegalState(`it is ${refusal.state}`, { executionId, attempted, fields })
    case 'invalid':
      return illegalState(refusal.reason.replaceAll('_', ' '), { executionId, attempted, fields })
    case 'taken':
      return new SteleError(
        'execution_id_conflict',
        `Cannot ${attempted} ${executionId}: ${refusal.id} is taken. Choose another id.`,
        { fields },
      )
    default:
      return unreachable(refusal)
  }
}

const illegalTexts: Readonly<Record<IllegalReason, string>> = {
  already_locked: 'it is locked',
  not_locked: 'it is not locked',
  blocked: 'it waits',
  paused: 'it is paused',
  not_paused: 'it is not paused',
  locked: 'it is running; an activity cannot be paused then, cancel it or wait',
  cancelling: 'its cancellation was requested',
  has_run: 'it is executed by an engine, so it is no stub',
  finished: 'it has finished',
}

function illegalState(
  why: string,
  what: { executionId: string; attempted: string; fields: Readonly<Record<string, unknown>> },
): SteleError {
  const message = `Cannot ${what.attempted} ${what.executionId}: ${why}. Look at its state first.`
  return new SteleError('illegal_state', message, { fields: what.fields })
}

/** The error for an id that nobody knows. */
export function notFoundError(executionId: string): SteleError {
  return new SteleError(
    'execution_not_found',
    `There is no execution ${JSON.stringify(executionId)} in this storage. ` +
      'Check the id, and that the engine has opened the right database.',
    { fields: { executionId } },
  )
}
