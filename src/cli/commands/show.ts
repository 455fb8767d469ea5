/** `stele show`: one execution with everything that is known of it. */

import type { Engine } from '../../client/create-engine.ts'
import type { LogLineView } from '../../client/handle.ts'
import { formatTimeline } from '../../client/timeline.ts'
import type { Colour, Paint } from '../../client/timeline-canvas.ts'
import type { ExecutionTree } from '../../client/tree.ts'
import type { EventView, ResponseView } from '../../client/view.ts'
import { colourOption, type Declare, examples, integerFrom, jsonOption } from '../declare.ts'
import { describeEvent, describeResponse, showValueLine } from '../describe-event.ts'
import { eventColour } from '../event-colour.ts'
import { type AnyHandle, findExecution } from '../find-execution.ts'
import { formatDuration } from '../format-time.ts'
import { openForReading, pageMax, useDatabase } from '../open-database.ts'
import type { ColourOption, Session } from '../session.ts'
import { headOf } from '../show-head.ts'
import { sourceColumn } from '../source-column.ts'
import { type Column, formatTable } from '../table.ts'
import { writeJson, writeLine } from '../world.ts'

interface ShowOptions extends ColourOption {
  readonly logs?: true
  readonly source?: true
  readonly events: boolean
  readonly timeline: boolean
  readonly children: number
  readonly json?: true
}

const defaultChildren = 20
/** Width of a timeline where nobody looks. */
const pipedWidth = 100

/** Declares the command. */
export const declareShow: Declare = (program, session) => {
  program
    .command('show')
    .description('show one execution: state, input, outcome, timeline with children, events, inbox')
    .argument('<file>', 'the database')
    .argument('<id>', 'the execution')
    .option('--logs', 'also what its function has logged')
    .option('--source', 'the line of code beside each event, where an engine has recorded it')
    .option('--no-events', 'without events and inbox')
    .option('--no-timeline', 'without the timeline')
    .option(
      '--children <n>',
      'children drawn of each execution',
      integerFrom(0, pageMax),
      defaultChildren,
    )
    .addOption(jsonOption('print one JSON document: state, explanation, tree with logs, run logs'))
    .addOption(colourOption())
    .addHelpText(
      'after',
      examples(
        'show app.db order-17',
        'show app.db order-17 --no-events',
        'show app.db order-17 --no-timeline --source',
        'show app.db order-17.o:1-charge_1 --logs',
        "show app.db order-17 --json | jq '.tree.log.events[].type'",
      ),
    )
    .action((file: string, id: string, options: ShowOptions) =>
      show(session, { file, id }, options),
    )
}

async function show(
  session: Session,
  { file, id }: { readonly file: string; readonly id: string },
  options: ShowOptions,
): Promise<void> {
  const isStored = options.json === true
  await useDatabase(openForReading(session.world, file, { isStored }), async (database) => {
    const handle = await findExecution(database, id)
    if (isStored) await printJson(session, handle, options)
    else await print(session, { handle, engine: database.engine }, options)
  })
}

async function printJson(session: Session, handle: AnyHandle, options: ShowOptions): Promise<void> {
  const logs = options.logs === true ? { logs: await handle.logs({ limit: pageMax }) } : {}
  writeJson(session.world.out, {
    id: handle.id,
    state: await handle.state(),
    explanation: await handle.explain(),
    tree: await handle.tree({ logs: true }),
    ...logs,
  })
}

interface Shown {
  readonly handle: AnyHandle
  readonly engine: Engine
}

async function print(
  session: Session,
  { handle, engine }: Shown,
  options: ShowOptions,
): Promise<void> {
  const { world, width } = session
  const paint = session.paint(options)
  const now = world.clock.now()
  const tree = await handle.tree({ logs: true })
  const explanation = await handle.explain()
  const lines = [...headOf(tree, { explanation, now, paint, width })]
  if (options.timeline) {
    lines.push(
      '',
      drawTimeline(tree, session, { options, isOpen: explanation.waitingFor !== 'nothing' }),
    )
  }
  const { events, responses } = tree.log ?? { events: [], responses: [] }
  if (options.events) {
    const source = options.source === true ? [await sourceColumn(engine, events)] : []
    lines.push(...section('Events', eventTable(events, source), { width, paint }))
    lines.push(...section('Inbox', responseTable(responses), { width, paint }))
  }
  if (options.logs === true) {
    const logged = await handle.logs({ limit: pageMax })
    lines.push(...section('Logs', logTable(logged), { width, paint }))
    if (logged.length === 0) lines.push('', paint('No run has logged anything.', 'dim'))
  }
  for (const line of lines) writeLine(world.out, line)
}

/** What has not finished is drawn up to now. */
function drawTimeline(
  tree: ExecutionTree,
  { world, width, paint }: Session,
  { options, isOpen }: { readonly options: ShowOptions; readonly isOpen: boolean },
): string {
  return formatTimeline(tree, {
    columns: Math.min(width, width === Number.POSITIVE_INFINITY ? pipedWidth : width),
    colours: paint(options)('x', 'dim') !== 'x',
    children: options.children,
    ...(isOpen ? { now: world.clock.now() } : {}),
  })
}

interface Surface {
  readonly width: number
  readonly paint: Paint
}

type Draw = (surface: Surface) => readonly string[]

function section(title: string, draw: Draw, surface: Surface): readonly string[] {
  const lines = draw(surface)
  return lines.length === 0 ? [] : ['', surface.paint(title, 'bold'), ...lines]
}

/** Least width of what is said about an event. */
const leastDetail = 20

function eventTable(events: readonly EventView[], more: readonly Column<EventView>[]): Draw {
  const start = events[0]?.createdAt ?? 0
  const columns: readonly Column<EventView>[] = [
    { title: '#', text: ({ version }) => String(version), isRight: true, colour: dim },
    { title: 'AFTER', text: ({ createdAt }) => formatDuration(createdAt - start), isRight: true },
    { title: 'EVENT', text: ({ type }) => type, colour: eventColour },
    { title: '', text: describeEvent, least: leastDetail },
  ]
  return (surface) => formatTable([...columns, ...more], events, surface)
}

function responseTable(responses: readonly ResponseView[]): Draw {
  const columns: readonly Column<ResponseView>[] = [
    { title: '#', text: ({ cursor }) => String(cursor), isRight: true, colour: dim },
    { title: 'RESPONSE', text: ({ type }) => type },
    { title: '', text: describeResponse, least: leastDetail },
  ]
  return (surface) => formatTable(columns, responses, surface)
}

function logTable(lines: readonly LogLineView[]): Draw {
  const start = lines[0]?.createdAt ?? 0
  const columns: readonly Column<LogLineView>[] = [
    { title: 'AFTER', text: ({ createdAt }) => formatDuration(createdAt - start), isRight: true },
    { title: 'LEVEL', text: ({ level }) => level, colour: levelColour },
    { title: 'MESSAGE', text: ({ message }) => message, least: leastDetail },
    {
      title: 'FIELDS',
      text: ({ fields }) => (fields === undefined ? '' : showValueLine(fields)),
      least: leastDetail,
    },
  ]
  return (surface) => formatTable(columns, lines, surface)
}

const dim = (): Colour => 'dim'

function levelColour({ level }: LogLineView): Colour {
  if (level === 'error') return 'red'
  return level === 'warn' ? 'yellow' : 'dim'
}
