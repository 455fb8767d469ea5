/** A test for any runner: one line makes a test of a simulation, steered from the environment. */

import { SteleError } from '../base/error.ts'
import { type ExploreOptions, explore } from './explore.ts'
import { formatRepro, parseRepro } from './repro.ts'
import type { Scenario } from './run.ts'
import { requireOk, simulate } from './simulate.ts'
import { simulationError } from './simulation-error.ts'

/** The function of a test runner that declares a test: vitest's, Jest's, `node:test`'s. */
export type DeclareTest = (name: string, run: () => Promise<void>) => unknown

/** What a runner's environment says; variables that are not set are absent. */
export interface SimTestEnvironment {
  /** Only this seed, unshrunk. */
  readonly SIM_SEED?: string | undefined
  /** So many seeds instead of those in the options. */
  readonly SIM_RUNS?: string | undefined
  /** The text of a repro file, or its path when `readFile` is given. */
  readonly SIM_REPRO?: string | undefined
}

/** Where a test gets its environment from, and leaves repro files. */
export interface SimTestHost {
  readonly environment: SimTestEnvironment
  readonly readFile: (path: string) => string
  readonly writeFile: (path: string, text: string) => void
}

/** Declares tests. */
export type SimTest = (name: string, options: ExploreOptions, scenario: Scenario) => void

/**
 * A `simTest` for a runner: `const simTest = createSimTest(test, host)`. Each test explores its
 * seeds, and fails with a report and the path of a repro file. `SIM_SEED`, `SIM_RUNS` and
 * `SIM_REPRO` in the environment say what to run instead.
 */
export function createSimTestOn(declare: DeclareTest, host: SimTestHost): SimTest {
  return (name, options, scenario) => {
    declare(name, async () => {
      const { SIM_SEED, SIM_RUNS, SIM_REPRO } = host.environment
      const { runs, budget, shrinkBudget, onProgress, ...simulation } = options
      if (isSet(SIM_REPRO)) {
        const { seed, tapes } = parseRepro(readRepro(host, SIM_REPRO))
        requireOk(await simulate({ ...simulation, seed, tapes }, scenario))
      } else if (isSet(SIM_SEED)) {
        requireOk(await simulate({ ...simulation, seed: numberOf('SIM_SEED', SIM_SEED) }, scenario))
      } else {
        const wanted = isSet(SIM_RUNS) ? numberOf('SIM_RUNS', SIM_RUNS) : runs
        const rest = { budget, shrinkBudget, onProgress }
        await exploreOrFail(name, { ...simulation, ...rest, runs: wanted }, { scenario, host })
      }
    })
  }
}

async function exploreOrFail(
  name: string,
  options: ExploreOptions,
  { scenario, host }: { readonly scenario: Scenario; readonly host: SimTestHost },
): Promise<void> {
  const result = await explore(options, scenario)
  if (result.ok) return
  if (result.failure === undefined) throw simulationError(result.report(), result)
  const path = `repro-${name.replaceAll(/[^A-Za-z0-9]+/g, '-')}.json`
  host.writeFile(path, formatRepro(result.failure.repro))
  const advice = `Run it again with SIM_REPRO=${path}`
  throw simulationError(`${result.report()}\n\n${advice}`, result)
}

/** An empty variable says nothing. */
function isSet(variable: string | undefined): variable is string {
  return variable !== undefined && variable !== ''
}

function readRepro(host: SimTestHost, path: string): string {
  try {
    return host.readFile(path)
  } catch (cause) {
    const message = `The file ${path}, which SIM_REPRO names, cannot be read.`
    throw new SteleError('invalid_option', message, { fields: { path }, cause })
  }
}

function numberOf(name: string, text: string): number {
  const value = Number(text)
  if (Number.isSafeInteger(value) && value >= 0) return value
  throw new SteleError('invalid_option', `${name} must be a whole number, not ${text}.`)
}
