/**
 * A world for workflows: one database in memory, time that a test moves, and engines on it that die
 * at a chosen write and are replaced. Whatever a dead engine had in its hands is never answered.
 */

import { type AnyFunction, createEngine, type Engine, type Handle, type Implemented } from 'stele'
import type { Milliseconds, Scheduler } from '../../src/base/time.ts'
import type { EngineOptions } from '../../src/client/engine-options.ts'
import { beatInterval } from '../../src/engine/beat.ts'
import type { ExecutionId } from '../../src/model/ids.ts'
import type { Driver } from '../../src/storage/driver.ts'
import { foreignPollInterval } from '../../src/storage/notifications.ts'
import { query, statement } from '../../src/storage/protocol.ts'
import { openSqlite } from '../../src/storage/sqlite/open.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { createTestTime, type TestTime } from '../unit/client/test-engine.ts'
import { overDriver, testEnvironment } from './storage/opened-storage.ts'

type Functions = readonly (AnyFunction & Implemented)[]

/** Where an engine dies. */
export interface Crash {
  /** Its how-many-eth write, from 1. */
  readonly write: number
  /** The write is made, and its caller never knows; or it is not made. */
  readonly committed: boolean
}

/** How a world runs. */
export interface WorldOptions {
  /** The functions of one engine; what they wait for ends with that engine. */
  readonly functions: (scheduler: Scheduler) => Functions
  readonly warmRuns?: number
  /** The first engine's death, and those of its successors. */
  readonly crashes?: readonly Crash[]
  /** How long a lock lasts. Default: longer than any test. */
  readonly lockExpiry?: Milliseconds
  readonly limits?: EngineOptions<Functions>['limits']
}

/** One world. */
export interface World {
  readonly time: TestTime
  /** A client that never dies. */
  readonly client: Engine
  readonly storage: Storage
  /** The engine that runs now. */
  readonly engine: () => Engine
  /** Asks the engine that runs, and its successors as long as they die over it. Never rejects. */
  readonly ask: (question: (engine: Engine) => Promise<unknown>) => Promise<void>
  /** Writes that the engine has made that runs now. */
  readonly writes: () => number
  /** Engines that have died. */
  readonly deaths: () => number
  /** Ends of batches: versions at which a log stood after a commit. */
  readonly cuts: ReadonlyMap<ExecutionId, ReadonlySet<number>>
  /** Moves from timer to timer until it holds; false when nothing more happens by itself. */
  readonly runUntil: (holds: () => Promise<boolean>) => Promise<boolean>
  readonly close: () => Promise<void>
}

/** Longer than anything a test waits for. */
const ages: Milliseconds = 2 ** 50
/** Timers after which a test that goes on is taken for one that never ends. */
const timersMax = 2_000
/** Looks for foreign commits, and signs of life: nobody needs them here, and they never end. */
const leftOut: ReadonlyMap<string, Milliseconds> = new Map([
  ['look', foreignPollInterval],
  ['beatOn', beatInterval],
])

interface Life {
  isDead: boolean
  /** It will not die any more. */
  isSafe: boolean
  writes: number
}

/** Opens a world, and starts its first engine. */
export async function openWorld(options: WorldOptions): Promise<World> {
  const environment = testEnvironment()
  environment.clock.set(1_700_000_000_000)
  const time = createTestTime(environment)
  // Its turns count as the engines' own: whoever settles waits for its commits too.
  const counted = { ...environment, scheduler: time.scheduler }
  const driver = await openSqlite({ file: ':memory:' }, counted)
  const { storage } = overDriver(driver, environment)
  const cuts = new Map<ExecutionId, Set<number>>()
  const crashes = [...(options.crashes ?? [])]
  const base = { clock: time.clock, logger: false } as const
  const clientScheduler = { ...time.scheduler, after: quietAfter(time.scheduler) }
  const client = await createEngine({
    ...base,
    scheduler: clientScheduler,
    functions: options.functions(clientScheduler),
    storage: { open: () => Promise.resolve(undying(driver)) },
  })
  let isClosed = false
  let deaths = 0
  let life: Life = { isDead: false, isSafe: false, writes: 0 }
  const start = async (): Promise<Engine> => {
    const own: Life = { isDead: false, isSafe: false, writes: 0 }
    life = own
    const crash = isClosed ? undefined : crashes.shift()
    const scheduler = mortalScheduler(time.scheduler, own)
    const mortal = mortalDriver(driver, { life: own, crash, cuts })
    const { lockExpiry = ages, limits = {}, warmRuns = 1_000 } = options
    const engine = await createEngine({
      ...base,
      scheduler,
      functions: options.functions(scheduler),
      storage: { open: () => Promise.resolve(mortal) },
      executor: { lockExpiry, tickSleep: ages },
      timersWatcher: { tickSleep: ages, leeway: 100 },
      limits: { warmRuns, ...limits },
    })
    void engine.start().catch(() => undefined)
    await time.settle()
    return engine
  }
  let engine = await start()
  let reviving: Promise<void> | undefined
  const reviveOnce = async (): Promise<void> => {
    deaths += 1
    engine = await start()
    reviving = undefined
  }
  const revive = async (): Promise<void> => {
    if (life.isDead) reviving ??= reviveOnce()
    await reviving
  }
  const runUntil = async (holds: () => Promise<boolean>): Promise<boolean> => {
    for (let timers = 0; timers < timersMax; timers += 1) {
      await time.settle()
      if (life.isDead) {
        await revive()
        continue
      }
      if (await holds()) return true
      const [dueAt] = time.dueTimes()
      if (dueAt === undefined || dueAt - time.clock.now() > ages / 2) return false
      await time.advance(Math.max(0, dueAt - time.clock.now()))
    }
    throw new Error('it goes on for ever')
  }
  const ask: World['ask'] = async (question) => {
    const answers = new Set<Life>()
    for (;;) {
      const asked = life
      const answer = (): void => {
        answers.add(asked)
      }
      question(engine).then(answer, answer)
      while (!answers.has(asked) && !asked.isDead && !asked.isSafe) await time.settle()
      if (answers.has(asked) || isClosed) return
      await revive()
    }
  }
  return {
    time,
    client,
    ask,
    storage,
    engine: () => engine,
    writes: () => life.writes,
    deaths: () => deaths,
    cuts,
    runUntil,
    close: async () => {
      isClosed = true
      life.isSafe = true
      if (life.isDead) await revive()
      const stopped = engine.stop({ timeout: 0 })
      await time.advance(2_000)
      await stopped
      await client.stop({ timeout: 0 })
      await driver.close()
    },
  }
}

/** Whether an execution has finished. */
export async function isFinished(world: World, handle: Handle<unknown>): Promise<boolean> {
  const id = handle.id as ExecutionId
  return (await world.storage.findState(id))?.status === 'finished'
}

function quietAfter(scheduler: Scheduler): Scheduler['after'] {
  return (delay, callback) =>
    leftOut.get(callback.name) === delay ? () => undefined : scheduler.after(delay, callback)
}

function mortalScheduler(scheduler: Scheduler, life: Life): Scheduler {
  const alive = (callback: () => void) => () => {
    if (!life.isDead) callback()
  }
  const after = quietAfter(scheduler)
  return {
    after: (delay, callback) =>
      leftOut.get(callback.name) === delay ? () => undefined : after(delay, alive(callback)),
    soon: (callback) => {
      scheduler.soon(alive(callback))
    },
    onQuiet: (callback) => {
      scheduler.onQuiet(alive(callback))
    },
  }
}

/** Closing leaves the database to the others. */
function undying(driver: Driver): Driver {
  return { ...driver, close: () => Promise.resolve() }
}

function never<Value>(): Promise<Value> {
  return new Promise<Value>(() => undefined)
}

const selectVersions = statement(
  'test-versions',
  'SELECT e.execution_id, e.version FROM executions e',
)

interface Mortal {
  readonly life: Life
  readonly crash: Crash | undefined
  readonly cuts: Map<ExecutionId, Set<number>>
}

function mortalDriver(driver: Driver, { life, crash, cuts }: Mortal): Driver {
  const note = async (): Promise<void> => {
    const rows = await driver.read(() => query(selectVersions))
    for (const row of rows) {
      const id = row['execution_id'] as ExecutionId
      const versions = cuts.get(id) ?? new Set()
      cuts.set(id, versions.add(row['version'] as number))
    }
  }
  return {
    ...undying(driver),
    write: async (protocol) => {
      if (life.isDead) return never()
      life.writes += 1
      const isLast = !life.isSafe && life.writes === crash?.write
      if (isLast) life.isDead = true
      if (isLast && !crash.committed) return never()
      const written = await driver.write(protocol)
      await note()
      return life.isDead ? never() : written
    },
    read: async (protocol) => {
      if (life.isDead) return never()
      const value = await driver.read(protocol)
      return life.isDead ? never() : value
    },
  }
}
