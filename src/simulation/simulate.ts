/** `simulate`: one seed, from the first boot to rest, with a report that a person can act on. */

import type { Tapes } from './choices.ts'
import type { LedgerEntry } from './ledger.ts'
import { resolveSimulation, type SimulationOptions, type SimulationSettings } from './options.ts'
import { formatFailure } from './report.ts'
import { type RunResult, runSimulation, type Scenario } from './run.ts'
import { type SimulationFailure, simulationError } from './simulation-error.ts'
import { drawTrace, formatTrace, type TraceLine } from './trace.ts'

/** What a simulation gave. */
export interface SimulationResult {
  /** Nothing failed. */
  readonly ok: boolean
  /** The seed that it ran. */
  readonly seed: number
  /** Every choice that was made; `simulate({ …, seed, tapes })` makes them again. */
  readonly tapes: Tapes
  /** Steps of the kernel. */
  readonly steps: number
  /** How much time has passed in the simulation, in milliseconds. */
  readonly simulatedMs: number
  /** The same for the same seed, options and code. */
  readonly traceHash: string
  /** Marks of `sometimes`, and how often each was hit. */
  readonly marks: Readonly<Record<string, number>>
  /** Kinds of fault that have happened, and how often. */
  readonly faults: Readonly<Record<string, number>>
  /** Commits that anybody could wait for. */
  readonly commits: number
  /** Executions there are in the end. */
  readonly executions: number
  /** What has happened outside of the crash domain. */
  readonly ledger: readonly LedgerEntry[]
  /** What does not hold, when something does not. */
  readonly failure?: SimulationFailure
  /** What happened, as data. */
  readonly lines: readonly TraceLine[]
  /** What happened, one line each. */
  readonly trace: () => string
  /** The last of it as a sequence diagram, in Mermaid. */
  readonly diagram: () => string
  /** The failure, and what led to it, for a person; empty when nothing failed. */
  readonly report: () => string
  /** The database at the end, as a file would hold it. */
  readonly database?: Uint8Array
}

/**
 * Runs a scenario in a simulated world: many engine processes over one store, all of it decided by
 * the seed. Resolves with what happened, failed or not; a failing seed is run twice, and one that
 * does not fail alike is reported as nondeterminism. Rejects with `invalid_option`.
 */
export async function simulate(
  options: SimulationOptions,
  scenario: Scenario,
): Promise<SimulationResult> {
  return simulateOnce(resolveSimulation(options), scenario)
}

/** The same, for settings that were checked. */
export async function simulateOnce(
  settings: SimulationSettings,
  scenario: Scenario,
): Promise<SimulationResult> {
  const first = await oneAtATime(() => runSimulation(settings, scenario))
  if (first.failure === undefined) return resultOf(settings, first)
  const again = await oneAtATime(() => runSimulation(settings, scenario))
  if (again.traceHash === first.traceHash) return resultOf(settings, first)
  return resultOf(settings, { ...first, failure: nondeterminism(first, again) })
}

/** Throws `simulation_failed`, with the report as its message, unless all is well. */
export function requireOk(result: SimulationResult): SimulationResult {
  if (result.ok) return result
  throw simulationError(result.report(), result)
}

/** Runs a candidate once: there are many, and the one that is kept is run twice in the end. */
export async function tryOnce(
  settings: SimulationSettings,
  scenario: Scenario,
): Promise<Pick<RunResult, 'failure' | 'tapes'>> {
  return oneAtATime(() => runSimulation(settings, scenario))
}

let last: Promise<unknown> = Promise.resolve()

/** Globals are of the process, so simulations in one process wait for each other. */
function oneAtATime<Value>(run: () => Promise<Value>): Promise<Value> {
  const mine = last.then(run, run)
  last = mine.catch(() => undefined)
  return mine
}

function nondeterminism(first: RunResult, again: RunResult): SimulationFailure {
  const place = first.lines.findIndex((line, index) => {
    const other = again.lines[index]
    return other === undefined || formatTrace([line]) !== formatTrace([other])
  })
  const [one, other] = [first, again].map(({ lines }) => formatTrace(lines.slice(place, place + 1)))
  return {
    kind: 'nondeterminism',
    invariant: 'the same seed gives the same trace',
    message: [
      'The same seed went two ways: something in the code comes from outside of the simulation.',
      `  once  ${one ?? ''}`,
      `  again ${other ?? ''}`,
      `and the first time this failed: ${first.failure?.message ?? ''}`,
    ].join('\n'),
    at: first.lines[place]?.at ?? 0,
    step: first.lines[place]?.step ?? 0,
  }
}

function resultOf({ seed }: SimulationSettings, run: RunResult): SimulationResult {
  const { failure, database, ...rest } = run
  return {
    ...rest,
    ok: failure === undefined,
    seed,
    ...(failure === undefined ? {} : { failure }),
    ...(database === undefined ? {} : { database }),
    trace: () => formatTrace(run.lines),
    diagram: () => drawTrace(run.lines),
    report: () => (failure === undefined ? '' : formatFailure({ ...rest, seed, failure })),
  }
}
