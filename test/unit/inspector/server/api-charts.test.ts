/** Charts: of the machines, and of the way of one execution. */

import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ChartAnswer, MachinesAnswer } from '../../../../src/inspector/server/wire.ts'
import { type OrderWorld, openOrderWorld, orderId } from '../../../support/order-world.ts'

let made: OrderWorld

beforeAll(async () => {
  made = await openOrderWorld()
})

afterAll(async () => {
  await made[Symbol.asyncDispose]()
})

test('shows where the execution stood after each of its events', async () => {
  const { chart, actives, activeAt, takens, takenAt } = await made.ask<ChartAnswer>('chart', {
    id: orderId,
  })
  const { version } = await (await made.world.engine.get(orderId)).state()
  expect(activeAt.length).toBe(version + 1)
  expect(takenAt.length).toBe(version + 1)
  expect(actives[activeAt[0] ?? -1]).toEqual(['open', 'open.pending_at'])
  expect(actives[activeAt[1] ?? -1]).toEqual(['open', 'open.locked'])
  expect(actives[activeAt.at(-1) ?? -1]).toEqual(['open', 'open.blocked'])
  const nodes = new Set(chart.nodes.map((node) => node.id))
  for (const set of actives) for (const state of set) expect(nodes.has(state)).toBe(true)
  const drawn = new Set(chart.edges.flatMap(({ lines }) => lines.flatMap((line) => line.edges)))
  for (const set of takens) for (const edge of set) expect(drawn.has(edge)).toBe(true)
  expect(takens[takenAt[1] ?? -1]?.length).toBe(1)
})

test('shows the machines that an engine is made of', async () => {
  const { machines } = await made.ask<MachinesAnswer>('machines', {})
  expect(machines.map(({ name }) => name)).toEqual([
    'execution',
    'executor',
    'locked execution',
    'timers watcher',
  ])
  for (const { chart } of machines) expect(chart.nodes.length).toBeGreaterThan(1)
})
