/** Options of a simulation, their defaults, and their check. */

import type { Logger } from '../base/logger.ts'
import { invalidOption, readOptions, requireInteger, requireOneOf } from '../base/options.ts'
import { type Duration, type Milliseconds, parseDuration } from '../base/time.ts'
import type { EngineOptions } from '../client/engine-options.ts'
import type { AnyFunction, Implemented } from '../workers/function-ref.ts'
import type { ActivityReplacements } from './activities.ts'
import type { Tapes } from './choices.ts'
import { type FaultLevel, type FaultOptions, readFaults } from './faults.ts'
import type { Invariant } from './invariant.ts'
import type { StoreKind } from './store.ts'

/** What a simulation can execute. */
export type Functions = readonly (AnyFunction & Implemented)[]

/** Options that every engine of a simulation gets. */
export interface SimulatedEngines
  extends Pick<EngineOptions<Functions>, 'executor' | 'timersWatcher' | 'limits' | 'codec'> {
  /** How many engine processes there are: a number, or from which to which. Default 1. */
  readonly count?: number | readonly [number, number] | undefined
}

/** How far a simulation may go. */
export interface SimulationLimits {
  /** Steps of the kernel, in all. Default 100,000. */
  readonly steps?: number | undefined
  /** Steps with faults; then everything heals. Default 5,000. */
  readonly chaosSteps?: number | undefined
  /** Simulated time with faults; then everything heals. Default 90 days. */
  readonly chaosTime?: Duration | undefined
  /** Simulated time after that, for what is left to end. Default 400 days. */
  readonly restTime?: Duration | undefined
}

/** Options of a simulation. */
export interface SimulationOptions {
  /** Decides everything that is left to chance. Default 1. */
  readonly seed?: number | undefined
  /** Choices to make again, from a repro file or from `result.tapes`; what is missing is benign. */
  readonly tapes?: Tapes | undefined
  /** The user's own activities and workflows. */
  readonly functions: Functions
  /** What stands for activities, by name; the others run as they are. */
  readonly activities?: ActivityReplacements | undefined
  /** The processes that execute. */
  readonly engines?: SimulatedEngines | undefined
  /** What goes wrong: a level, or rates. Default `calm`: nothing. */
  readonly faults?: FaultLevel | FaultOptions | undefined
  /** `memory` (the default) for speed, `file` for real connections to a temporary file. */
  readonly store?: StoreKind | undefined
  /** What must hold beside what the engine promises. */
  readonly invariants?: readonly Invariant[] | undefined
  /** Marks that some seed has to reach with `sometimes`, or `explore` fails. */
  readonly marks?: readonly string[] | undefined
  /** Bounds. */
  readonly limits?: SimulationLimits | undefined
  /** Hears what the engines log; the trace is the same with and without. Default: nobody. */
  readonly logger?: Logger | undefined
  /** Sees the engines' actors; the trace is the same with and without. Default: nobody. */
  readonly inspect?: EngineOptions<Functions>['inspect']
  /** False: at the end, workflows are not replayed from their logs. Default true. */
  readonly checksReplay?: boolean | undefined
  /** False: polls are made even where they would find nothing. Default: as the seed has it. */
  readonly skipsPolls?: boolean | undefined
}

/** Options in the form that the simulator uses. */
export interface SimulationSettings {
  readonly seed: number
  readonly tapes: Tapes | undefined
  readonly functions: Functions
  readonly activities: ActivityReplacements
  readonly engines: SimulatedEngines
  readonly engineCounts: readonly [number, number]
  readonly faults: FaultOptions
  readonly store: StoreKind
  readonly invariants: readonly Invariant[]
  readonly marks: readonly string[]
  readonly steps: number
  readonly chaosSteps: number
  readonly chaosTime: Milliseconds
  readonly restTime: Milliseconds
  readonly logger: Logger | false
  readonly inspect: EngineOptions<Functions>['inspect']
  readonly skipsPolls: boolean | undefined
  readonly checksReplay: boolean
  /** Whether the result has the database. */
  readonly keepsDatabase: boolean
}

/** Every default of a simulation. */
export const simulationDefaults = {
  seed: 1,
  steps: 100_000,
  chaosSteps: 5_000,
  chaosTime: '90 days',
  restTime: '400 days',
} as const

const storeKinds = ['memory', 'file'] as const

/** More engines than this are no small world. */
const engineCountMax = 16

const knownOptions = [
  'seed',
  'tapes',
  'functions',
  'activities',
  'engines',
  'faults',
  'store',
  'invariants',
  'marks',
  'limits',
  'logger',
  'inspect',
  'skipsPolls',
  'checksReplay',
]

/** Checks options and fills in defaults. Throws `invalid_option`. */
export function resolveSimulation(options: SimulationOptions): SimulationSettings {
  const read = readOptions(options, knownOptions, 'simulate')
  const { engines = {}, activities = {}, limits, checksReplay = true } = read
  if (!Array.isArray(read.functions)) throw invalidOption('functions', 'must be an array')
  checkReplacements(read.functions, activities)
  return {
    seed: requireInteger(read.seed ?? simulationDefaults.seed, 'seed', {
      min: 0,
      max: Number.MAX_SAFE_INTEGER,
    }),
    tapes: read.tapes,
    functions: read.functions,
    activities,
    engines,
    engineCounts: countsOf(engines.count),
    faults: readFaults(read.faults ?? 'calm'),
    ...resolveLists(read),
    ...resolveLimits(limits),
    logger: read.logger ?? false,
    inspect: read.inspect,
    skipsPolls: read.skipsPolls,
    checksReplay,
    keepsDatabase: true,
  }
}

function resolveLists({
  store = 'memory',
  invariants = [],
  marks = [],
}: SimulationOptions): Pick<SimulationSettings, 'store' | 'invariants' | 'marks'> {
  return { store: requireOneOf(store, 'store', storeKinds), invariants, marks }
}

function resolveLimits(
  limits: SimulationLimits = {},
): Pick<SimulationSettings, 'steps' | 'chaosSteps' | 'chaosTime' | 'restTime'> {
  const known = ['steps', 'chaosSteps', 'chaosTime', 'restTime']
  const read = { ...simulationDefaults, ...readOptions(limits, known, 'limits') }
  const range = { min: 1, max: Number.MAX_SAFE_INTEGER }
  return {
    steps: requireInteger(read.steps ?? simulationDefaults.steps, 'limits.steps', range),
    chaosSteps: requireInteger(
      read.chaosSteps ?? simulationDefaults.chaosSteps,
      'limits.chaosSteps',
      range,
    ),
    chaosTime: parseDuration(read.chaosTime ?? simulationDefaults.chaosTime),
    restTime: parseDuration(read.restTime ?? simulationDefaults.restTime),
  }
}

function countsOf(count: SimulatedEngines['count'] = 1): readonly [number, number] {
  const [min, max] = typeof count === 'number' ? [count, count] : count
  const range = { min: 1, max: engineCountMax }
  requireInteger(min, 'engines.count', range)
  return [min, requireInteger(max, 'engines.count', { ...range, min })]
}

/** A name that stands for nothing is a mistake, and would leave the real activity in place. */
function checkReplacements(functions: Functions, activities: ActivityReplacements): void {
  const names = new Set(functions.map(({ name }) => name))
  for (const name of Object.keys(activities)) {
    if (!names.has(name)) {
      throw invalidOption(`activities.${name}`, 'must have the name of one of `functions`')
    }
  }
}
