/** The machines that an engine is made of, as charts with their layouts. */

import { executorMachine } from '../../../machines/executor.ts'
import { lockedExecutionMachine } from '../../../machines/locked-execution.ts'
import { timersWatcherMachine } from '../../../machines/timers-watcher.ts'
import { type Chart, chartOf } from '../chart.ts'
import { createChartLayouts } from '../chart-layout.ts'
import type { ChartLayout } from '../placed-chart.ts'
import { drawLifecycle, type LifecycleChart } from './lifecycle-chart.ts'

/** A machine of an engine. */
export interface EngineMachine {
  readonly name: string
  readonly about: string
}

/** The machines, in the order in which they are shown. */
export const engineMachines: readonly EngineMachine[] = [
  {
    name: 'execution',
    about: 'What an execution goes through: its log is the record of these transitions.',
  },
  { name: 'executor', about: 'Polls for what is due, and holds it while it runs.' },
  {
    name: 'locked execution',
    about: 'One lock that an executor holds. It enters a state after the commit that says so.',
  },
  {
    name: 'timers watcher',
    about: 'Frees locks that have expired, fires delays, and carries cancellations down.',
  },
]

/** The name under which the small chart of an execution is found. */
export const lifecycleName = 'lifecycle'

/** Layouts by the name of what they show. */
export type EngineLayouts = Readonly<Record<string, ChartLayout>>

/** Lays everything out, in this thread: a second of work, most of it for loading. */
export async function layOutEngine(
  lifecycle: LifecycleChart = drawLifecycle(),
): Promise<EngineLayouts> {
  const charts: Readonly<Record<string, Chart>> = {
    execution: lifecycle.whole,
    executor: chartOf(executorMachine),
    'locked execution': chartOf(lockedExecutionMachine),
    'timers watcher': chartOf(timersWatcherMachine),
    [lifecycleName]: lifecycle.small,
  }
  const layouts = createChartLayouts()
  const placed: Record<string, ChartLayout> = {}
  for (const [name, chart] of Object.entries(charts)) placed[name] = await layouts.layoutOf(chart)
  return placed
}
