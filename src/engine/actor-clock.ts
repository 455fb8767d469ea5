/** The engine's scheduler as XState's clock, so that no actor of ours ever sees another time. */

import type { ActorOptions, AnyActorLogic } from 'xstate'
import type { Cancel, Scheduler } from '../base/time.ts'

/** XState's own name for this type is not exported. */
export type ActorClock = NonNullable<ActorOptions<AnyActorLogic>['clock']>

/** A clock for `createActor`; children inherit it from their root. */
export function createActorClock(scheduler: Scheduler): ActorClock {
  const timers = new Map<number, Cancel>()
  let last = 0
  return {
    setTimeout: (callback, delay) => {
      last += 1
      const id = last
      timers.set(
        id,
        scheduler.after(delay, () => {
          timers.delete(id)
          callback()
        }),
      )
      return id
    },
    clearTimeout: (id: number) => {
      timers.get(id)?.()
      timers.delete(id)
    },
  }
}
