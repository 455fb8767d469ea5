/**
 * The timers watcher: an XState actor that frees expired locks, fires due delays and carries
 * cancellations down. Needs no code of users: everything it judges by stands in the rows.
 */

import { type AnyActorRef, createActor } from 'xstate'
import { type TimersWatcherEvent, timersWatcherMachine } from '../../machines/timers-watcher.ts'
import { addDuration, type Cancel, type Instant, type Milliseconds } from '../base/time.ts'
import type { LockedState } from '../model/state.ts'
import type { DueDelay, ExpiredTimers } from '../storage/timers.ts'
import { compile } from './compile.ts'
import type { EngineContext } from './engine-context.ts'
import { createProblemLog } from './problem-log.ts'
import { settleExpired } from './settle.ts'

/** How the watcher behaves. */
export interface TimersWatcherSettings {
  /** Longest time between two looks. */
  readonly tickSleep: Milliseconds
  /** How long after its expiry a lock is freed, so that a slow owner may still answer. */
  readonly leeway: Milliseconds
}

/** What the watcher stands on. */
export interface TimersWatcherOptions {
  readonly context: EngineContext
  readonly settings: TimersWatcherSettings
}

/** The instants a tick goes by. */
export interface TickInstants {
  /** Locks that expired by now are freed, and their events carry this time. */
  readonly locksExpiredBy: Instant
  /** Delays due by now fire, and their responses carry this time. */
  readonly delaysDueBy: Instant
}

/** What a tick did. Races that others won are not counted. */
export interface TickProgress {
  readonly expiredLocks: number
  readonly firedDelays: number
  readonly cancelled: number
  /** There was more of something than fits into one tick. */
  readonly hasMore: boolean
}

/** A running watcher. */
export interface TimersWatcher {
  readonly actor: AnyActorRef
  readonly start: () => void
  /** One tick by hand. Rejects when the storage fails. */
  readonly tick: (instants: TickInstants) => Promise<TickProgress>
  /** Resolves when the tick that was under way has ended. Idempotent. */
  readonly close: () => Promise<void>
}

/** Most locks, and most delays, that one tick handles. */
export const timersPerTick = 500
/** Longest pause between ticks of a storage that fails. */
const failurePauseMax: Milliseconds = 5_000

const compiled = compile<TimersWatcherEvent>(timersWatcherMachine)

/** A watcher that does nothing until it is started, or ticked by hand. */
export function createTimersWatcher(options: TimersWatcherOptions): TimersWatcher {
  const { context, settings } = options
  const { clock, scheduler, storage } = context
  const problems = createProblemLog(context.logger, 'The timers watcher')
  let ticking: Promise<void> | undefined
  let timer: Cancel | undefined
  let wakeAt: Instant = Number.POSITIVE_INFINITY
  let noticedAt: Instant = Number.POSITIVE_INFINITY

  const send = (type: TimersWatcherEvent['type']): void => {
    actor.send({ type })
  }
  const disarm = (): void => {
    timer?.()
    timer = undefined
    wakeAt = Number.POSITIVE_INFINITY
  }
  const arm = (at: Instant): void => {
    if (at >= wakeAt) return
    disarm()
    wakeAt = at
    timer = scheduler.after(Math.max(0, at - clock.now()), () => {
      disarm()
      send('timer_due')
    })
  }
  const wait = async (): Promise<void> => {
    const streak = problems.streak()
    const pause = settings.tickSleep * 2 ** Math.min(streak, 10)
    arm(clock.now() + Math.min(pause, Math.max(failurePauseMax, settings.tickSleep)))
    if (streak > 0) return
    arm(noticedAt)
    try {
      const { lockExpiresAt, delayDueAt } = await storage.findNextTimers()
      if (timer === undefined) return
      if (lockExpiresAt !== undefined) arm(addDuration(lockExpiresAt, settings.leeway))
      if (delayDueAt !== undefined) arm(delayDueAt)
    } catch {
      // The next tick will meet the same fault, and report it.
    }
  }
  const tickAndReport = async (): Promise<void> => {
    const now = clock.now()
    noticedAt = Number.POSITIVE_INFINITY
    try {
      const instants = { locksExpiredBy: now - settings.leeway, delaysDueBy: now }
      const { hasMore } = await tick(context, instants)
      problems.worked()
      send(hasMore ? 'more_expired' : 'caught_up')
    } catch (cause) {
      problems.failed(cause)
      send('tick_failed')
    }
  }
  const actor = createActor(
    compiled.logic({
      tick: () => {
        ticking = tickAndReport()
      },
      wait: () => void wait(),
      release: () => {
        disarm()
        unlisten?.()
      },
    }),
    {
      id: 'timers-watcher',
      ...(context.inspect === undefined ? {} : { inspect: context.inspect }),
    },
  )
  let unlisten: Cancel | undefined

  return {
    actor,
    tick: (instants) => tick(context, instants),
    start: () => {
      unlisten = storage.notifications.onTimer((dueAt) => {
        noticedAt = Math.min(noticedAt, dueAt ?? clock.now())
        if (timer !== undefined) arm(noticedAt)
      })
      actor.start()
    },
    close: async () => {
      actor.start()
      send('close')
      await ticking
    },
  }
}

/** Handles what has expired, each in a transaction of its own; races are won by whoever is first. */
async function tick(context: EngineContext, instants: TickInstants): Promise<TickProgress> {
  const { storage } = context
  const expired = await storage.findExpired({ ...instants, limit: timersPerTick })
  if (expired.poison.length > 0) {
    context.logger.error({ rows: expired.poison }, 'Rows that cannot be read were set aside')
    await storage.setAside(expired.poison)
  }
  const [locks, delays, cancelled] = await Promise.all([
    countTrue(expired.locks.map((state) => free(context, state, instants.locksExpiredBy))),
    countTrue(expired.delays.map((delay) => fire(context, delay, instants.delaysDueBy))),
    countTrue(
      expired.cancelling.map(({ executionId }) =>
        storage.closeCancelled({ executionId, createdAt: instants.delaysDueBy }),
      ),
    ),
  ])
  return {
    expiredLocks: locks,
    firedDelays: delays,
    cancelled,
    hasMore: isFull(expired) && locks + delays + cancelled > 0,
  }
}

async function free(
  { storage, logger }: EngineContext,
  state: LockedState,
  expiredAt: Instant,
): Promise<boolean> {
  const event = settleExpired(state, expiredAt)
  const { executionId } = state
  const freed = await storage.append({
    executionId,
    version: state.version + 1,
    events: [{ event, createdAt: expiredAt }],
    known: state,
  })
  if (!freed.ok) logger.debug({ executionId, refusal: freed.error }, 'The lock was not freed')
  return freed.ok || freed.error.kind === 'unlock_refused'
}

async function fire(
  { storage }: EngineContext,
  { delayId }: DueDelay,
  firedAt: Instant,
): Promise<boolean> {
  const ended = await storage.endDelay({ delayId, createdAt: firedAt, result: 'ok' })
  return ended.ok
}

async function countTrue(answers: readonly Promise<boolean>[]): Promise<number> {
  const settled = await Promise.all(answers)
  return settled.filter(Boolean).length
}

function isFull({ locks, delays, cancelling }: ExpiredTimers): boolean {
  return [locks, delays, cancelling].some((rows) => rows.length >= timersPerTick)
}
