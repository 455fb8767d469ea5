/** `stele machine`: machines as pictures, and as text for other tools. */

import { type Command, Option } from 'commander'
import { readMember } from '../../base/options.ts'
import { colourOption, type Declare, examples } from '../declare.ts'
import { chooseMachine, findMachines, type Machine } from '../machine-source.ts'
import type { ColourOption, Session } from '../session.ts'
import { writeLine } from '../world.ts'

type Format = 'mermaid' | 'svg' | 'json'

interface ExportOptions extends ColourOption {
  readonly format: Format
}

/** Declares the command and those below it. */
export const declareMachine: Declare = (program, session) => {
  const machine = program
    .command('machine')
    .description('machines: of the engine, of a database, of a module')
    .addOption(colourOption())
    .addHelpText('after', examples('machine export execution', 'machine ls app.db'))
  declareExport(machine, session)
  machine
    .command('ls')
    .description('list the machines of a source')
    .argument('[source]', 'a database, a module, or `engine`', 'engine')
    .addOption(colourOption())
    .addHelpText('after', examples('machine ls', 'machine ls app.db', 'machine ls ./order.js'))
    .action(async (source: string) => {
      for (const { name } of await findMachines(session.world, source)) {
        writeLine(session.world.out, name)
      }
    })
}

function declareExport(machine: Command, session: Session): void {
  machine
    .command('export')
    .description('print a machine as Mermaid, as SVG, or as text that Stately Studio takes')
    .argument('<source>', 'a database, a module that exports a machine, or a machine of the engine')
    .argument('[name]', 'which one, where there are several: a function, an export, or an id')
    .addOption(
      new Option('--format <format>', 'what to print; json is a `createMachine(…)` for the Studio')
        .choices(['mermaid', 'svg', 'json'])
        .default('mermaid'),
    )
    .addOption(colourOption())
    .addHelpText(
      'after',
      [
        examples(
          'machine export execution',
          'machine export app.db order --format svg > order.svg',
          'machine export ./order.js orderMachine --format json',
        ),
        '',
        'A module is loaded, and so runs what stands in it.',
      ].join('\n'),
    )
    .action((source: string, name: string | undefined, options: ExportOptions) =>
      exportMachine(session, { source, name }, options),
    )
}

async function exportMachine(
  { world, errPaint }: Session,
  { source, name }: { readonly source: string; readonly name: string | undefined },
  options: ExportOptions,
): Promise<void> {
  const { machine } = chooseMachine(await findMachines(world, source), source, name)
  const { text, lost = [] } = await draw(machine, options.format)
  writeLine(world.out, text.trimEnd())
  if (lost.length === 0) return
  const paths = lost.slice(0, lostShownMax).join(', ')
  const more = lost.length > lostShownMax ? `, and ${lost.length - lostShownMax} more` : ''
  const said = `Functions are only names in this text: ${paths}${more}.`
  writeLine(world.err, errPaint(options)(said, 'dim'))
}

/** Places of functions named at most. */
const lostShownMax = 5

interface Drawn {
  readonly text: string
  readonly lost?: readonly string[]
}

async function draw(machine: Machine, format: Format): Promise<Drawn> {
  if (format === 'json') return drawProgram(machine)
  const { chartOf } = await import('../../inspector/chart.ts')
  const chart = chartOf(machine)
  if (format === 'mermaid') {
    const { mermaidOf } = await import('../../inspector/mermaid.ts')
    return { text: mermaidOf(chart) }
  }
  const { createChartLayouts } = await import('../../inspector/chart-layout.ts')
  const { svgOf } = await import('../../inspector/chart-svg.ts')
  return { text: svgOf(await createChartLayouts().layoutOf(chart)) }
}

async function drawProgram(machine: Machine): Promise<Drawn> {
  const { studioOf } = await import('../../inspector/studio.ts')
  // What a database holds is the configuration itself.
  const config: unknown = readMember(machine, 'config') ?? machine
  const named: unknown = readMember(machine, 'id')
  const id = typeof named === 'string' ? named : '(machine)'
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it is read key by key there
  const { text, lost } = studioOf({ config, id } as Parameters<typeof studioOf>[0])
  return { text, lost: lost.map(({ path }) => path) }
}
