/**
 * The lifecycle of an execution as a small chart: what leaves a state as it is, and conditions that
 * say the same as the event, are left out. The whole of it stands on a page of its own.
 */

import { executionMachine } from '../../../machines/execution.ts'
import { type Chart, type ChartEdge, chartOf } from '../chart.ts'

/** A chart, and where transitions of the machine are found in it. */
export interface LifecycleChart {
  /** The machine as it is. */
  readonly whole: Chart
  /** The same with fewer words. */
  readonly small: Chart
  /** The arrow of the small chart that stands for a transition. */
  readonly arrowOf: (edgeId: string) => string | undefined
}

/** Guards that make one thing of many events. */
const wordsOfGuards: Readonly<Record<string, string>> = {
  waits: 'waits',
  isAnswered: 'answered at once',
}

const wordsOfEvents: Readonly<Record<string, string>> = {
  temporarily_failed: 'failed',
  temporarily_timed_out: 'timed out',
  cancel_requested: 'cancel',
  responded: 'response',
}

/** Draws the lifecycle twice. */
export function drawLifecycle(): LifecycleChart {
  const whole = chartOf(executionMachine, { unsaid: ['isNextVersion', 'record'] })
  const arrows = new Map<string, ChartEdge>()
  const arrowIds = new Map<string, string>()
  for (const edge of whole.edges) {
    const { source, targets } = edge
    if (targets.every((target) => target === source)) continue
    const label = wordOf(edge)
    const key = `${source} ${targets.join(' ')} ${label}`
    const arrow = arrows.get(key) ?? { ...edge, label, guards: [], actions: [] }
    arrows.set(key, arrow)
    arrowIds.set(edge.id, arrow.id)
  }
  const small = { ...whole, digest: `${whole.digest}-small`, edges: [...arrows.values()] }
  return { whole, small, arrowOf: (edgeId) => arrowIds.get(edgeId) }
}

function wordOf({ guards, label, event }: ChartEdge): string {
  for (const guard of guards) {
    const word = wordsOfGuards[guard]
    if (word !== undefined) return word
  }
  return wordsOfEvents[event] ?? label
}
