/**
 * When an executor should poll again: a notice, the next due time, or the slow poll, whichever
 * comes first. Listens from its start on, so that no notice falls between a poll and the wait.
 */

import type { Cancel, Instant, Milliseconds } from '../base/time.ts'
import type { LockTarget } from '../storage/lock.ts'
import type { EngineContext } from './engine-context.ts'
import type { EngineFunction } from './engine-function.ts'

/** Wakes one executor. */
export interface WakeUp {
  readonly listen: (functions: readonly EngineFunction[]) => void
  /** A poll begins: notices from here on are news. */
  readonly beginPoll: () => void
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
export function createWakeUp({ context, tickSleep, targets, onWake }: WakeUpOptions): WakeUp {
  const { clock, scheduler, storage } = context
  const unlisten: Cancel[] = []
  let noticedAt: Instant = never
  let polledAt: Instant = 0
  let wakeAt: Instant = never
  let waiting = false
  let timer: Cancel | undefined

  const wake = (): void => {
    if (!waiting) return
    waiting = false
    timer?.()
    timer = undefined
    onWake()
  }
  const arm = (at: Instant): void => {
    if (!waiting || (timer !== undefined && at >= wakeAt)) return
    wakeAt = at
    timer?.()
    timer = scheduler.after(Math.max(0, at - clock.now()), wake)
  }
  const noticed = (dueAt: Instant | undefined): void => {
    const now = clock.now()
    noticedAt = Math.min(noticedAt, dueAt ?? now)
    if (noticedAt <= now) wake()
    else arm(noticedAt)
  }
  const lookAhead = async (): Promise<void> => {
    try {
      const dueAt = await storage.findNextDue(targets())
      // What was due before the last poll and is still there was not for us: no hurry.
      if (dueAt !== undefined) arm(dueAt <= polledAt ? clock.now() + tickSleep : dueAt)
    } catch {
      // The slow poll will meet the same fault, and report it.
    }
  }

  return {
    listen: (functions) => {
      for (const { id } of functions) {
        unlisten.push(storage.notifications.onPending(id.kind, id.name, noticed))
      }
    },
    beginPoll: () => {
      noticedAt = never
      polledAt = clock.now()
    },
    wait: (pause) => {
      waiting = true
      timer?.()
      timer = undefined
      const now = clock.now()
      if (pause <= tickSleep && noticedAt <= now) {
        scheduler.soon(wake)
        return
      }
      arm(now + pause)
      if (pause > tickSleep) return
      if (noticedAt < never) arm(noticedAt)
      void lookAhead()
    },
    close: () => {
      waiting = false
      timer?.()
      for (const cancel of unlisten) cancel()
    },
  }
}
