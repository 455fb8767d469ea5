/** What the seed's tests share: a storage, a clock that a test moves, and ways to run what is due. */

import { expect } from 'vitest'
import type { Executor } from '../../src/engine/executor.ts'
import type { Worker } from '../../src/engine/worker.ts'
import type { ExecutionEvent } from '../../src/model/event.ts'
import type { RetryPolicy } from '../../src/model/retry.ts'
import type { ExecutionState } from '../../src/model/state.ts'
import type { LockingStrategy } from '../../src/storage/lock.ts'
import { executionId } from '../support/storage/ids.ts'
import { activityRequest } from '../support/storage/requests.ts'
import { accepted, present } from '../support/storage/results.ts'
import { activityFunction, eventsOf, executorIn, watcherIn } from '../unit/engine/builders.ts'
import { openSurroundings, type Surroundings } from '../unit/engine/surroundings.ts'

/** Every test runs under each of these. */
const strategies: readonly LockingStrategy[] = ['by_name', 'by_version', 'auto']

/** Who runs what is due: a test that ticks, or the engine's own loops. */
export type Driving = 'ticked' | 'running'
const drivings: readonly Driving[] = ['ticked', 'running']

/** Every combination, as `it.each` takes it. */
export const cases = strategies.flatMap((strategy) =>
  drivings.map((driving) => ({ strategy, driving })),
)

/** Not the epoch, so that a forgotten clock shows. */
export const start = 1_700_000_000_000

/** One executor of a seed's test. */
export interface SeedExecutor {
  readonly executor: Executor
  /** Lets it run what is due now; gives how many executions it locked, when it is ticked. */
  readonly runDue: () => Promise<number | undefined>
}

/** How a seed's executor is made. */
export interface SeedOptions {
  readonly worker: Worker
  readonly strategy: LockingStrategy
  readonly driving: Driving
  readonly retry?: RetryPolicy
  readonly lockExpiry?: number
}

/** Everything one of the seed's tests stands on. */
export interface SeedTest extends Surroundings {
  readonly createActivity: (id?: string) => Promise<void>
  readonly openExecutor: (options: SeedOptions) => SeedExecutor
  /** Lets the timers watcher do what has expired; gives how many locks it freed, when ticked. */
  readonly watch: (driving: Driving) => Promise<number | undefined>
  /** Moves the clock; the running loops do what becomes due on the way. */
  readonly moveForward: (duration: number) => Promise<void>
  readonly eventAt: (id: string, version: number) => Promise<SeenEvent>
  readonly stateOf: (id: string) => Promise<ExecutionState>
  readonly countEvents: (id: string) => Promise<number>
}

/** An event, and when it happened. */
export interface SeenEvent {
  readonly createdAt: number
  readonly event: ExecutionEvent
}

/** Opens a storage at `start`. */
export async function openSeedTest(): Promise<SeedTest> {
  const surroundings = await openSurroundings({ start })
  const { store, scheduler, clock, done } = surroundings
  const read = async <Value>(look: () => Promise<Value>): Promise<Value> => {
    await scheduler.settle()
    return look()
  }
  let watcher: ReturnType<typeof watcherIn> | undefined
  return {
    ...surroundings,
    createActivity: async (id = 'a') => {
      const now = clock.now()
      const request = activityRequest(id, { createdAt: now, scheduledAt: now })
      await done(accepted(store.create(request)))
    },
    openExecutor: (options) => openExecutor(surroundings, options),
    watch: async (driving) => {
      if (driving === 'running') {
        watcher ??= watcherIn(surroundings)
        watcher.start()
        await scheduler.settle()
        return undefined
      }
      const now = clock.now()
      const instants = { locksExpiredBy: now, delaysDueBy: now }
      const { expiredLocks } = await done(watcherIn(surroundings).tick(instants))
      return expiredLocks
    },
    moveForward: (duration) => scheduler.advance(duration),
    eventAt: async (id, version) => {
      const events = await read(() => eventsOf(store, id))
      return present(events[version], `event ${version} of ${id}`)
    },
    stateOf: async (id) => present(await read(() => store.findState(executionId(id))), id),
    countEvents: async (id) => (await read(() => eventsOf(store, id))).length,
  }
}

function openExecutor(surroundings: Surroundings, options: SeedOptions): SeedExecutor {
  const { done, clock, scheduler } = surroundings
  const { worker, strategy, driving, lockExpiry = 1000 } = options
  const retry = options.retry ?? { maxRetries: 0, backoff: 0 }
  const functions = [activityFunction({ strategy, retry, lockExpiry, timeout: lockExpiry })]
  const executor = executorIn(surroundings, { worker, functions, settings: { batchSize: 1 } })
  if (driving === 'ticked') {
    return {
      executor,
      runDue: async () => {
        const { locked } = await done(executor.poll(clock.now()))
        await scheduler.settle()
        return locked
      },
    }
  }
  let isStarted = false
  return {
    executor,
    runDue: async () => {
      if (!isStarted) executor.start()
      isStarted = true
      await scheduler.settle()
      return undefined
    },
  }
}

/** A number of locks that only a tick by hand can say. */
export function expectCount(count: number | undefined, expected: number, driving: Driving): void {
  expect(count).toBe(driving === 'ticked' ? expected : undefined)
}
