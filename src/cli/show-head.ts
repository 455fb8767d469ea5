/** The first lines about an execution: what it is, where it stands, what went in and came out. */

import { inspect } from 'node:util'
import { formatInstant, type Instant } from '../base/time.ts'
import type { Explanation } from '../client/explain.ts'
import type { Paint } from '../client/timeline-canvas.ts'
import type { ExecutionTree } from '../client/tree.ts'
import type { EventView } from '../client/view.ts'
import type { Outcome, StoredFailure } from '../model/outcome.ts'
import { describeOutcome } from './describe-event.ts'
import { formatDistance, formatDuration } from './format-time.ts'

/** What the lines are made with. */
export interface HeadOptions {
  readonly explanation: Explanation
  readonly now: Instant
  readonly paint: Paint
  readonly width: number
}

/** A line of the head: a name, and a text of one line or several. */
type Entry = readonly [name: string, text: string | undefined]

/** The lines about an execution whose log was read. */
export function headOf(tree: ExecutionTree, options: HeadOptions): readonly string[] {
  const { paint } = options
  const { execution } = tree
  const title = `${paint(execution.id, 'bold')}  ${statusText(tree, options)}`
  const entries = [...identityOf(tree), ...timesOf(tree, options), ...valuesOf(tree, options)]
  return [title, ...entries.flatMap((entry) => drawEntry(entry, paint))]
}

function statusText(
  { execution, log }: ExecutionTree,
  { explanation, paint }: HeadOptions,
): string {
  const last = log?.events.at(-1)
  if (last?.type !== 'finished') {
    return `${paint(execution.status, 'yellow')}  ${explanation.summary}`
  }
  const { type } = last.outcome
  if (type !== 'execution_failure')
    return paint(`finished, ${type}`, type === 'ok' ? 'green' : 'red')
  return paint(`finished, ${describeOutcome(last.outcome)}`, 'red')
}

function identityOf({ execution, log }: ExecutionTree): readonly Entry[] {
  const { kind, functionName, functionVersion, parentId } = execution
  const created = createdOf(log?.events)
  const metadata = Object.entries(created?.metadata ?? {})
  return [
    ['function', `${functionName}, ${kind}, version ${functionVersion}`],
    ['parent', parentId],
    ['scheduled by', created?.scheduledBy],
    [
      'metadata',
      metadata.length === 0 ? undefined : metadata.map((one) => one.join('=')).join(' '),
    ],
  ]
}

function createdOf(
  events: readonly EventView[] | undefined,
): Extract<EventView, { readonly type: 'created' }> | undefined {
  const first = events?.[0]
  return first?.type === 'created' ? first : undefined
}

function timesOf(
  { execution }: ExecutionTree,
  { explanation, now }: HeadOptions,
): readonly Entry[] {
  const { createdAt, finishedAt, attempt } = execution
  const took = finishedAt === undefined ? '' : `, took ${formatDuration(finishedAt - createdAt)}`
  const attempts = attempt === 1 ? '' : `, attempt ${attempt}`
  const since = explanation.since > createdAt ? explanation.since : createdAt
  return [
    ['created', `${formatInstant(createdAt)}, ${formatDistance(createdAt, now)}${took}${attempts}`],
    ...(finishedAt === undefined
      ? ([
          ['waiting for', `${explanation.waitingFor}, since ${formatDistance(since, now)}`],
          [
            'problem',
            explanation.problems.length === 0 ? undefined : explanation.problems.join('\n'),
          ],
        ] as const)
      : []),
  ]
}

function valuesOf({ log }: ExecutionTree, options: HeadOptions): readonly Entry[] {
  const last = log?.events.at(-1)
  const input = createdOf(log?.events)?.input
  const entries = last?.type === 'finished' ? outcomeEntries(last.outcome, options) : []
  return [['input', showIfAny(input, options)], ...entries]
}

function outcomeEntries(outcome: Outcome | StoredFailure, options: HeadOptions): readonly Entry[] {
  if (outcome.type === 'execution_failure') return [['detail', outcome.detail]]
  return [[outcome.type === 'ok' ? 'output' : 'error', showIfAny(outcome.value, options)]]
}

function showIfAny(value: unknown, options: HeadOptions): string | undefined {
  return value === undefined ? undefined : showValue(value, options)
}

/** Width of the names, and of the longest line of a value where nothing limits it. */
const nameWidth = 14
const pipedWidth = 100

/** A value, over several lines where it needs them. */
export function showValue(
  value: unknown,
  { paint, width }: Pick<HeadOptions, 'paint' | 'width'>,
): string {
  const colors = paint('x', 'dim') !== 'x'
  const breakLength = Math.min(width, pipedWidth) - nameWidth
  return inspect(value, { depth: 8, breakLength, colors, maxStringLength: 10_000 })
}

function drawEntry([name, text]: Entry, paint: Paint): readonly string[] {
  if (text === undefined) return []
  return text
    .split('\n')
    .map((line, index) => `${paint((index === 0 ? name : '').padEnd(nameWidth), 'dim')}${line}`)
}
