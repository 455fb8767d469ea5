/**
 * Time that stands still until a test moves it: a clock, and a scheduler whose timers run in
 * order of due time. Nothing here reads the wall clock; the same test gives the same order.
 */

import {
  type Cancel,
  type Clock,
  type Instant,
  type Milliseconds,
  type Scheduler,
  systemScheduler,
} from '../../src/base/time.ts'

/** A clock that a test moves. */
export interface TestClock extends Clock {
  /** Moves the clock forward; timers that become due wait for the scheduler. */
  readonly advance: (duration: Milliseconds) => void
  /** Sets the clock, backwards too. */
  readonly set: (instant: Instant) => void
}

/** A clock that shows `start` until it is moved. */
export function createTestClock(start: Instant = 0): TestClock {
  let present = start
  return {
    now: () => present,
    advance: (duration) => {
      present += duration
    },
    set: (instant) => {
      present = instant
    },
  }
}

/** A scheduler that a test moves. */
export interface TestScheduler extends Scheduler {
  /** When the timers that wait are due, in the order in which they will run. */
  readonly dueTimes: () => readonly Instant[]
  /** Runs what `soon` has queued, and what that queues, until all promises are settled. */
  readonly settle: () => Promise<void>
  /** Moves the clock from timer to timer, settling after each, until the time has passed. */
  readonly advance: (duration: Milliseconds) => Promise<void>
}

/** How a test scheduler behaves. */
export interface TestSchedulerOptions {
  /**
   * Who runs what `soon` has queued: the test, by `settle` or `advance` (`manual`, the default),
   * or the event loop (`event_loop`), for tests that await storage without thinking of time.
   */
  readonly soon?: 'manual' | 'event_loop'
}

interface Timer {
  readonly dueAt: Instant
  readonly callback: () => void
}

/** A scheduler on this clock. Timers of one instant run in the order in which they were set. */
export function createTestScheduler(
  clock: TestClock,
  { soon = 'manual' }: TestSchedulerOptions = {},
): TestScheduler {
  const timers: Timer[] = []
  const queue: (() => void)[] = []
  const settle = async (): Promise<void> => {
    do {
      for (const callback of queue.splice(0)) callback()
      await eventLoopTurn()
    } while (queue.length > 0)
  }
  const advance = async (duration: Milliseconds): Promise<void> => {
    const end = clock.now() + duration
    await settle()
    for (;;) {
      const timer = timers[0]
      if (timer === undefined || timer.dueAt > end) break
      timers.shift()
      clock.set(Math.max(clock.now(), timer.dueAt))
      timer.callback()
      await settle()
    }
    clock.set(Math.max(clock.now(), end))
  }
  return {
    after: (delay, callback) => {
      const timer = { dueAt: clock.now() + Math.max(0, delay), callback }
      insertSorted(timers, timer)
      return cancelOf(timers, timer)
    },
    soon: (callback) => {
      if (soon === 'manual') queue.push(callback)
      else setImmediate(callback)
    },
    onQuiet: systemScheduler.onQuiet,
    dueTimes: () => timers.map(({ dueAt }) => dueAt),
    settle,
    advance,
  }
}

/** One whole turn of the event loop: every promise that can settle has settled after it. */
export function eventLoopTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve)
  })
}

function insertSorted(timers: Timer[], timer: Timer): void {
  const place = timers.findIndex(({ dueAt }) => dueAt > timer.dueAt)
  timers.splice(place < 0 ? timers.length : place, 0, timer)
}

function cancelOf(timers: Timer[], timer: Timer): Cancel {
  return () => {
    const place = timers.indexOf(timer)
    if (place >= 0) timers.splice(place, 1)
  }
}
