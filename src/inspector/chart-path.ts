/** Which transitions of a chart an event has taken, told from the states before and after it. */

import { activeStates, type Chart, type ChartEdge } from './chart.ts'

/** A step of a machine: the `value` of its snapshots, and the event between them. */
export interface ChartStep {
  /** The value before. */
  readonly before: unknown
  /** The type of the event. */
  readonly event: string
  /** The value after. */
  readonly after: unknown
}

/**
 * The ids of the transitions that explain a step: those of the innermost states that were active,
 * whose event it is, and that lead to where the machine stands. Where several do, the first.
 */
export function takenEdges(chart: Chart, { before, event, after }: ChartStep): readonly string[] {
  const from = new Set(['', ...activeStates(before)])
  const to = new Set(activeStates(after))
  const hasMoved = JSON.stringify(before) !== JSON.stringify(after)
  const candidates = chart.edges.filter(
    (edge) =>
      from.has(edge.source) &&
      isOf(edge, event) &&
      edge.targets.every((target) => to.has(target) || isHistory(chart, target)),
  )
  const sources = new Set(candidates.map(({ source }) => source))
  const innermost = [...sources].filter(
    (source) => ![...sources].some((other) => other !== source && isWithin(other, source)),
  )
  return innermost.flatMap((source) => {
    const own = candidates.filter((edge) => edge.source === source)
    const moving = own.find(({ targets }) => targets.length > 0)
    const staying = own.find(({ targets }) => targets.length === 0)
    const taken = hasMoved ? (moving ?? staying) : (staying ?? moving)
    return taken === undefined ? [] : [taken.id]
  })
}

/** Events may be handled by a pattern: `*`, or `order.*`. */
function isOf({ event, trigger }: ChartEdge, type: string): boolean {
  if (trigger === 'always' || trigger === 'history') return false
  if (event === type || event === '*') return true
  return event.endsWith('.*') && `${type}.`.startsWith(event.slice(0, -1))
}

/** What a history state led to is not among the targets. */
function isHistory({ edges }: Chart, target: string): boolean {
  return edges.some(({ source, trigger }) => source === target && trigger === 'history')
}

function isWithin(inner: string, outer: string): boolean {
  return outer === '' || inner.startsWith(`${outer}.`)
}
