/**
 * Everything one executor holds: one timer renews locks and ends attempts for all of them, and one
 * query finds out what other processes did to them.
 */

import type { Cancel, Instant, Milliseconds } from '../base/time.ts'
import type { EngineContext } from './engine-context.ts'
import type { HeldExecution } from './held-execution.ts'
import type { AbortReason } from './worker.ts'

/** How long after a foreign commit held executions are compared with the storage, at most. */
export const foreignCheckDelay: Milliseconds = 100

/** The held executions of one executor. */
export interface HeldSet {
  /** Holds until `end` settles; gives a promise that never rejects. */
  readonly add: (held: HeldExecution, end: Promise<void>) => Promise<void>
  readonly size: () => number
  readonly abortAll: (reason: AbortReason) => void
}

/** What the set stands on. */
export interface HeldSetOptions {
  readonly context: EngineContext
  readonly onEmpty: () => void
}

/** An empty set. */
export function createHeldSet({ context, onEmpty }: HeldSetOptions): HeldSet {
  const { clock, scheduler, storage, logger } = context
  const held = new Set<HeldExecution>()
  let attendAt: Instant = Number.POSITIVE_INFINITY
  let timer: Cancel | undefined
  let unlisten: Cancel | undefined
  let checking: Cancel | undefined

  const arm = (at: Instant): void => {
    if (at >= attendAt) return
    attendAt = at
    timer?.()
    timer = scheduler.after(Math.max(0, at - clock.now()), attend)
  }
  const attend = (): void => {
    attendAt = Number.POSITIVE_INFINITY
    timer = undefined
    const now = clock.now()
    let next: Instant = Number.POSITIVE_INFINITY
    for (const one of [...held]) next = Math.min(next, one.attend(now))
    if (Number.isFinite(next)) arm(next)
  }
  const checkForeign = async (): Promise<void> => {
    checking = undefined
    try {
      const states = await storage.findStates([...held].map(({ executionId }) => executionId))
      const byId = new Map([...held].map((one) => [one.executionId, one]))
      for (const state of states) byId.get(state.executionId)?.notice(state)
    } catch (cause) {
      // The next foreign commit asks again, and results are fenced by their version anyway.
      logger.debug({ err: cause }, 'Comparing held executions with the storage failed')
    }
  }
  const listen = (): void => {
    // One listener for all: notices of single executions reach their holder directly.
    unlisten ??= storage.notifications.onForeign(() => {
      checking ??= scheduler.after(foreignCheckDelay, () => void checkForeign())
    })
  }
  const remove = (one: HeldExecution): void => {
    held.delete(one)
    if (held.size > 0) return
    unlisten?.()
    unlisten = undefined
    onEmpty()
  }

  return {
    add: async (one, end) => {
      held.add(one)
      listen()
      arm(one.attend(clock.now()))
      try {
        await end
      } catch (cause) {
        logger.error({ err: cause, executionId: one.executionId }, 'A run ended in a fault')
      } finally {
        remove(one)
      }
    },
    size: () => held.size,
    abortAll: (reason) => {
      for (const one of [...held]) one.abort(reason)
    },
  }
}
