/** A simulation with a name: options and scenario together, so that a module can export it. */

import { invalidOption } from '../base/options.ts'
import { resolveSimulation, type SimulationOptions } from './options.ts'
import { parseRepro } from './repro.ts'
import type { Scenario } from './run.ts'
import { type SimulationResult, simulate } from './simulate.ts'

/** What a module exports for `stele sim repro`. */
export interface Simulation {
  /** What `simulate` is given. */
  readonly options: SimulationOptions
  /** The part of the application. */
  readonly scenario: Scenario
}

/** Options and scenario of a simulation, checked. Throws `invalid_option`. */
export function defineSimulation(options: SimulationOptions, scenario: Scenario): Simulation {
  resolveSimulation(options)
  if (typeof scenario !== 'function') throw invalidOption('scenario', 'must be a function')
  return { options, scenario }
}

/** Whether a module has exported a simulation. */
export function isSimulation(value: unknown): value is Simulation {
  return (
    typeof value === 'object' &&
    value !== null &&
    'options' in value &&
    'scenario' in value &&
    typeof value.scenario === 'function'
  )
}

/** Makes the choices of a repro file again. Rejects with `invalid_option` when it is none. */
export async function reproduce(
  simulation: Simulation,
  reproText: string,
): Promise<SimulationResult> {
  const { seed, tapes } = parseRepro(reproText)
  return simulate({ ...simulation.options, seed, tapes }, simulation.scenario)
}
