/** Answers about machines: those that an engine is made of, and the way of one execution. */

import { executorMachine } from '../../../machines/executor.ts'
import { lockedExecutionMachine } from '../../../machines/locked-execution.ts'
import { timersWatcherMachine } from '../../../machines/timers-watcher.ts'
import { notFoundError } from '../../client/refusal-error.ts'
import { chartOf } from '../chart.ts'
import { createChartLayouts } from '../chart-layout.ts'
import { drawLifecycle } from './lifecycle-chart.ts'
import { followPath } from './path.ts'
import type { Query } from './query.ts'
import type { ViewerSource } from './source.ts'
import type { ChartAnswer, MachinesAnswer } from './wire.ts'

/** Events, and responses, that are followed through a chart. */
const followedMax = 250_000

/** Made when they are first asked for: drawing takes longer than anything else here. */
const layouts = createChartLayouts()

const lifecycle = drawLifecycle()

const machines = [
  {
    name: 'execution',
    about: 'What an execution goes through: its log is the record of these transitions.',
    chart: () => lifecycle.whole,
  },
  {
    name: 'executor',
    about: 'Polls for what is due, and holds it while it runs.',
    chart: () => chartOf(executorMachine),
  },
  {
    name: 'locked execution',
    about: 'One lock that an executor holds. It enters a state after the commit that says so.',
    chart: () => chartOf(lockedExecutionMachine),
  },
  {
    name: 'timers watcher',
    about: 'Frees locks that have expired, fires delays, and carries cancellations down.',
    chart: () => chartOf(timersWatcherMachine),
  },
] as const

/** The machines of an engine, drawn. */
export async function answerMachines(
  _source: ViewerSource,
  _query: Query,
): Promise<MachinesAnswer> {
  const drawn = machines.map(async ({ name, about, chart }) => ({
    name,
    about,
    chart: await layouts.layoutOf(chart()),
  }))
  return { machines: await Promise.all(drawn) }
}

/** The chart of an execution, and where it stood after each of its events. */
export async function answerChart({ context }: ViewerSource, query: Query): Promise<ChartAnswer> {
  const executionId = query.executionId()
  const record = await context.storage.findRecord(executionId, followedMax)
  if (record === undefined) throw notFoundError(executionId)
  return {
    chart: await layouts.layoutOf(lifecycle.small),
    ...followPath(lifecycle, { executionId, events: record.events, responses: record.responses }),
  }
}
