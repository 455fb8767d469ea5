/** Tables for a terminal: columns in line, no wider than there is room, controls made harmless. */

import { type Colour, cut, fit, type Paint, plain, widthOf } from '../client/timeline-canvas.ts'

/** A column of a table. */
export interface Column<Row> {
  readonly title: string
  readonly text: (row: Row) => string
  readonly colour?: (row: Row) => Colour | undefined
  readonly isRight?: boolean
  /** May be cut down to this width where room is short; otherwise it is shown whole. */
  readonly least?: number
}

/** How a table is drawn. */
export interface TableOptions {
  /** Columns of the terminal; `Infinity` where nothing has to fit. */
  readonly width: number
  readonly paint: Paint
}

const gap = '  '

/** The lines of a table, the titles first. Columns that are empty throughout are left out. */
export function formatTable<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  { width, paint }: TableOptions,
): readonly string[] {
  const texts = columns.map((column) => rows.map((row) => plain(column.text(row))))
  const shown = columns.flatMap((column, index) =>
    texts[index]?.some((text) => text !== '') === true ? [{ column, texts: texts[index] }] : [],
  )
  const widths = fitWidths(shown, width)
  const line = (cells: readonly string[]): string => cells.join(gap).trimEnd()
  const titles = shown.map(({ column }, index) =>
    place(column.title, widths[index] ?? 0, column.isRight),
  )
  const body = rows.map((row, rowIndex) =>
    line(
      shown.map(({ column, texts: own }, index) => {
        const cell = place(own[rowIndex] ?? '', widths[index] ?? 0, column.isRight)
        const colour = column.colour?.(row)
        return colour === undefined ? cell : paintText(cell, colour, paint)
      }),
    ),
  )
  return shown.length === 0 ? [] : [paint(line(titles), 'dim'), ...body]
}

/** Spaces stay unpainted, so that the end of a line can be trimmed. */
function paintText(cell: string, colour: Colour, paint: Paint): string {
  const [, before = '', text = '', after = ''] = /^( *)(.*?)( *)$/.exec(cell) ?? []
  return `${before}${paint(text, colour)}${after}`
}

function place(text: string, width: number, isRight: boolean | undefined): string {
  if (isRight !== true) return fit(text, width)
  const kept = cut(text, width)
  return ' '.repeat(Math.max(0, width - widthOf(kept))) + kept
}

interface Shown<Row> {
  readonly column: Column<Row>
  readonly texts: readonly string[]
}

/** The widest of those that may be cut gives way first. */
function fitWidths<Row>(shown: readonly Shown<Row>[], width: number): readonly number[] {
  const widths = shown.map(({ column, texts }) =>
    texts.reduce((most, text) => Math.max(most, widthOf(text)), widthOf(column.title)),
  )
  const room = width - gap.length * Math.max(0, shown.length - 1)
  let excess = widths.reduce((sum, one) => sum + one, 0) - room
  while (excess > 0) {
    const index = widestIndex(shown, widths)
    if (index === undefined) break
    widths[index] = (widths[index] ?? 0) - 1
    excess -= 1
  }
  return widths
}

function widestIndex<Row>(
  shown: readonly Shown<Row>[],
  widths: readonly number[],
): number | undefined {
  let found: number | undefined
  for (const [index, { column }] of shown.entries()) {
    const own = widths[index] ?? 0
    if (column.least === undefined || own <= column.least) continue
    if (found === undefined || own > (widths[found] ?? 0)) found = index
  }
  return found
}
