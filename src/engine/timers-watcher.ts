/**
 * The timers watcher: an XState actor that frees expired locks, fires due delays and carries
 * cancellations down. Needs no code of users: everything it judges by stands in the rows.
 */

import {
  type ActorLogic,
  type ActorRefFrom,
  type AnyActorRef,
  type AnyMachineSnapshot,
  createActor,
} from 'xstate'
import { type TimersWatcherEvent, timersWatcherMachine } from '../../machines/timers-watcher.ts'
import { accept } from '../base/result.ts'
import {
  addDuration,
  type Cancel,
  type Instant,
  type Milliseconds,
  type Purpose,
} from '../base/time.ts'
import type { ExecutionId } from '../model/ids.ts'
import type { LockedState } from '../model/state.ts'
import { isRowFault } from '../storage/row-fault.ts'
import type { Answer } from '../storage/storage.ts'
import type { DueDelay, ExpiredTimers } from '../storage/timers.ts'
import { createActorClock } from './actor-clock.ts'
import { compile, type Effects } from './compile.ts'
import type { EngineContext } from './engine-context.ts'
import { createProblemLog, type ProblemLog, pauseAfter } from './problem-log.ts'
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

const never: Instant = Number.POSITIVE_INFINITY

const compiled = compile<TimersWatcherEvent>(timersWatcherMachine)

/** A watcher that does nothing until it is started, or ticked by hand. */
export function createTimersWatcher(options: TimersWatcherOptions): TimersWatcher {
  return new TickingWatcher(options)
}

class TickingWatcher implements TimersWatcher {
  readonly actor: ActorRefFrom<ActorLogic<AnyMachineSnapshot, TimersWatcherEvent>>
  readonly #context: EngineContext
  readonly #settings: TimersWatcherSettings
  readonly #problems: ProblemLog
  #ticking: Promise<void> | undefined
  #timer: Cancel | undefined
  #wakeAt = never
  #noticedAt = never
  /** What was due by the last tick and is still there was refused: it is no reason for haste. */
  #ticked: TickInstants = { locksExpiredBy: -never, delaysDueBy: -never }
  #isClosing = false
  #unlisten: Cancel | undefined

  constructor({ context, settings }: TimersWatcherOptions) {
    const { inspect, scheduler } = context
    this.#context = context
    this.#settings = settings
    this.#problems = createProblemLog(context, 'The timers watcher')
    this.actor = createActor(compiled.logic(this.#effects()), {
      id: 'timers-watcher',
      clock: createActorClock(scheduler),
      ...(inspect === undefined ? {} : { inspect }),
    })
  }

  start(): void {
    const { clock, storage } = this.#context
    this.#unlisten = storage.notifications.onTimer((dueAt) => {
      this.#noticedAt = Math.min(this.#noticedAt, dueAt ?? clock.now())
      if (this.#timer !== undefined) this.#arm(this.#noticedAt)
    })
    this.actor.start()
  }

  tick(instants: TickInstants): Promise<TickProgress> {
    return tick(this.#context, instants)
  }

  async close(): Promise<void> {
    this.#isClosing = true
    this.actor.start()
    this.#send('close')
    await this.#ticking
  }

  /** What the machine's actions do. */
  #effects(): Effects {
    return {
      tick: () => {
        if (!this.#isClosing) this.#ticking = this.#tickAndReport()
      },
      wait: () => void this.#wait(),
      release: () => {
        this.#disarm()
        this.#unlisten?.()
      },
    }
  }

  async #tickAndReport(): Promise<void> {
    const now = this.#context.clock.now()
    this.#noticedAt = never
    try {
      const instants = { locksExpiredBy: now - this.#settings.leeway, delaysDueBy: now }
      this.#ticked = instants
      const { hasMore } = await this.tick(instants)
      this.#problems.worked()
      this.#send(hasMore ? 'more_expired' : 'caught_up')
    } catch (cause) {
      this.#problems.failed(cause)
      this.#send('tick_failed')
    }
  }

  async #wait(): Promise<void> {
    const { clock, storage } = this.#context
    const { tickSleep, leeway } = this.#settings
    const streak = this.#problems.streak()
    this.#arm(clock.now() + pauseAfter(streak, tickSleep), 'poll')
    if (streak > 0) return
    this.#arm(this.#noticedAt)
    try {
      const { lockExpiresAt, delayDueAt } = await storage.findNextTimers()
      if (this.#timer === undefined) return
      const { locksExpiredBy, delaysDueBy } = this.#ticked
      if (isAfter(lockExpiresAt, locksExpiredBy)) this.#arm(addDuration(lockExpiresAt, leeway))
      if (isAfter(delayDueAt, delaysDueBy)) this.#arm(delayDueAt)
    } catch {
      // The next tick will meet the same fault, and report it.
    }
  }

  #arm(at: Instant, purpose?: Purpose): void {
    if (at >= this.#wakeAt) return
    this.#disarm()
    this.#wakeAt = at
    const { clock, scheduler } = this.#context
    const ring = (): void => {
      this.#disarm()
      this.#send('timer_due')
    }
    this.#timer = scheduler.after(Math.max(0, at - clock.now()), ring, purpose)
  }

  #disarm(): void {
    this.#timer?.()
    this.#timer = undefined
    this.#wakeAt = never
  }

  #send(type: TimersWatcherEvent['type']): void {
    this.actor.send({ type })
  }
}

function isAfter(at: Instant | undefined, tickedBy: Instant): at is Instant {
  return at !== undefined && at > tickedBy
}

/** Handles what has expired, each in its own transaction; races are won by whoever is first. */
async function tick(context: EngineContext, instants: TickInstants): Promise<TickProgress> {
  const { storage } = context
  const expired = await storage.findExpired({ ...instants, limit: timersPerTick })
  if (expired.poison.length > 0) {
    context.logger.error({ rows: expired.poison }, 'Rows that cannot be read were set aside')
    await storage.setAside(expired.poison)
  }
  const [locks, delays, cancelled] = await Promise.all([
    countTrue(expired.locks.map((state) => free(context, state, instants.locksExpiredBy))),
    fireAll(context, expired.delays, instants.delaysDueBy),
    countTrue(
      expired.cancelling.map(({ executionId }) =>
        handle(context, executionId, () =>
          storage.closeCancelled({ executionId, createdAt: instants.delaysDueBy }),
        ),
      ),
    ),
  ])
  return {
    expiredLocks: locks,
    firedDelays: delays.fired,
    cancelled,
    hasMore: isFull(expired) && locks + delays.fired + delays.heldBack + cancelled > 0,
  }
}

async function free(
  context: EngineContext,
  state: LockedState,
  expiredAt: Instant,
): Promise<boolean> {
  const event = settleExpired(state, expiredAt)
  const { executionId } = state
  return handle(context, executionId, async () => {
    const freed = await context.storage.append({
      executionId,
      version: state.version + 1,
      events: [{ event, createdAt: expiredAt }],
      known: state,
    })
    return freed.ok ? accept(true) : freed
  })
}

/**
 * Handles one row. Races are lost quietly; a row whose surroundings are broken (its parent is
 * gone, a child cannot be read) is set aside, or it would come up for ever and crowd out others.
 */
async function handle(
  { storage, logger }: EngineContext,
  executionId: ExecutionId,
  work: () => Answer<boolean>,
): Promise<boolean> {
  const setAside = async (reason: string): Promise<boolean> => {
    logger.error({ executionId, reason }, 'An execution was set aside')
    await storage.setAside([{ executionId, reason }])
    return false
  }
  try {
    const done = await work()
    if (done.ok) return done.value
    if (done.error.kind === 'not_found') return await setAside(`${done.error.id} does not exist`)
    logger.debug({ executionId, refusal: done.error }, 'Somebody else was first')
    return done.error.kind === 'unlock_refused'
  } catch (cause) {
    if (isRowFault(cause)) return setAside(cause.message)
    throw cause
  }
}

/** Fires delays. One that cannot end is held back, or it would come up for ever and crowd out. */
async function fireAll(
  context: EngineContext,
  delays: readonly DueDelay[],
  firedAt: Instant,
): Promise<{ readonly fired: number; readonly heldBack: number }> {
  const ends = await Promise.all(delays.map((delay) => fire(context, delay, firedAt)))
  const stuck = ends.filter((end) => typeof end === 'object')
  if (stuck.length > 0) {
    const shown = stuck.slice(0, stuckShownMax)
    context.logger.error({ count: stuck.length, delays: shown }, heldBackAdvice)
    await Promise.all(
      stuck.map(({ delayId }) => context.storage.setDelayPause({ delayId, paused: true })),
    )
  }
  return { fired: ends.filter((end) => end === true).length, heldBack: stuck.length }
}

/** Whether it fired, unless others were first; or why it cannot. */
async function fire(
  { storage }: EngineContext,
  { delayId }: DueDelay,
  firedAt: Instant,
): Promise<boolean | StuckDelay> {
  try {
    const ended = await storage.endDelay({ delayId, createdAt: firedAt, result: 'ok' })
    if (ended.ok || ended.error.kind !== 'not_found') return ended.ok
    return { delayId, reason: `${ended.error.id} does not exist` }
  } catch (cause) {
    if (isRowFault(cause)) return { delayId, reason: cause.message }
    throw cause
  }
}

interface StuckDelay extends DueDelay {
  readonly reason: string
}

/** Delays that one line of the log names. */
const stuckShownMax = 10

const heldBackAdvice =
  'Delays that cannot end were held back; the others go on. Repair their executions, then let ' +
  'them go: `engine.delay(id).unpause()`.'

async function countTrue(answers: readonly Promise<boolean>[]): Promise<number> {
  const settled = await Promise.all(answers)
  return settled.filter(Boolean).length
}

function isFull({ locks, delays, cancelling }: ExpiredTimers): boolean {
  return [locks, delays, cancelling].some((rows) => rows.length >= timersPerTick)
}
