/**
 * A chart → where everything stands: nested boxes, and arrows of straight pieces between them. elk
 * does the work; it is loaded when the first layout is asked for, and no layout is made twice.
 */

import type { ELK } from 'elkjs/lib/elk-api.js'
import { SteleError } from '../base/error.ts'
import type { Chart } from './chart.ts'
import { graphOf, readLayout } from './chart-graph.ts'
import type { ChartLayout } from './placed-chart.ts'

/** Makes layouts, and keeps those that were asked for last. */
export interface ChartLayouts {
  /** The layout of a chart. Rejects with `internal` when elk fails. */
  readonly layoutOf: (chart: Chart) => Promise<ChartLayout>
}

/** Layouts that are kept unless told otherwise: more machines than most programs have. */
const keptDefault = 100

/** How many layouts are kept. */
export interface ChartLayoutsOptions {
  /** Most layouts that are kept. Default 100. */
  readonly keptMax?: number | undefined
}

/** A maker of layouts that remembers them by the digest of their chart. */
export function createChartLayouts({
  keptMax = keptDefault,
}: ChartLayoutsOptions = {}): ChartLayouts {
  const layouts = new Map<string, Promise<ChartLayout>>()
  let elk: Promise<Pick<ELK, 'layout'>> | undefined
  const layoutOf = async (chart: Chart): Promise<ChartLayout> => {
    elk ??= loadElk()
    const { layout } = await elk
    try {
      return readLayout(chart, await layout(graphOf(chart)))
    } catch (cause) {
      throw new SteleError('internal', `The machine ${chart.id} cannot be laid out.`, {
        fields: { machine: chart.id },
        cause,
      })
    }
  }
  return {
    layoutOf: (chart) => {
      const known = layouts.get(chart.digest)
      const layout = known ?? layoutOf(chart)
      layouts.delete(chart.digest)
      layouts.set(chart.digest, layout)
      // One that failed is tried again when it is asked for again.
      layout.catch(() => layouts.delete(chart.digest))
      for (const digest of layouts.keys()) {
        if (layouts.size <= keptMax) break
        layouts.delete(digest)
      }
      return layout
    },
  }
}

async function loadElk(): Promise<Pick<ELK, 'layout'>> {
  // Of its two builds the one that needs no worker of the browser.
  const { default: module } = await import('elkjs/lib/elk.bundled.js')
  const elk = new module.default()
  return { layout: (graph) => elk.layout(graph) }
}
