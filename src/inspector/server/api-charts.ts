/** Answers about machines: those that an engine is made of, and the way of one execution. */

import { SteleError } from '../../base/error.ts'
import { notFoundError } from '../../client/refusal-error.ts'
import type { ChartLayout } from '../placed-chart.ts'
import { type EngineLayouts, engineMachines, lifecycleName } from './engine-charts.ts'
import { createLayouts } from './layouts.ts'
import { drawLifecycle } from './lifecycle-chart.ts'
import { followPath } from './path.ts'
import type { Query } from './query.ts'
import type { ViewerSource } from './source.ts'
import type { ChartAnswer, MachinesAnswer } from './wire.ts'

/** Events, and responses, that are followed through a chart. */
const followedMax = 250_000

const getLayouts = createLayouts()
const lifecycle = drawLifecycle()

/** Begins to lay out, before the first question: whoever opens the page will ask. */
export function warmCharts(): void {
  getLayouts().catch(() => undefined)
}

/** The machines of an engine, drawn. */
export async function answerMachines(
  _source: ViewerSource,
  _query: Query,
): Promise<MachinesAnswer> {
  const layouts = await getLayouts()
  return {
    machines: engineMachines.map(({ name, about }) => ({
      name,
      about,
      chart: layoutNamed(layouts, name),
    })),
  }
}

/** The chart of an execution, and where it stood after each of its events. */
export async function answerChart({ context }: ViewerSource, query: Query): Promise<ChartAnswer> {
  const executionId = query.executionId()
  const record = await context.storage.findRecord(executionId, followedMax)
  if (record === undefined) throw notFoundError(executionId)
  const { events, responses } = record
  return {
    chart: layoutNamed(await getLayouts(), lifecycleName),
    ...followPath(lifecycle, { executionId, events, responses }),
  }
}

function layoutNamed(layouts: EngineLayouts, name: string): ChartLayout {
  const layout = layouts[name]
  if (layout !== undefined) return layout
  throw new SteleError('internal', `There is no layout of ${name}.`)
}
