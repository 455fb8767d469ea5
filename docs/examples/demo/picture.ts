/** Stories as a picture: time to scale from left to right, one line an execution. */
import { type Colour, type Palette, shorten } from './paint.ts'
import type { Activity, End, Story, Stretch } from './story.ts'

/** A worker process, and when it lived. */
export interface Life {
  readonly label: string
  readonly from: number
  readonly to: number
  readonly killed: boolean
}

/** What to draw, and on what. */
export interface PictureOptions {
  readonly stories: readonly Story[]
  readonly lives: readonly Life[]
  readonly columns: number
  readonly palette: Palette
}

interface Cell {
  readonly glyph: string
  readonly colour: Colour
}

const waits: Readonly<Record<Exclude<Activity, 'running'>, Cell>> = {
  scheduled: { glyph: '┄', colour: 'dim' },
  queued: { glyph: '·', colour: 'dim' },
  orphaned: { glyph: '░', colour: 'magenta' },
  backoff: { glyph: '╌', colour: 'yellow' },
  paused: { glyph: '=', colour: 'blue' },
}

const ends: Readonly<Record<End, Cell>> = {
  ok: { glyph: '●', colour: 'green' },
  err: { glyph: '○', colour: 'red' },
  gave_up: { glyph: '✖', colour: 'red' },
  cancelled: { glyph: '◇', colour: 'blue' },
  failed: { glyph: '×', colour: 'red' },
  timed_out: { glyph: '┤', colour: 'yellow' },
  killed: { glyph: '╳', colour: 'magenta' },
}

/** Runs down through all lines at the moment of the kill. */
const killLine: Cell = { glyph: '┊', colour: 'dim' }

const legend: readonly (readonly [cell: Cell, meaning: string])[] = [
  [{ glyph: '━', colour: 'cyan' }, 'runs'],
  [ends.failed, 'failed'],
  [ends.timed_out, 'timed out'],
  [ends.killed, 'killed'],
  [killLine, 'the kill'],
  [waits.orphaned, 'its lock runs out'],
  [waits.backoff, 'backoff'],
  [waits.queued, 'due'],
  [waits.scheduled, 'later'],
  [waits.paused, 'paused'],
  [ends.ok, 'ok'],
  [ends.err, 'err'],
  [ends.gave_up, 'gave up'],
  [ends.cancelled, 'cancelled'],
]

/** Where things go. */
interface Layout {
  readonly zero: number
  readonly perCell: number
  readonly cells: number
  readonly outcomeWidth: number
  readonly figures: readonly Figure[]
  /** The cell in which the process was killed. */
  readonly killedCell: number | undefined
  readonly palette: Palette
}

/** Columns left of the time axis: id and name. */
const labelWidth = 18

/** A figure right of the axis. */
interface Figure {
  readonly title: string
  readonly width: number
  readonly of: (story: Story) => string
}

function figuresOf(columns: number): readonly Figure[] {
  const isWide = columns >= 120
  return [
    { title: isWide ? 'events' : 'ev', width: isWide ? 8 : 3, of: ({ events }) => `${events}` },
    {
      title: isWide ? 'attempts' : 'att',
      width: isWide ? 10 : 4,
      of: ({ attempts }) => `${attempts}`,
    },
    {
      title: isWide ? 'waited' : 'wait',
      width: isWide ? 9 : 6,
      of: ({ waited }) => `${(waited / 1_000).toFixed(1)} s`,
    },
  ]
}

/** The picture, as lines. */
export function drawPicture({
  stories,
  lives,
  columns,
  palette,
}: PictureOptions): readonly string[] {
  const zero = Math.min(...lives.map(({ from }) => from))
  const end = Math.max(...lives.map(({ to }) => to))
  const figures = figuresOf(columns)
  const outcomeWidth = Math.min(24, Math.max(16, Math.floor(columns / 6)))
  const figuresWidth = figures.reduce((sum, { width }) => sum + width, 2)
  const cells = columns - labelWidth - figuresWidth - outcomeWidth
  const scale = { zero, perCell: (end - zero) / cells, cells }
  const killed = lives.find((life) => life.killed)
  const killedCell = killed === undefined ? undefined : cellOf(killed.to, scale)
  const layout = { ...scale, outcomeWidth, figures, killedCell, palette }
  return [
    axis(layout),
    ...lives.map((life) => drawLife(life, layout)),
    '',
    ...stories.map((story) => drawStory(story, layout)),
    '',
    ...drawLegend(columns, palette),
  ]
}

type Scale = Pick<Layout, 'zero' | 'perCell' | 'cells'>

function cellOf(at: number, { zero, perCell, cells }: Scale): number {
  return Math.min(cells - 1, Math.max(0, Math.floor((at - zero) / perCell)))
}

/** Seconds between two marks of the axis, so that each has room. */
function axisStep({ perCell }: Layout): number {
  return [0.5, 1, 2, 5, 10, 20, 60].find((seconds) => (seconds * 1_000) / perCell >= 6) ?? 60
}

function axis(layout: Layout): string {
  const step = axisStep(layout)
  let line = ''
  for (let seconds = 0; ; seconds += step) {
    const at = Math.round((seconds * 1_000) / layout.perCell)
    const mark = `╷${seconds} s`
    if (at + mark.length > layout.cells) break
    line = line.padEnd(at) + mark
  }
  const right = layout.figures.map(({ title, width }) => title.padStart(width)).join('')
  const left = 'order    activity'.padEnd(labelWidth)
  return layout.palette.dim(`${left}${line.padEnd(layout.cells)}${right}  outcome`)
}

function drawLife({ label, from, to, killed }: Life, layout: Layout): string {
  const { palette, cells } = layout
  const first = cellOf(from, layout)
  const length = Math.max(1, cellOf(to, layout) - first + (killed ? 0 : 1))
  const before = label.slice(0, labelWidth - 1).padEnd(labelWidth) + ' '.repeat(first)
  const note = killed ? `${palette.magenta('╳')} ${palette.magenta('kill -9')}` : ''
  return `${palette.bold(before)}${palette.dim('▬'.repeat(Math.min(length, cells - first)))}${note}`
}

function drawStory(story: Story, layout: Layout): string {
  const { palette, outcomeWidth } = layout
  const colour = story.end === 'open' ? 'red' : ends[story.end].colour
  const label = `${story.id} ${palette.dim(story.name.padEnd(labelWidth - story.id.length - 1))}`
  const figures = layout.figures.map(({ width, of }) => of(story).padStart(width)).join('')
  const outcome = palette[colour](shorten(story.outcome, outcomeWidth))
  return `${label}${drawTime(story, layout)}${palette.dim(figures)}  ${outcome}`
}

function drawTime({ stretches }: Story, layout: Layout): string {
  const cells: (Cell | undefined)[] = Array.from({ length: layout.cells })
  if (layout.killedCell !== undefined) cells[layout.killedCell] = killLine
  // Waits first: a run too short for its scale must still be seen.
  for (const stretch of stretches) {
    if (stretch.what !== 'running') fill(cells, stretch, { layout, cell: waits[stretch.what] })
  }
  for (const stretch of stretches) {
    if (stretch.what !== 'running') continue
    fill(cells, stretch, { layout, cell: { glyph: '━', colour: 'cyan' } })
  }
  for (const { to, end } of stretches) {
    if (end !== undefined) cells[cellOf(to, layout)] = ends[end]
  }
  return paintCells(cells, layout.palette)
}

function fill(
  cells: (Cell | undefined)[],
  { from, to }: Stretch,
  { layout, cell }: { readonly layout: Layout; readonly cell: Cell },
): void {
  cells.fill(cell, cellOf(from, layout), cellOf(to, layout) + 1)
}

/** Neighbours of one colour are painted at once. */
function paintCells(cells: readonly (Cell | undefined)[], palette: Palette): string {
  let line = ''
  let run = ''
  let colour: Colour = 'dim'
  for (const cell of [...cells, undefined]) {
    const next = cell?.colour ?? 'dim'
    if (next !== colour) {
      line += palette[colour](run)
      run = ''
      colour = next
    }
    run += cell?.glyph ?? ' '
  }
  return line + palette[colour](run.slice(0, -1))
}

function drawLegend(columns: number, palette: Palette): readonly string[] {
  const lines: string[] = []
  let line = ''
  let width = 0
  for (const [{ glyph, colour }, meaning] of legend) {
    const length = meaning.length + 5
    if (width + length > columns) {
      lines.push(line.trimEnd())
      line = ''
      width = 0
    }
    line += `${palette[colour](glyph)} ${palette.dim(meaning)}   `
    width += length
  }
  return [...lines, line.trimEnd()]
}
