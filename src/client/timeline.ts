/** `formatTimeline`: a tree of executions as text, time to scale from left to right. Pure. */

import { readOptions, requireBoolean, requireInteger } from '../base/options.ts'
import { type Instant, parseInstant } from '../base/time.ts'
import {
  type Cell,
  type Colour,
  createPaint,
  cut,
  fit,
  type Paint,
  paintCells,
  plain,
  widthOf,
} from './timeline-canvas.ts'
import { drawScale } from './timeline-scale.ts'
import {
  type Doing,
  type MarkKind,
  type Story,
  type Surroundings,
  tellStory,
} from './timeline-story.ts'
import type { ExecutionTree } from './tree.ts'
import type { ListItem } from './view.ts'

/** How to draw a timeline. */
export interface TimelineOptions {
  /** Width of the text in columns, at least 60. Default 100. */
  readonly columns?: number | undefined
  /** Colour it for a terminal. Default false. */
  readonly colours?: boolean | undefined
  /** Most children shown of each execution; the others are counted in one line. Default 20. */
  readonly children?: number | undefined
  /** Where what has not finished is drawn to. Default: the last thing that happened. */
  readonly now?: Date | number | undefined
  /** Instants that run through all lines: a deployment, an outage. */
  readonly moments?: readonly TimelineMoment[] | undefined
}

/** An instant to be shown. */
export interface TimelineMoment {
  /** When. */
  readonly at: Date | number
  /** What happened then, in a word or two. */
  readonly label: string
}

const knownOptions = ['columns', 'colours', 'children', 'now', 'moments']
const columnsMin = 60
const columnsMax = 10_000
const childrenMax = 1_000_000

/**
 * Draws one execution, or several one below the other, with their children: from what
 * `handle.tree({ logs: true })` gave. One line an execution: its function, the part of its id that
 * its parent's lacks, what it did when, its attempts, and how it ended. Lines end in `\n`, but the
 * last. Without logs only beginnings and ends are known. Throws `invalid_option`.
 */
export function formatTimeline(
  tree: ExecutionTree | readonly ExecutionTree[],
  options: TimelineOptions = {},
): string {
  const read = readOptions(options, knownOptions, 'formatTimeline')
  const { columns = 100, colours = false, children = 20, now, moments = [] } = read
  const bounds = { min: 1, max: columnsMax }
  const asked = requireInteger(columns, 'formatTimeline.columns', bounds)
  const trees = isList(tree) ? tree : [tree]
  const last = Math.max(...trees.map(lastInstant), now === undefined ? 0 : parseInstant(now))
  const most = requireInteger(children, 'formatTimeline.children', { min: 0, max: childrenMax })
  const around = { until: last, lastLocks: lastLocksOf(trees) }
  const rows = trees.flatMap((top) => rowsOf(top, { around, most, indent: '', below: '' }))
  const zero = Math.min(...trees.map(({ execution }) => execution.createdAt))
  const layout = layOut(rows, {
    zero: Number.isFinite(zero) ? zero : 0,
    end: last,
    columns: Math.max(columnsMin, asked),
    paint: createPaint(requireBoolean(colours, 'formatTimeline.colours')),
    moments: moments.map(({ at, label }) => ({ at: parseInstant(at), label: plain(label) })),
  })
  const lines = [
    drawAxis(layout),
    ...drawMoments(layout),
    ...rows.map((row) => drawRow(row, layout)),
    '',
    ...drawLegend(rows, layout),
  ]
  return lines.map((line) => line.trimEnd()).join('\n')
}

function isList(tree: ExecutionTree | readonly ExecutionTree[]): tree is readonly ExecutionTree[] {
  return Array.isArray(tree)
}

/** The last instant that anything in a tree speaks of as past. */
export function lastInstant({ execution, log, children }: ExecutionTree): Instant {
  const { createdAt, finishedAt = createdAt } = execution
  const happened = [...(log?.events ?? []), ...(log?.responses ?? [])]
  let last = Math.max(createdAt, finishedAt)
  for (const { createdAt: at } of happened) last = Math.max(last, at)
  for (const child of children) last = Math.max(last, lastInstant(child))
  return last
}

/** Whoever locks something is alive. */
export function lastLocksOf(trees: readonly ExecutionTree[]): ReadonlyMap<string, Instant> {
  const last = new Map<string, Instant>()
  const look = ({ log, children }: ExecutionTree): void => {
    for (const event of log?.events ?? []) {
      if (event.type !== 'locked') continue
      const { executorId, createdAt } = event
      last.set(executorId, Math.max(createdAt, last.get(executorId) ?? createdAt))
    }
    for (const child of children) look(child)
  }
  for (const tree of trees) look(tree)
  return last
}

// ── rows ────────────────────────────────────────────────────────────────────────────────────────

/** One line: an execution, or a remark in place of executions that are not shown. */
type Row =
  | {
      readonly kind: 'execution'
      readonly indent: string
      readonly name: string
      readonly id: string
      readonly attempts: string
      readonly story: Story
    }
  | { readonly kind: 'rest'; readonly text: string }

interface Growth {
  readonly around: Surroundings
  readonly most: number
  /** Before this execution, and before what is below it. */
  readonly indent: string
  readonly below: string
}

function rowsOf(tree: ExecutionTree, growth: Growth): readonly Row[] {
  const { around, most, indent, below } = growth
  const { execution, children, hidden } = tree
  const shown = children.slice(0, most)
  const rest = describeRest(children.slice(most), hidden === true)
  const nested = shown.flatMap((child, index) => {
    const isLast = index === shown.length - 1 && rest === undefined
    const [branch, trunk] = isLast ? ['└ ', '  '] : ['├ ', '│ ']
    return rowsOf(child, { around, most, indent: below + branch, below: below + trunk })
  })
  return [
    {
      kind: 'execution',
      indent,
      name: execution.functionName,
      id: shortId(execution),
      attempts: String(execution.attempt),
      story: tellStory(tree, around),
    },
    ...nested,
    ...(rest === undefined ? [] : [{ kind: 'rest', text: `${below}└ ${rest}` } as const]),
  ]
}

/** What of an id the parent's does not say; for the child of a plain call, its number. */
function shortId({ id, parentId, functionName }: ListItem): string {
  const own = parentId !== undefined && id.startsWith(`${parentId}.`)
  const rest = own ? id.slice(parentId.length + 1) : id
  const isCall = rest.startsWith('o:') && rest.endsWith(`-${functionName}_1`)
  return plain(isCall ? rest.slice(0, -functionName.length - 3) : rest)
}

/** Children that have no line, by how they ended. */
function describeRest(trees: readonly ExecutionTree[], isCut: boolean): string | undefined {
  const cutOff = isCut ? 'more were not read' : undefined
  if (trees.length === 0) return cutOff === undefined ? undefined : `… ${cutOff}`
  const counts = new Map<string, number>()
  for (const { execution } of trees) {
    const word = execution.failureKind ?? execution.outcomeType ?? 'open'
    counts.set(word, (counts.get(word) ?? 0) + 1)
  }
  const parts = [...counts].map(([word, count]) => `${count} ${word.replaceAll('_', ' ')}`)
  const text = `… ${trees.length} more: ${parts.join(', ')}`
  return cutOff === undefined ? text : `${text}; ${cutOff}`
}

// ── layout ──────────────────────────────────────────────────────────────────────────────────────

interface Canvas {
  readonly zero: Instant
  readonly end: Instant
  readonly columns: number
  readonly paint: Paint
  readonly moments: readonly { readonly at: Instant; readonly label: string }[]
}

interface Layout extends Canvas {
  readonly labelWidth: number
  readonly outcomeWidth: number
  readonly cells: number
}

/** Columns of the number of attempts, with a gap on both sides. */
const attemptsWidth = 6

function layOut(rows: readonly Row[], canvas: Canvas): Layout {
  const { columns } = canvas
  let label = 'execution'.length
  let outcome = 'outcome'.length
  for (const row of rows) {
    if (row.kind === 'rest') continue
    label = Math.max(label, widthOf(`${row.indent}${row.name} ${row.id}`))
    outcome = Math.max(outcome, widthOf(row.story.outcome))
  }
  const labelWidth = Math.min(label, Math.floor(columns * 0.3)) + 1
  const outcomeWidth = Math.min(outcome, Math.floor(columns * 0.22))
  return {
    ...canvas,
    labelWidth,
    outcomeWidth,
    cells: columns - labelWidth - attemptsWidth - outcomeWidth,
  }
}

function cellOf(at: Instant, { zero, end, cells }: Layout): number {
  const share = (at - zero) / Math.max(1, end - zero)
  return Math.min(cells - 1, Math.max(0, Math.floor(share * cells)))
}

// ── axis ────────────────────────────────────────────────────────────────────────────────────────

function drawAxis({ zero, end, cells, labelWidth, paint }: Layout): string {
  const label = fit('execution', labelWidth)
  const scale = drawScale(end - zero, cells)
  return paint(`${label}${scale}${'att'.padStart(attemptsWidth - 2)}  outcome`, 'dim')
}

/** Each moment on a line of its own, above the cell it runs through. */
function drawMoments(layout: Layout): readonly string[] {
  const { moments, labelWidth, columns, paint } = layout
  return moments.map(({ at, label }) => {
    const column = labelWidth + cellOf(at, layout)
    const isLeft = column + widthOf(label) + 2 > columns
    const shown = cut(label, isLeft ? column - 1 : columns - column - 2)
    const before = isLeft ? `${shown.padStart(column - 1)} ` : ' '.repeat(column)
    return isLeft ? paint(`${before}┊`, 'magenta') : paint(`${before}┊ ${shown}`, 'magenta')
  })
}

// ── lines ───────────────────────────────────────────────────────────────────────────────────────

const doings: Readonly<Record<Doing, Cell & { readonly meaning: string }>> = {
  running: { glyph: '━', colour: 'cyan', meaning: 'runs' },
  children: { glyph: '─', colour: 'dim', meaning: 'waits for children' },
  sleep: { glyph: '~', colour: 'blue', meaning: 'sleeps' },
  message: { glyph: '?', colour: 'yellow', meaning: 'waits for a message' },
  queued: { glyph: '·', colour: 'dim', meaning: 'due' },
  scheduled: { glyph: '╌', colour: 'dim', meaning: 'later' },
  backoff: { glyph: '┄', colour: 'yellow', meaning: 'backoff' },
  silent: { glyph: '░', colour: 'magenta', meaning: 'no sign of life' },
  paused: { glyph: '=', colour: 'blue', meaning: 'paused' },
  cancelling: { glyph: '┅', colour: 'blue', meaning: 'being cancelled' },
  unknown: { glyph: '┈', colour: 'dim', meaning: 'not known' },
}

const marks: Readonly<Record<MarkKind, Cell & { readonly meaning: string }>> = {
  step: { glyph: '◆', colour: 'cyan', meaning: 'step' },
  step_failed: { glyph: '◇', colour: 'red', meaning: 'step failed' },
  message: { glyph: '▼', colour: 'yellow', meaning: 'message' },
  failed: { glyph: '×', colour: 'red', meaning: 'attempt failed' },
  timed_out: { glyph: '┤', colour: 'yellow', meaning: 'timed out' },
  ok: { glyph: '✓', colour: 'green', meaning: 'ok' },
  err: { glyph: '✗', colour: 'red', meaning: 'err, failed' },
  cancelled: { glyph: '⊘', colour: 'blue', meaning: 'cancelled' },
}

const momentCell: Cell = { glyph: '┊', colour: 'magenta' }

const outcomeColours: Readonly<Record<Story['end'], Colour>> = {
  ok: 'green',
  err: 'red',
  cancelled: 'blue',
  open: 'yellow',
}

function drawRow(row: Row, layout: Layout): string {
  const { labelWidth, outcomeWidth, columns, paint } = layout
  if (row.kind === 'rest') return paint(cut(row.text, columns), 'dim')
  const { indent, name, id, attempts, story } = row
  const label = fit(`${indent}${name} ${id}`, labelWidth - 1)
  const split = Math.min(label.length, indent.length + name.length)
  const outcome = paint(cut(plain(story.outcome), outcomeWidth), outcomeColours[story.end])
  const figure = paint(attempts.padStart(attemptsWidth - 2), 'dim')
  const left = `${label.slice(0, split)}${paint(label.slice(split), 'dim')} `
  return `${left}${drawTime(story, layout)}${figure}  ${outcome}`
}

function drawTime({ stretches, marks: made }: Story, layout: Layout): string {
  const cells: (Cell | undefined)[] = Array.from({ length: layout.cells })
  for (const { at } of layout.moments) cells[cellOf(at, layout)] = momentCell
  // Waits first: a run too short for its scale must still be seen.
  const isRun = ({ doing }: { readonly doing: Doing }): boolean => doing === 'running'
  for (const stretch of [...stretches.filter((one) => !isRun(one)), ...stretches.filter(isRun)]) {
    const { doing, from, to } = stretch
    cells.fill(doings[doing], cellOf(from, layout), cellOf(to, layout) + 1)
  }
  for (const { kind, at } of endsLast(made)) cells[cellOf(at, layout)] = marks[kind]
  return paintCells(cells, layout.paint)
}

/** The end is drawn over everything else in its cell. */
function endsLast(made: Story['marks']): Story['marks'] {
  const isEnd = (kind: MarkKind): boolean => kind === 'ok' || kind === 'err' || kind === 'cancelled'
  return made.toSorted((left, right) => Number(isEnd(left.kind)) - Number(isEnd(right.kind)))
}

function drawLegend(rows: readonly Row[], { columns, paint }: Layout): readonly string[] {
  const stories = rows.flatMap((row) => (row.kind === 'execution' ? [row.story] : []))
  const did = new Set<string>(stories.flatMap((story) => story.stretches.map(({ doing }) => doing)))
  const made = new Set<string>(stories.flatMap((story) => story.marks.map(({ kind }) => kind)))
  const entries = [
    ...Object.entries(doings).filter(([doing]) => did.has(doing)),
    ...Object.entries(marks).filter(([kind]) => made.has(kind)),
  ]
  const lines: string[] = ['']
  let width = 0
  for (const [, { glyph, colour, meaning }] of entries) {
    const length = widthOf(meaning) + 5
    if (width + length - 3 > columns) {
      lines.push('')
      width = 0
    }
    lines.push(`${lines.pop() ?? ''}${paint(glyph, colour)} ${paint(meaning, 'dim')}   `)
    width += length
  }
  return lines
}
