/** Delays of workflows from outside: hold one back, let it go, cut it short. */

import { SteleError } from '../base/error.ts'
import { showSubject } from '../base/options.ts'
import { type DelayId, parseDelayId } from '../model/ids.ts'
import type { ClientContext } from './client-context.ts'

/** A delay of a workflow, as seen from outside. */
export interface DelayHandle {
  /** The id of the delay. */
  readonly id: string
  /** Holds it back until `unpause`. Idempotent; `delay_not_found` once it has ended. */
  readonly pause: () => Promise<void>
  /** Fires when it is due, or at once when it was due before. Idempotent, as `pause`. */
  readonly unpause: () => Promise<void>
  /** Ends it without firing: whoever waits for it is told. */
  readonly cancel: () => Promise<'cancelled' | 'already_finished'>
}

/** A handle for a delay; the delay need not exist, every method says so then. */
export function createDelayHandle(context: ClientContext, id: string): DelayHandle {
  return {
    id,
    pause: () => setPaused(context, id, true),
    unpause: () => setPaused(context, id, false),
    cancel: () => cancel(context, id),
  }
}

async function setPaused(context: ClientContext, id: string, paused: boolean): Promise<void> {
  context.requireOpen()
  const result = await context.storage.setDelayPause({ delayId: requireDelayId(id), paused })
  if (!result.ok) throw notOpen(id)
}

async function cancel(
  context: ClientContext,
  id: string,
): Promise<'cancelled' | 'already_finished'> {
  context.requireOpen()
  const { storage, clock } = context
  const delayId = requireDelayId(id)
  const ended = await storage.endDelay({ delayId, createdAt: clock.now(), result: 'cancelled' })
  if (!ended.ok) throw notOpen(id)
  return ended.value === 'already_finished' ? 'already_finished' : 'cancelled'
}

function requireDelayId(id: unknown): DelayId {
  if (typeof id === 'string' && isDelayId(id)) return id
  throw notOpen(id)
}

function isDelayId(id: string): id is DelayId {
  return parseDelayId(id).ok
}

function notOpen(id: unknown): SteleError {
  return new SteleError(
    'delay_not_found',
    `${showSubject(id)} is not a delay that is open in this storage. ` +
      'Take its id from the log of the workflow; delays that have ended cannot be held.',
    { fields: { delayId: id } },
  )
}
