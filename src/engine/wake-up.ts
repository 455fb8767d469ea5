/**
 * When an executor should poll again: a notice, the next due time, or the slow poll, whichever
 * comes first. Listens from its start on, so that no notice falls between a poll and the wait.
 */

import type { Cancel, Instant, Milliseconds, Purpose } from '../base/time.ts'
import type { LockTarget } from '../storage/lock.ts'
import type { EngineContext } from './engine-context.ts'
import type { EngineFunction } from './engine-function.ts'

/** Wakes one executor. */
export interface WakeUp {
  readonly listen: (functions: readonly EngineFunction[]) => void
  /** A poll begins to look: it answers every notice of what is due by now. */
  readonly beginPoll: () => void
  /** Something may be due, now unless said otherwise: wakes then, or at the next wait. */
  readonly notice: (dueAt?: Instant) => void
  /** Wakes once: at a notice or due time, after `pause` at the latest. */
  readonly wait: (pause: Milliseconds) => void
  readonly close: () => void
}

/** What it stands on. */
export interface WakeUpOptions {
  readonly context: EngineContext
  readonly tickSleep: Milliseconds
  /** Functions that may be polled now. */
  readonly targets: () => readonly LockTarget[]
  readonly onWake: () => void
}

const never: Instant = Number.POSITIVE_INFINITY

/** A wake-up that sleeps. */
export function createWakeUp(options: WakeUpOptions): WakeUp {
  return new Alarm(options)
}

class Alarm implements WakeUp {
  readonly #options: WakeUpOptions
  readonly #unlisten: Cancel[] = []
  #noticedAt = never
  #polledAt: Instant = 0
  #wakeAt = never
  #isWaiting = false
  #timer: Cancel | undefined

  constructor(options: WakeUpOptions) {
    this.#options = options
  }

  listen(functions: readonly EngineFunction[]): void {
    const { notifications } = this.#options.context.storage
    const onNotice = (dueAt: Instant | undefined): void => {
      this.notice(dueAt)
    }
    for (const { id } of functions) {
      this.#unlisten.push(notifications.onPending(id.kind, id.name, onNotice))
    }
  }

  beginPoll(): void {
    this.#polledAt = this.#now()
    // What is not due yet will not be found by this poll: its notice stays.
    if (this.#noticedAt <= this.#polledAt) this.#noticedAt = never
  }

  wait(pause: Milliseconds): void {
    const { context, tickSleep } = this.#options
    this.#isWaiting = true
    this.#disarm()
    const now = this.#now()
    if (pause <= tickSleep && this.#noticedAt <= now) {
      context.scheduler.soon(() => {
        this.#wake()
      })
      return
    }
    this.#arm(now + pause, 'poll')
    if (pause > tickSleep) return
    if (this.#noticedAt < never) this.#arm(this.#noticedAt)
    void this.#lookAhead()
  }

  close(): void {
    this.#isWaiting = false
    this.#disarm()
    for (const cancel of this.#unlisten) cancel()
  }

  notice(dueAt?: Instant): void {
    const now = this.#now()
    this.#noticedAt = Math.min(this.#noticedAt, dueAt ?? now)
    if (this.#noticedAt <= now) this.#wake()
    else this.#arm(this.#noticedAt)
  }

  async #lookAhead(): Promise<void> {
    const { context, targets, tickSleep } = this.#options
    try {
      const dueAt = await context.storage.findNextDue(targets())
      if (dueAt === undefined) return
      // What was due before the last poll and is still there was not for us: no hurry.
      if (dueAt > this.#polledAt) this.#arm(dueAt)
      else this.#arm(this.#now() + tickSleep, 'poll')
    } catch {
      // The slow poll will meet the same fault, and report it.
    }
  }

  #wake(): void {
    if (!this.#isWaiting) return
    this.#isWaiting = false
    this.#disarm()
    this.#options.onWake()
  }

  #arm(at: Instant, purpose?: Purpose): void {
    if (!this.#isWaiting || (this.#timer !== undefined && at >= this.#wakeAt)) return
    this.#disarm()
    this.#wakeAt = at
    const delay = Math.max(0, at - this.#now())
    this.#timer = this.#options.context.scheduler.after(delay, () => this.#wake(), purpose)
  }

  #disarm(): void {
    this.#timer?.()
    this.#timer = undefined
  }

  #now(): Instant {
    return this.#options.context.clock.now()
  }
}
