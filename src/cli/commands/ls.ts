/** `stele ls`: a page of executions, newest first. */

import { Option } from 'commander'
import type { Instant } from '../../base/time.ts'
import type { ListPage } from '../../client/client.ts'
import type { Colour } from '../../client/timeline-canvas.ts'
import type { ListItem } from '../../client/view.ts'
import { type ExecutionStatus, executionStatuses } from '../../model/state.ts'
import { colourOption, type Declare, examples, integerFrom, jsonOption } from '../declare.ts'
import { formatDistance, formatDuration, formatSecond, parseMoment } from '../format-time.ts'
import { openForReading, pageMax, useDatabase } from '../open-database.ts'
import type { ColourOption, Session } from '../session.ts'
import { type Column, formatTable } from '../table.ts'
import { writeJson, writeLine } from '../world.ts'

interface LsOptions extends ColourOption {
  readonly function?: string
  readonly status?: ExecutionStatus
  readonly outcome?: 'ok' | 'err' | 'execution_failure'
  readonly idPrefix?: string
  readonly since?: string
  readonly until?: string
  readonly paused?: true
  readonly children?: true
  readonly limit: number
  readonly after?: string
  readonly json?: true
}

const defaultLimit = 20

/** Declares the command. */
export const declareLs: Declare = (program, session) => {
  program
    .command('ls')
    .description('list executions, newest first')
    .argument('<file>', 'the database')
    .option('--function <name>', 'of this function')
    .addOption(new Option('--status <status>', 'in this state').choices([...executionStatuses]))
    .addOption(
      new Option('--outcome <type>', 'finished so').choices(['ok', 'err', 'execution_failure']),
    )
    .option('--id-prefix <text>', 'whose ids begin so')
    .option('--since <when>', "created at or after: a date, or how long ago ('2h')")
    .option('--until <when>', 'created before')
    .option('--paused', 'paused ones only')
    .option('--children', 'children too, not only what was submitted or scheduled')
    .option('--limit <n>', 'at most this many', integerFrom(1, pageMax), defaultLimit)
    .option('--after <cursor>', 'the next page: the cursor that the page before gave')
    .addOption(jsonOption())
    .addOption(colourOption())
    .addHelpText(
      'after',
      examples(
        'ls app.db',
        'ls app.db --status blocked --function checkout',
        'ls app.db --outcome execution_failure --since 1d --children',
        "ls app.db --json | jq -r '.items[].id'",
      ),
    )
    .action((file: string, options: LsOptions) => list(session, file, options))
}

async function list(session: Session, file: string, options: LsOptions): Promise<void> {
  const { world } = session
  const now = world.clock.now()
  const { since, until, function: fn, status, outcome, idPrefix, paused, children } = options
  const query = {
    function: fn,
    status,
    outcome,
    idPrefix,
    paused,
    children,
    createdFrom: since === undefined ? undefined : parseMoment(since, '--since', now),
    createdBefore: until === undefined ? undefined : parseMoment(until, '--until', now),
  }
  await useDatabase(openForReading(world, file), async (database) => {
    const page = await database.engine.list(query, { limit: options.limit, after: options.after })
    if (options.json === true) writeJson(world.out, page)
    else print(session, page, options)
  })
}

function print(session: Session, { items, next }: ListPage, options: LsOptions): void {
  const { world, width } = session
  const now = world.clock.now()
  const lines = formatTable(columnsAt(now), items, { width, paint: session.paint(options) })
  for (const line of lines) writeLine(world.out, line)
  const dim = session.errPaint(options)
  if (items.length === 0) writeLine(world.err, dim('No execution matches.', 'dim'))
  if (next !== undefined) writeLine(world.err, dim(`More: --after ${next}`, 'dim'))
}

function columnsAt(now: Instant): readonly Column<ListItem>[] {
  return [
    { title: 'ID', text: ({ id }) => id, least: 30 },
    { title: 'FUNCTION', text: ({ functionName }) => functionName, least: 10 },
    { title: 'STATUS', text: (item) => statusOf(item, now), colour: statusColour, least: 11 },
    { title: 'ATT', text: ({ attempt }) => String(attempt), isRight: true },
    {
      title: 'CREATED (UTC)',
      text: ({ createdAt }) => formatSecond(createdAt),
      colour: dim,
      least: 11,
    },
    { title: 'TOOK', text: tookOf, isRight: true, colour: dim },
    { title: 'OUTCOME', text: outcomeOf, colour: outcomeColour, least: 8 },
  ]
}

const dim = (): Colour => 'dim'

/** The state and what adds to it. */
function statusOf(item: ListItem, now: Instant): string {
  const { status, scheduledAt, paused, cancelling, setAside } = item
  const isLater = scheduledAt !== undefined && scheduledAt > now
  return [
    status,
    ...(isLater ? [formatDistance(scheduledAt, now)] : []),
    ...(paused ? ['paused'] : []),
    ...(cancelling ? ['cancelling'] : []),
    ...(setAside === undefined ? [] : ['set aside']),
  ].join(', ')
}

function statusColour({ status, paused, cancelling, setAside }: ListItem): Colour {
  if (setAside !== undefined) return 'red'
  if (paused || cancelling) return 'blue'
  if (status === 'finished') return 'dim'
  return status === 'locked' ? 'cyan' : 'yellow'
}

function tookOf({ createdAt, finishedAt }: ListItem): string {
  return finishedAt === undefined ? '' : formatDuration(finishedAt - createdAt)
}

function outcomeOf({ outcomeType, failureKind }: ListItem): string {
  return failureKind ?? outcomeType ?? ''
}

function outcomeColour({ outcomeType, failureKind }: ListItem): Colour {
  if (failureKind === 'cancelled') return 'blue'
  return outcomeType === 'ok' ? 'green' : 'red'
}
