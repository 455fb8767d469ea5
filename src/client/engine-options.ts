/** Options of `createEngine`, their defaults, and their check. One table holds every default. */

import type { Codec } from '../base/codec.ts'
import type { Logger } from '../base/logger.ts'
import {
  invalidOption,
  readOptions,
  requireBoolean,
  requireFunctions,
  requireInteger,
  requireOneOf,
  requireText,
} from '../base/options.ts'
import type { Random } from '../base/random.ts'
import {
  type Clock,
  type Duration,
  type Milliseconds,
  parseDuration,
  type Scheduler,
} from '../base/time.ts'
import type { Inspector } from '../engine/engine-context.ts'
import type { Driver } from '../storage/driver.ts'
import type { LockingStrategy } from '../storage/lock.ts'
import { concurrencyMax } from '../workers/function-options.ts'
import type { AnyFunction, Implemented } from '../workers/function-ref.ts'
import { type GivenLimits, type Limits, resolveLimits } from './limits.ts'

/** What a storage is opened with. */
export interface StorageEnvironment {
  /** The engine's clock. */
  readonly clock: Clock
  /** The engine's randomness. */
  readonly random: Random
  /** The engine's timers. */
  readonly scheduler: Scheduler
  /** Only to be read: nothing is created, migrated or written. Default false. */
  readonly readOnly?: boolean | undefined
}

/** A storage that is not open yet, such as `sqlite({ file })` from `stele/sqlite`. */
export interface StorageFactory {
  /** Opens it; the engine closes it when it stops. Rejects with a `storage_…` error. */
  readonly open: (environment: StorageEnvironment) => Promise<Driver>
}

/** How an engine's executors behave. */
export interface ExecutorOptions {
  /** Runs at once in this engine: of activities, and as many of workflows. Default 100. */
  readonly concurrency?: number | undefined
  /** Most executions locked by one poll, up to 500. Default 100. */
  readonly batchSize?: number | undefined
  /** How soon others take over after a crash. Default 30 seconds. */
  readonly lockExpiry?: Duration | undefined
  /** Longest wait between two polls. Default 200 ms. */
  readonly tickSleep?: Duration | undefined
  /**
   * Which versions of an activity this engine takes. Default `by_name`: all of them, recorded as
   * its own; `auto` takes all and leaves the recorded version; `by_version` only its own.
   */
  readonly lockingStrategy?: LockingStrategy | undefined
}

/** How an engine's timers watcher behaves. */
export interface TimersWatcherOptions {
  /** Longest wait between two looks. Default 100 ms. */
  readonly tickSleep?: Duration | undefined
  /** How long after its expiry a lock is freed. Default 500 ms. */
  readonly leeway?: Duration | undefined
}

/** Options of an engine. */
export interface EngineOptions<Fs extends readonly (AnyFunction & Implemented)[]> {
  /** A file name, `':memory:'`, or a storage such as `sqlite({ file })`. */
  readonly storage: string | StorageFactory
  /** What this engine executes once it is started. Default: nothing, a client only. */
  readonly functions?: Fs | undefined
  /** How executions are taken and run. */
  readonly executor?: ExecutorOptions | undefined
  /** How expired locks and due delays are looked for. */
  readonly timersWatcher?: TimersWatcherOptions | undefined
  /** Bounds of values, pages and patience. */
  readonly limits?: GivenLimits | undefined
  /** Recorded with what this engine creates and locks. Default: a new `Dep_` id. */
  readonly deployment?: string | undefined
  /** pino, or anything with its face; `false` for silence. Default: pino, from `warn` on. */
  readonly logger?: Logger | false | undefined
  /** Sees every inspection event of the engine's own actors. Default: nobody. */
  readonly inspect?: Inspector | undefined
  /**
   * While an engine with workflows runs, `Date` and `Math.random` answer deterministically inside
   * workflow code, and timers and `fetch` throw there. `false` leaves the globals alone. Default
   * true.
   */
  readonly guard?: boolean | undefined
  /**
   * Records with each event of a workflow where in the code its call was made, and keeps the texts
   * of the source files. Costs some microseconds for each call. Default false.
   */
  readonly sourceLines?: boolean | undefined
  /** How values become JSON and back. Default: JSON, and devalue for what JSON cannot say. */
  readonly codec?: Codec | undefined
  /** Default: the system's clock. */
  readonly clock?: Clock | undefined
  /** Default: the system's randomness. */
  readonly random?: Random | undefined
  /** Default: the timers of this process. */
  readonly scheduler?: Scheduler | undefined
}

/** Settings in the form the engine uses. */
export interface EngineSettings {
  readonly concurrency: number
  readonly batchSize: number
  readonly lockExpiry: Milliseconds
  readonly tickSleep: Milliseconds
  readonly lockingStrategy: LockingStrategy
  readonly watcherTickSleep: Milliseconds
  readonly watcherLeeway: Milliseconds
  readonly sourceLines: boolean
  readonly limits: Limits
}

/** Every default of an engine, limits apart. */
export const engineDefaults = {
  concurrency: 100,
  batchSize: 100,
  lockExpiry: 30_000,
  tickSleep: 200,
  lockingStrategy: 'by_name',
  watcherTickSleep: 100,
  watcherLeeway: 500,
  stopTimeout: 30_000,
} as const

/** Most executions that one poll may lock. */
export const batchSizeMax = 500

const knownOptions = [
  'storage',
  'functions',
  'executor',
  'timersWatcher',
  'limits',
  'deployment',
  'logger',
  'inspect',
  'guard',
  'sourceLines',
  'codec',
  'clock',
  'random',
  'scheduler',
]
const knownExecutorOptions = [
  'concurrency',
  'batchSize',
  'lockExpiry',
  'tickSleep',
  'lockingStrategy',
]
const strategies = ['by_name', 'by_version', 'auto'] as const

/**
 * A copy of the options, of which everything that will be called can be called. Throws
 * `invalid_option`; what each function is, is looked at later.
 */
export function readEngineOptions<Fs extends readonly (AnyFunction & Implemented)[]>(
  options: EngineOptions<Fs>,
): EngineOptions<Fs> {
  const read = readOptions(options, knownOptions, 'createEngine')
  const { functions, deployment, guard, sourceLines } = read
  if (functions !== undefined && !Array.isArray(functions)) {
    throw invalidOption('functions', 'must be an array')
  }
  if (deployment !== undefined) requireText(deployment, 'deployment')
  if (guard !== undefined) requireBoolean(guard, 'guard')
  if (sourceLines !== undefined) requireBoolean(sourceLines, 'sourceLines')
  requireListeners(read)
  for (const [port, members] of Object.entries(portMembers)) {
    const given: unknown = Reflect.get(read, port)
    if (given !== undefined) requireFunctions(given, port, members)
  }
  return read
}

function requireListeners({
  logger,
  inspect,
}: Pick<EngineOptions<readonly []>, 'logger' | 'inspect'>): void {
  if (logger !== undefined && logger !== false) requireFunctions(logger, 'logger', loggerLevels)
  if (inspect === undefined || typeof inspect === 'function') return
  requireFunctions(inspect, 'inspect', ['next'])
}

const loggerLevels = ['debug', 'info', 'warn', 'error']

/** What the engine calls of what it is given in place of its own. */
const portMembers = {
  codec: ['encode', 'decode'],
  clock: ['now'],
  random: ['next'],
  scheduler: ['after', 'soon', 'onQuiet'],
} as const

/** Checks settings and fills in the defaults. Throws `invalid_option`. */
export function resolveEngineOptions(
  options: EngineOptions<readonly (AnyFunction & Implemented)[]>,
): EngineSettings {
  const read = readOptions(options, knownOptions, 'createEngine')
  const { executor, timersWatcher, sourceLines = false, limits } = read
  return {
    ...resolveExecutor(executor),
    ...resolveTimersWatcher(timersWatcher),
    sourceLines,
    limits: resolveLimits(limits),
  }
}

type ExecutorSettings = Pick<
  EngineSettings,
  'concurrency' | 'batchSize' | 'lockExpiry' | 'tickSleep' | 'lockingStrategy'
>

/** Absent options have defaults; null is a value, and none of those that are allowed. */
function resolveExecutor(options: ExecutorOptions = {}): ExecutorSettings {
  const {
    concurrency = engineDefaults.concurrency,
    batchSize = engineDefaults.batchSize,
    lockExpiry = engineDefaults.lockExpiry,
    tickSleep = engineDefaults.tickSleep,
    lockingStrategy = engineDefaults.lockingStrategy,
  } = readOptions(options, knownExecutorOptions, 'executor')
  return {
    concurrency: requireInteger(concurrency, 'executor.concurrency', {
      min: 1,
      max: concurrencyMax,
    }),
    batchSize: requireInteger(batchSize, 'executor.batchSize', { min: 1, max: batchSizeMax }),
    lockExpiry: positive(lockExpiry, 'executor.lockExpiry'),
    tickSleep: positive(tickSleep, 'executor.tickSleep'),
    lockingStrategy: requireOneOf(lockingStrategy, 'executor.lockingStrategy', strategies),
  }
}

function resolveTimersWatcher(
  options: TimersWatcherOptions = {},
): Pick<EngineSettings, 'watcherTickSleep' | 'watcherLeeway'> {
  const { tickSleep = engineDefaults.watcherTickSleep, leeway = engineDefaults.watcherLeeway } =
    readOptions(options, ['tickSleep', 'leeway'], 'timersWatcher')
  return {
    watcherTickSleep: positive(tickSleep, 'timersWatcher.tickSleep'),
    watcherLeeway: parseDuration(leeway),
  }
}

function positive(duration: Duration, name: string): Milliseconds {
  const length = parseDuration(duration)
  if (length > 0) return length
  throw invalidOption(name, 'must be longer than nothing')
}
