/** A log as a way through a chart: which states were active after each event, and how it got in. */

import { machineValueOf } from '../../../machines/execution.ts'
import { type ExecutionHistory, foldSteps } from '../../model/fold.ts'
import type { ExecutionState } from '../../model/state.ts'
import { activeStates } from '../chart.ts'
import type { LifecycleChart } from './lifecycle-chart.ts'
import type { ChartAnswer } from './wire.ts'

/** The way of an execution through the chart of its lifecycle. */
export type ChartPath = Omit<ChartAnswer, 'chart'>

/** Follows a log. The last version stands where the execution stands, inbox included. */
export function followPath(lifecycle: LifecycleChart, history: ExecutionHistory): ChartPath {
  const actives = createNumbers()
  const takens = createNumbers()
  const activeAt: number[] = []
  const takenAt: number[] = []
  let before: ExecutionState | undefined
  for (const { kind, entry, state } of foldSteps(history)) {
    if (kind === 'event') {
      const move = { before, after: state }
      takenAt.push(takens.numberOf(edgesOf(lifecycle, entry.event.type, move)))
      activeAt.push(actives.numberOf(activeIn(state)))
    }
    before = state
  }
  if (before !== undefined) activeAt[activeAt.length - 1] = actives.numberOf(activeIn(before))
  return { actives: actives.sets, activeAt, takens: takens.sets, takenAt }
}

function activeIn(state: ExecutionState): readonly string[] {
  return activeStates(machineValueOf(state))
}

interface Move {
  /** Absent before the first event. */
  readonly before: ExecutionState | undefined
  readonly after: ExecutionState
}

/** The transition that an event has taken: of those that it may, the innermost that leads there. */
function edgesOf(
  { whole, arrowOf }: LifecycleChart,
  type: string,
  { before, after }: Move,
): readonly string[] {
  if (before === undefined) return []
  const from = activeIn(before)
  const to = new Set(activeIn(after))
  const candidates = whole.edges.filter(
    ({ event, source, targets }) =>
      event === type &&
      (source === '' || from.includes(source)) &&
      (targets.length === 0 ? from.every((id) => to.has(id)) : targets.every((id) => to.has(id))),
  )
  const [innermost] = candidates.toSorted((a, b) => depthOf(b.source) - depthOf(a.source))
  const arrow = innermost === undefined ? undefined : arrowOf(innermost.id)
  return arrow === undefined ? [] : [arrow]
}

function depthOf(id: string): number {
  return id === '' ? 0 : id.split('.').length
}

/** Sets under numbers: a long log has few of them. */
function createNumbers(): {
  readonly sets: (readonly string[])[]
  readonly numberOf: (set: readonly string[]) => number
} {
  const sets: (readonly string[])[] = []
  const numbers = new Map<string, number>()
  return {
    sets,
    numberOf: (set) => {
      const key = set.join(' ')
      const known = numbers.get(key)
      if (known !== undefined) return known
      numbers.set(key, sets.push(set) - 1)
      return sets.length - 1
    },
  }
}
