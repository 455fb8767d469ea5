/** `stele explain`: why an execution does not move. */

import { formatInstant, type Instant } from '../../base/time.ts'
import type { Explanation } from '../../client/explain.ts'
import type { Paint } from '../../client/timeline-canvas.ts'
import { colourOption, type Declare, examples, jsonOption } from '../declare.ts'
import { findExecution } from '../find-execution.ts'
import { formatDistance } from '../format-time.ts'
import { openForReading, useDatabase } from '../open-database.ts'
import type { ColourOption, Session } from '../session.ts'
import { writeJson, writeLine } from '../world.ts'

interface ExplainOptions extends ColourOption {
  readonly json?: true
}

/** Declares the command. */
export const declareExplain: Declare = (program, session) => {
  program
    .command('explain')
    .description('say why an execution does not move: what it waits for, since when, who holds it')
    .argument('<file>', 'the database')
    .argument('<id>', 'the execution')
    .addOption(jsonOption('print JSON'))
    .addOption(colourOption())
    .addHelpText('after', examples('explain app.db order-17'))
    .action((file: string, id: string, options: ExplainOptions) =>
      explain(session, { file, id }, options),
    )
}

async function explain(
  session: Session,
  { file, id }: { readonly file: string; readonly id: string },
  options: ExplainOptions,
): Promise<void> {
  const { world } = session
  await useDatabase(openForReading(world, file), async (database) => {
    const handle = await findExecution(database, id)
    const explanation = await handle.explain()
    if (options.json === true) {
      writeJson(world.out, { id, ...explanation })
      return
    }
    const paint = session.paint(options)
    const lines = drawExplanation(explanation, { now: world.clock.now(), paint })
    for (const line of lines) writeLine(world.out, line)
  })
}

/** An explanation as text. */
export function drawExplanation(
  explanation: Explanation,
  { now, paint }: { readonly now: Instant; readonly paint: Paint },
): readonly string[] {
  const { summary, waitingFor, since, heldBy, nextWakeAt, problems } = explanation
  const at = (instant: Instant): string =>
    `${formatInstant(instant)}, ${formatDistance(instant, now)}`
  const entry = (name: string, text: string): string => `${paint(name.padEnd(14), 'dim')}${text}`
  const isDone = waitingFor === 'nothing'
  return [
    paint(summary, isDone ? 'green' : 'bold'),
    ...(isDone ? [] : [entry('waiting for', waitingFor)]),
    entry(isDone ? 'at' : 'since', at(since)),
    ...(heldBy === undefined ? [] : [entry('held by', describeHolder(heldBy, now))]),
    ...(nextWakeAt === undefined ? [] : [entry('next wake', at(nextWakeAt))]),
    ...problems.map((problem) => entry('problem', paint(problem, 'red'))),
  ]
}

function describeHolder(holder: NonNullable<Explanation['heldBy']>, now: Instant): string {
  const { executorId, host, pid, until, alive } = holder
  const place = host === undefined ? '' : ` on ${host}, process ${pid}`
  const life = alive ? 'alive' : 'no sign of life'
  return `${executorId}${place}, ${life}, lock ends ${formatDistance(until, now)}`
}
