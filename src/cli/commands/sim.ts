/** `stele sim`: simulations that a module exports, and the failures that were kept of them. */

import { readFileSync } from 'node:fs'
import type { Command } from 'commander'
import { SteleError } from '../../base/error.ts'
import type { Simulation } from '../../simulation/define-simulation.ts'
import type { SimulationResult } from '../../simulation/simulate.ts'
import { formatTrace } from '../../simulation/trace.ts'
import { colourOption, type Declare, examples, integerFrom } from '../declare.ts'
import { exitCodes } from '../exit-codes.ts'
import { importModule } from '../import-module.ts'
import { nearestNames, suggestion } from '../nearest.ts'
import type { ColourOption, Session } from '../session.ts'
import { writeLine } from '../world.ts'

interface ReproOptions extends ColourOption {
  readonly export?: string
  readonly until?: number
  readonly diagram?: true
}

/** Declares the command and those below it. */
export const declareSim: Declare = (program, session) => {
  const sim = program
    .command('sim')
    .description('simulations: failures that were kept, step by step')
    .addOption(colourOption())
    .addHelpText('after', examples('sim repro repro-order.json ./order.sim.js'))
  declareRepro(sim, session)
}

function declareRepro(sim: Command, session: Session): void {
  sim
    .command('repro')
    .description('make the choices of a repro file again, and print what happens')
    .argument('<file>', 'the repro file, as `explore` or `simTest` gave it')
    .argument('<module>', 'the module that exports its simulation (`defineSimulation`)')
    .option('--export <name>', 'which simulation, where the module exports several')
    .option('--until <step>', 'print the trace up to this step', integerFrom(0, stepMax))
    .option('--diagram', 'print a sequence diagram in Mermaid instead of the trace')
    .addOption(colourOption())
    .addHelpText(
      'after',
      [
        examples(
          'sim repro repro-order.json ./order.sim.js',
          'sim repro repro-order.json ./order.sim.js --until 40',
        ),
        '',
        'Ends with 1 when it still fails, with 0 when it no longer does.',
      ].join('\n'),
    )
    .action((file: string, module: string, options: ReproOptions) =>
      repro(session, { file, module }, options),
    )
}

const stepMax = Number.MAX_SAFE_INTEGER

async function repro(
  session: Session,
  { file, module }: { readonly file: string; readonly module: string },
  options: ReproOptions,
): Promise<void> {
  const { reproduce } = await import('../../simulation/define-simulation.ts')
  const simulation = await findSimulation(module, options.export)
  const result = await reproduce(simulation, readRepro(file))
  for (const line of drawResult(result, options)) writeLine(session.world.out, line)
  if (!result.ok) session.endWith(exitCodes.failed)
}

function drawResult(result: SimulationResult, { until, diagram }: ReproOptions): readonly string[] {
  const steps = until ?? result.steps
  const lines = result.lines.filter(({ step }) => step <= steps)
  const shown = diagram === true ? result.diagram() : formatTrace(lines)
  const { failure } = result
  const verdict =
    failure === undefined
      ? 'It does not fail any more.'
      : `It fails at step ${failure.step}: ${failure.invariant}\n${failure.message}`
  return [shown, '', verdict]
}

function readRepro(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    throw new SteleError(
      'invalid_option',
      `The repro file ${JSON.stringify(file)} cannot be read. ` +
        'Give the file that a test has written.',
      { fields: { file }, cause },
    )
  }
}

async function findSimulation(module: string, name: string | undefined): Promise<Simulation> {
  const { isSimulation } = await import('../../simulation/define-simulation.ts')
  const exported = Object.entries(await importModule(module))
  const found = exported.flatMap(([key, value]) => (isSimulation(value) ? [{ key, value }] : []))
  const names = found.map(({ key }) => key)
  const chosen =
    name === undefined && found.length === 1 ? found[0] : found.find(({ key }) => key === name)
  if (chosen !== undefined) return chosen.value
  const which = found.length === 0 ? 'no simulation' : names.join(', ')
  throw new SteleError(
    'invalid_option',
    `${JSON.stringify(module)} exports ${which}.${suggestion(nearestNames(name ?? '', names))} ` +
      'Export what `defineSimulation` gives, and name it with --export where there are several.',
    { fields: { module, export: name } },
  )
}
