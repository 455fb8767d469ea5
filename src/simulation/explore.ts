/** `explore`: many seeds, until one fails or the budget is used up; the failure is made smaller. */

import { invalidOption, readOptions, requireInteger } from '../base/options.ts'
import {
  type Clock,
  type Duration,
  type Milliseconds,
  requireDuration,
  systemClock,
} from '../base/time.ts'
import { countChoices, type Tapes } from './choices.ts'
import { resolveSimulation, type SimulationOptions, type SimulationSettings } from './options.ts'
import { type Repro, reproOf } from './repro.ts'
import type { Scenario } from './run.ts'
import { shrinkTapes } from './shrink.ts'
import { type SimulationResult, simulateOnce, tryOnce } from './simulate.ts'

/** Options of an exploration. */
export interface ExploreOptions extends Omit<SimulationOptions, 'tapes'> {
  /** How many seeds, from `seed` on. Default 100. */
  readonly runs?: number | undefined
  /** No new seed is begun after this real time. Default: no limit. */
  readonly budget?: Duration | undefined
  /** Real time for making a failure smaller. Default 10 seconds; 0: it stays as it is. */
  readonly shrinkBudget?: Duration | undefined
  /** Hears how far it has come, after each seed. */
  readonly onProgress?: ((progress: ExploreProgress) => void) | undefined
}

/** Sums over all seeds so far. */
export interface ExploreProgress {
  /** Seeds that were run. */
  readonly seeds: number
  /** Steps of the kernel. */
  readonly steps: number
  /** Simulated time, in milliseconds. */
  readonly simulatedMs: number
  /** Commits that anybody could wait for. */
  readonly commits: number
  /** Executions there were in the end. */
  readonly executions: number
  /** Kinds of fault, and how often each has happened. */
  readonly faults: Readonly<Record<string, number>>
  /** Marks, and how often each was hit. */
  readonly marks: Readonly<Record<string, number>>
}

/** What an exploration found. */
export interface ExploreResult extends ExploreProgress {
  /** Nothing failed, and every declared mark was hit. */
  readonly ok: boolean
  /** The first failure, made smaller. */
  readonly failure?: FoundFailure
  /** Declared marks that no seed has hit. */
  readonly missedMarks: readonly string[]
  /** Everything for a person. */
  readonly report: () => string
}

/** A failure, and the way to it. */
export interface FoundFailure {
  /** The smallest case that was found. */
  readonly result: SimulationResult
  /** Choices before and after it was made smaller. */
  readonly choices: { readonly found: number; readonly smallest: number }
  /** Runs that making it smaller took. */
  readonly shrinkRuns: number
  /** What a repro file holds of it. */
  readonly repro: Repro
}

/** Seeds when nothing else is said. */
const runsDefault = 100
/** Runs of one shrinking. */
const shrinkRunsMax = 20_000

const ownOptions = ['runs', 'budget', 'shrinkBudget', 'onProgress'] as const

/**
 * Simulates one seed after the other. Resolves with what it found; rejects with `invalid_option`.
 * Real time decides only when to stop, never what a seed does.
 */
export async function explore(options: ExploreOptions, scenario: Scenario): Promise<ExploreResult> {
  const { runs = runsDefault, budget, shrinkBudget = '10s', onProgress, ...simulation } = options
  readOptions(options, [...Object.keys(simulation), ...ownOptions], 'explore')
  const time = budget === undefined ? undefined : requireDuration(budget, 'budget')
  const shrinkTime = requireDuration(shrinkBudget, 'shrinkBudget')
  requireInteger(runs, 'runs', { min: 1, max: Number.MAX_SAFE_INTEGER })
  if (onProgress !== undefined && typeof onProgress !== 'function') {
    throw invalidOption('onProgress', 'must be a function')
  }
  const settings = { ...resolveSimulation(simulation), keepsDatabase: false }
  const hasTime = stopwatch(time)
  const sums = createSums(settings.marks)
  for (let index = 0; index < runs && hasTime(); index += 1) {
    const result = await simulateOnce({ ...settings, seed: settings.seed + index }, scenario)
    sums.add(result)
    onProgress?.(sums.soFar())
    if (result.ok) continue
    const failure = await makeSmaller({ settings, scenario, result, simulation, shrinkTime })
    return finish(sums.soFar(), settings, failure)
  }
  return finish(sums.soFar(), settings)
}

interface ToShrink {
  readonly settings: SimulationSettings
  readonly simulation: SimulationOptions
  readonly scenario: Scenario
  readonly result: SimulationResult
  readonly shrinkTime: Milliseconds
}

async function makeSmaller(given: ToShrink): Promise<FoundFailure> {
  const { settings, scenario, result, simulation, shrinkTime } = given
  const { seed, failure } = result
  const run = (tapes: Tapes): Promise<SimulationResult> =>
    simulateOnce({ ...settings, seed, tapes }, scenario)
  const shrunk = await shrinkTapes({
    tapes: result.tapes,
    invariant: failure?.invariant ?? '',
    runs: shrinkRunsMax,
    hasTime: stopwatch(failure?.kind === 'nondeterminism' ? 0 : shrinkTime),
    run: async (tapes) => {
      const candidate = { ...settings, seed, tapes }
      const { failure: found, tapes: made } = await tryOnce(candidate, scenario)
      return { invariant: found?.invariant, tapes: made }
    },
  })
  const smallest = shrunk.runs === 0 ? result : await run(shrunk.tapes)
  return {
    result: smallest,
    choices: { found: countChoices(result.tapes), smallest: countChoices(smallest.tapes) },
    shrinkRuns: shrunk.runs,
    repro: reproOf(simulation, smallest),
  }
}

function stopwatch(budget: Milliseconds | undefined, clock: Clock = systemClock): () => boolean {
  if (budget === undefined) return () => true
  const startedAt = clock.now()
  return () => clock.now() - startedAt < budget
}

interface Sums {
  readonly add: (result: SimulationResult) => void
  readonly soFar: () => ExploreProgress
}

function createSums(marks: readonly string[]): Sums {
  const numbers = { seeds: 0, steps: 0, simulatedMs: 0, commits: 0, executions: 0 }
  const faults: Record<string, number> = {}
  const hits: Record<string, number> = Object.fromEntries(marks.map((mark) => [mark, 0]))
  return {
    add: (result) => {
      numbers.seeds += 1
      for (const key of ['steps', 'simulatedMs', 'commits', 'executions'] as const) {
        numbers[key] += result[key]
      }
      addAll(faults, result.faults)
      addAll(hits, result.marks)
    },
    soFar: () => ({ ...numbers, faults: { ...faults }, marks: { ...hits } }),
  }
}

function addAll(sums: Record<string, number>, more: Readonly<Record<string, number>>): void {
  for (const [key, count] of Object.entries(more)) sums[key] = (sums[key] ?? 0) + count
}

function finish(
  progress: ExploreProgress,
  settings: SimulationSettings,
  failure?: FoundFailure,
): ExploreResult {
  const missedMarks = settings.marks.filter((mark) => (progress.marks[mark] ?? 0) === 0)
  return {
    ...progress,
    ok: failure === undefined && missedMarks.length === 0,
    missedMarks,
    ...(failure === undefined ? {} : { failure }),
    report: () => reportOf(progress, missedMarks, failure),
  }
}

function reportOf(
  { seeds, steps, simulatedMs }: ExploreProgress,
  missedMarks: readonly string[],
  failure: FoundFailure | undefined,
): string {
  const days = (simulatedMs / 86_400_000).toFixed(1)
  const summary = `${seeds} seeds, ${steps} steps, ${days} simulated days`
  const missed = missedMarks.map((mark) => `The mark ${JSON.stringify(mark)} was never hit.`)
  if (failure === undefined) return [`${summary}: nothing failed.`, ...missed].join('\n')
  const { found, smallest } = failure.choices
  return [
    `${summary}; made smaller from ${found} choices to ${smallest}, in ${failure.shrinkRuns} runs.`,
    '',
    failure.result.report(),
  ].join('\n')
}
