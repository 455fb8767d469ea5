/** `stele doctor`: a check-up of the whole database, with a verdict. */

import type { Colour, Paint } from '../../client/timeline-canvas.ts'
import { colourOption, type Declare, examples, jsonOption } from '../declare.ts'
import { examine } from '../doctor/examine.ts'
import { type Finding, type FindingLevel, judge } from '../doctor/finding.ts'
import { exitCodes } from '../exit-codes.ts'
import { openForReading, useDatabase } from '../open-database.ts'
import { createProgress } from '../progress.ts'
import type { ColourOption, Session } from '../session.ts'
import { writeJson, writeLine } from '../world.ts'

interface DoctorOptions extends ColourOption {
  readonly json?: true
}

/** Declares the command. */
export const declareDoctor: Declare = (program, session) => {
  program
    .command('doctor')
    .description('examine the whole database: pages, rows, logs, engines, clocks, what is stuck')
    .argument('<file>', 'the database')
    .addOption(jsonOption('print one JSON document: verdict, findings, sizes'))
    .addOption(colourOption())
    .addHelpText(
      'after',
      [
        examples(
          'doctor app.db',
          'doctor app.db --json | jq \'.findings[] | select(.level != "ok")\'',
        ),
        '',
        'Exit code 0 when it is healthy, warnings included, and 1 when something is wrong.',
        'Every page, row and event is read once: some seconds for each million of events.',
      ].join('\n'),
    )
    .action((file: string, options: DoctorOptions) => examineFile(session, file, options))
}

async function examineFile(session: Session, file: string, options: DoctorOptions): Promise<void> {
  const { world } = session
  await useDatabase(openForReading(world, file), async (database) => {
    const progress = createProgress(world)
    const examined = await examine({ world, database, progress }).finally(() => {
      progress.end()
    })
    const verdict = judge(examined.findings)
    if (!verdict.isHealthy) session.endWith(exitCodes.failed)
    if (options.json === true) {
      writeJson(world.out, { verdict, ...examined })
      return
    }
    const paint = session.paint(options)
    for (const line of examined.findings.flatMap((finding) => drawFinding(finding, paint))) {
      writeLine(world.out, line)
    }
    writeLine(world.out)
    const colour = verdict.isHealthy ? 'green' : 'red'
    writeLine(world.out, `${paint('Verdict:', 'bold')} ${paint(verdict.summary, colour)}`)
  })
}

const marks: Readonly<Record<FindingLevel, { readonly glyph: string; readonly colour: Colour }>> = {
  ok: { glyph: '✓', colour: 'green' },
  note: { glyph: '·', colour: 'dim' },
  warning: { glyph: '!', colour: 'yellow' },
  problem: { glyph: '✗', colour: 'red' },
}

function drawFinding(
  { level, summary, examples: few, advice }: Finding,
  paint: Paint,
): readonly string[] {
  const { glyph, colour } = marks[level]
  return [
    `${paint(glyph, colour)} ${summary}`,
    ...(few ?? []).map((example) => `    ${example}`),
    ...(advice === undefined ? [] : [`  ${paint(`→ ${advice}`, 'dim')}`]),
  ]
}
