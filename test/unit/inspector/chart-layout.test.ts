/** Where everything stands. */

import { describe, expect, it } from 'vitest'
import { createMachine } from 'xstate'
import { executionMachine } from '../../../machines/execution.ts'
import { executorMachine } from '../../../machines/executor.ts'
import { lockedExecutionMachine } from '../../../machines/locked-execution.ts'
import { timersWatcherMachine } from '../../../machines/timers-watcher.ts'
import { type Chart, chartOf } from '../../../src/inspector/chart.ts'
import { createChartLayouts } from '../../../src/inspector/chart-layout.ts'
import type { Box, PlacedNode } from '../../../src/inspector/placed-chart.ts'
import { userMachine } from '../../support/user-machine.ts'

const layouts = createChartLayouts()
const machines = {
  execution: executionMachine,
  executor: executorMachine,
  locked: lockedExecutionMachine,
  watcher: timersWatcherMachine,
  user: userMachine,
}

function isWithin(inner: Box, outer: Box): boolean {
  return (
    inner.x >= outer.x &&
    inner.y >= outer.y &&
    inner.x + inner.width <= outer.x + outer.width &&
    inner.y + inner.height <= outer.y + outer.height
  )
}

function overlaps(a: Box, b: Box): boolean {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height
}

function parentOf(nodes: readonly PlacedNode[], { id }: PlacedNode): PlacedNode | undefined {
  const above = nodes.filter((node) => node.id !== id && id.startsWith(node.id))
  return above.toSorted((a, b) => b.id.length - a.id.length)[0]
}

describe.each(Object.entries(machines))('layout of %s', (_, machine) => {
  it('every state stands within its parent', async () => {
    const { nodes } = await layouts.layoutOf(chartOf(machine))
    const [root, ...others] = nodes
    expect(root?.id).toBe('')
    for (const node of others) {
      const parent = parentOf(nodes, node)
      expect(parent !== undefined && isWithin(node, parent), node.id).toBe(true)
    }
  })

  it('states beside each other do not overlap', async () => {
    const { nodes } = await layouts.layoutOf(chartOf(machine))
    const pairs = nodes.flatMap((a) => nodes.map((b) => [a, b] as const))
    const beside = pairs.filter(
      ([a, b]) => a.id !== b.id && !a.id.startsWith(b.id) && !b.id.startsWith(a.id),
    )
    expect(beside.filter(([a, b]) => overlaps(a, b)).map(([a, b]) => [a.id, b.id])).toEqual([])
  })

  it('every arrow runs in straight pieces, and ends at the border of its target', async () => {
    const { nodes, edges } = await layouts.layoutOf(chartOf(machine))
    expect(edges.length).toBeGreaterThan(0)
    for (const { points, target } of edges) {
      const end = points.at(-1) ?? { x: Number.NaN, y: Number.NaN }
      const box = nodes.find(({ id }) => id === target) ?? { x: 0, y: 0, width: 0, height: 0 }
      const isOnBorder =
        [box.x, box.x + box.width].some((x) => Math.abs(x - end.x) < 1) ||
        [box.y, box.y + box.height].some((y) => Math.abs(y - end.y) < 1)
      expect(isOnBorder, target).toBe(true)
      points.slice(1).forEach((point, index) => {
        const before = points[index] ?? point
        expect(Math.min(Math.abs(point.x - before.x), Math.abs(point.y - before.y))).toBeLessThan(1)
      })
    }
  })
})

describe('layouts', () => {
  const small = (id: string): Chart => chartOf(createMachine({ id }))

  it('of equal charts are made once', () => {
    const own = createChartLayouts()
    expect(own.layoutOf(small('a'))).toBe(own.layoutOf(small('a')))
  })

  it('are kept up to a limit, those asked for last', () => {
    const own = createChartLayouts({ keptMax: 2 })
    const first = own.layoutOf(small('a'))
    const second = own.layoutOf(small('b'))
    expect(own.layoutOf(small('a'))).toBe(first)
    void own.layoutOf(small('c'))
    expect(own.layoutOf(small('a'))).toBe(first)
    expect(own.layoutOf(small('b'))).not.toBe(second)
  })

  it('a chart that cannot be is refused, and tried again when it is asked for again', async () => {
    const chart = small('odd')
    const [edge] = chartOf(userMachine).edges
    const odd: Chart = { ...chart, edges: edge === undefined ? [] : [edge] }
    const own = createChartLayouts()
    const first = own.layoutOf(odd)
    await expect(first).rejects.toMatchObject({ code: 'internal', fields: { machine: 'odd' } })
    const second = own.layoutOf(odd)
    expect(second).not.toBe(first)
    await expect(second).rejects.toMatchObject({ code: 'internal' })
  })

  it('of a machine without states is the machine itself', async () => {
    const layout = await layouts.layoutOf(small('alone'))
    expect(layout.nodes.map(({ title }) => title)).toEqual(['alone'])
    expect(layout.width).toBeGreaterThan(60)
  })
})
