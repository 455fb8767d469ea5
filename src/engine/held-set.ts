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
export function createHeldSet(options: HeldSetOptions): HeldSet {
  return new AttendedSet(options)
}

const never: Instant = Number.POSITIVE_INFINITY

class AttendedSet implements HeldSet {
  readonly #context: EngineContext
  readonly #onEmpty: () => void
  readonly #held = new Set<HeldExecution>()
  #attendAt = never
  #timer: Cancel | undefined
  #isCheckDue = false
  #unlisten: Cancel | undefined

  constructor({ context, onEmpty }: HeldSetOptions) {
    this.#context = context
    this.#onEmpty = onEmpty
  }

  async add(held: HeldExecution, end: Promise<void>): Promise<void> {
    const { clock, logger } = this.#context
    this.#held.add(held)
    this.#listen()
    this.#arm(held.attend(clock.now()))
    try {
      await end
    } catch (cause) {
      logger.error({ err: cause, executionId: held.executionId }, 'A run ended in a fault')
    } finally {
      this.#remove(held)
    }
  }

  size(): number {
    return this.#held.size
  }

  abortAll(reason: AbortReason): void {
    for (const held of this.#held) held.abort(reason)
  }

  #remove(held: HeldExecution): void {
    this.#held.delete(held)
    if (this.#held.size > 0) return
    this.#disarm()
    this.#unlisten?.()
    this.#unlisten = undefined
    this.#onEmpty()
  }

  // ── the timer ─────────────────────────────────────────────────────────────────────────────────

  #arm(at: Instant): void {
    if (at >= this.#attendAt) return
    this.#disarm()
    this.#attendAt = at
    const { clock, scheduler } = this.#context
    this.#timer = scheduler.after(Math.max(0, at - clock.now()), () => {
      this.#disarm()
      this.#attend()
    })
  }

  #disarm(): void {
    this.#timer?.()
    this.#timer = undefined
    this.#attendAt = never
  }

  #attend(): void {
    const now = this.#context.clock.now()
    let next = never
    for (const held of this.#held) next = Math.min(next, held.attend(now))
    if (Number.isFinite(next)) this.#arm(next)
  }

  // ── what others do ────────────────────────────────────────────────────────────────────────────

  /** One listener for all: notices of single executions reach their holder directly. */
  #listen(): void {
    this.#unlisten ??= this.#context.storage.notifications.onForeign(() => {
      this.#checkSoon()
    })
  }

  #checkSoon(): void {
    if (this.#isCheckDue) return
    this.#isCheckDue = true
    this.#context.scheduler.after(foreignCheckDelay, () => {
      this.#isCheckDue = false
      void this.#checkForeign()
    })
  }

  async #checkForeign(): Promise<void> {
    const { storage, logger } = this.#context
    try {
      const states = await storage.findStates([...this.#held].map((held) => held.executionId))
      const byId = new Map([...this.#held].map((held) => [held.executionId, held]))
      for (const state of states) byId.get(state.executionId)?.notice(state)
    } catch (cause) {
      // The next foreign commit asks again, and results are fenced by their version anyway.
      logger.debug({ err: cause }, 'Comparing held executions with the storage failed')
    }
  }
}
