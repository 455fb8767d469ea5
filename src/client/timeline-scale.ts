/** The scale of a timeline: marks at round times, as many as fit. Knows no executions. */

import type { Milliseconds } from '../base/time.ts'

const day: Milliseconds = 86_400_000

const units = [
  { name: 'ms', length: 1, steps: [1, 2, 5, 10, 20, 50, 100, 200] },
  { name: 's', length: 1_000, steps: [0.5, 1, 2, 5, 10, 20, 30] },
  { name: 'min', length: 60_000, steps: [1, 2, 5, 10, 20, 30] },
  { name: 'h', length: 3_600_000, steps: [1, 2, 6, 12] },
  { name: 'd', length: day, steps: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 10_000] },
] as const

/** Columns from one mark to the next, at least. */
const gap = 9

/** From one mark to the next: so many of a unit, which is so long. */
interface Step {
  readonly unit: string
  readonly count: number
  readonly length: Milliseconds
}

function stepFor(perCell: Milliseconds): Step {
  for (const { name, length, steps } of units) {
    const count = steps.find((some) => (some * length) / perCell >= gap)
    if (count !== undefined) return { unit: name, count, length }
  }
  return { unit: 'd', count: Math.ceil((gap * perCell) / day), length: day }
}

/** The scale of a span of time, exactly so many cells wide. */
export function drawScale(span: Milliseconds, cells: number): string {
  const perCell = Math.max(1, span) / cells
  const { unit, count, length } = stepFor(perCell)
  let line = ''
  for (let at = 0; ; at += count) {
    const column = Math.round((at * length) / perCell)
    const mark = `╷${at} ${unit}`
    if (column + mark.length > cells) return line.padEnd(cells)
    if (at === 0 || column > line.length) line = line.padEnd(column) + mark
  }
}
