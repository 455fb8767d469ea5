/**
 * An engine whose time only a test moves, over a database that the test can look into. Writes run
 * by themselves, so every method of the engine can be awaited; timers run when the test advances.
 */

import { type AnyFunction, createEngine, type Engine, type Handle, type Implemented } from 'stele'
import { sqlite } from 'stele/sqlite'
import { expect } from 'vitest'
import type { Milliseconds, Scheduler } from '../../../src/base/time.ts'
import type { EngineOptions, StorageEnvironment } from '../../../src/client/engine-options.ts'
import type { Driver } from '../../../src/storage/driver.ts'
import type { Storage } from '../../../src/storage/storage.ts'
import { checkInvariants } from '../../support/storage/check-invariants.ts'
import {
  overDriver,
  type TestEnvironment,
  testEnvironment,
} from '../../support/storage/opened-storage.ts'
import { eventLoopTurn, type TestClock } from '../../support/test-time.ts'

type Functions = readonly (AnyFunction & Implemented)[]

/** Options of an engine in a test; what is left out is as in production. */
export interface TestEngineOptions extends Partial<Omit<EngineOptions<Functions>, 'scheduler'>> {
  /** Default true. */
  readonly started?: boolean
  /** Default: in memory. */
  readonly file?: string
  /** Stands between the engine and its database. */
  readonly wrap?: (driver: Driver) => Driver
  /** Time that is shared with another engine. */
  readonly time?: TestTime
}

/** Time of a test. */
export interface TestTime {
  readonly clock: TestClock
  readonly scheduler: Scheduler
  /** Lets everything happen that needs no time. */
  readonly settle: () => Promise<void>
  /** When the timers that wait are due. */
  readonly dueTimes: () => readonly number[]
  /** Moves from timer to timer, settling after each, until the time has passed. */
  readonly advance: (duration: Milliseconds) => Promise<void>
}

/** An engine under test; disposing stops it. */
export interface TestEngine extends TestTime, AsyncDisposable {
  readonly engine: Engine
  /** The same database, behind the back of the engine. */
  readonly storage: Storage
  /** Checks every log and row of the storage. */
  readonly check: () => Promise<void>
  /** Stops within two seconds of fake time. */
  readonly stop: () => Promise<void>
}

/** Turns without anything queued after which nothing will be queued by itself. */
const quietTurns = 3

/** Time that stands still until it is moved. */
export function createTestTime(environment: TestEnvironment = testEnvironment()): TestTime {
  const { clock, scheduler } = environment
  let queued = 0
  const counting: Scheduler = {
    after: scheduler.after,
    soon: (callback) => {
      queued += 1
      scheduler.soon(() => {
        queued -= 1
        callback()
      })
    },
    onQuiet: scheduler.onQuiet,
  }
  const settle = async (): Promise<void> => {
    for (let quiet = 0; quiet < quietTurns; quiet += 1) {
      await eventLoopTurn()
      if (queued > 0) quiet = -1
    }
  }
  const advance = async (duration: Milliseconds): Promise<void> => {
    const end = clock.now() + duration
    await settle()
    for (;;) {
      const [dueAt] = scheduler.dueTimes()
      if (dueAt === undefined || dueAt > end) break
      await scheduler.advance(Math.max(0, dueAt - clock.now()))
      await settle()
    }
    clock.set(Math.max(clock.now(), end))
  }
  return { clock, scheduler: counting, settle, dueTimes: scheduler.dueTimes, advance }
}

/** Creates an engine, and starts it unless told otherwise. */
export async function openTestEngine(options: TestEngineOptions = {}): Promise<TestEngine> {
  const { started = true, file = ':memory:', wrap, time = createTestTime(), ...rest } = options
  let behind: Storage | undefined
  const storage = {
    open: async (environment: StorageEnvironment): Promise<Driver> => {
      const opened = await sqlite({ file }).open(environment)
      behind = overDriver(opened, testEnvironment()).storage
      return wrap === undefined ? opened : wrap(opened)
    },
  }
  const { clock, scheduler, advance, settle } = time
  const engine = await createEngine({ storage, clock, scheduler, logger: false, ...rest })
  if (behind === undefined) return expect.unreachable('the storage was not opened')
  if (started) {
    await engine.start()
    await settle()
  }
  const stop = async (): Promise<void> => {
    const stopped = engine.stop({ timeout: 0 })
    await advance(2_000)
    await stopped
  }
  const inside = behind
  return {
    ...time,
    engine,
    storage: inside,
    check: () => checkInvariants(inside),
    stop,
    [Symbol.asyncDispose]: stop,
  }
}

/** The types of the events in a log. */
export async function typesOf(handle: Handle<unknown>): Promise<readonly string[]> {
  const { events } = await handle.log()
  return events.map(({ type }) => type)
}

/** What was rejected and caught by nobody while the callback ran. */
export async function unhandledWhile(callback: () => Promise<void>): Promise<readonly unknown[]> {
  const seen: unknown[] = []
  const listen = (reason: unknown): void => {
    seen.push(reason)
  }
  const others = process.listeners('unhandledRejection')
  process.removeAllListeners('unhandledRejection')
  process.on('unhandledRejection', listen)
  try {
    await callback()
    await eventLoopTurn()
    await eventLoopTurn()
  } finally {
    process.removeListener('unhandledRejection', listen)
    for (const other of others) process.on('unhandledRejection', other)
  }
  return seen
}
