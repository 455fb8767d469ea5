import { expect, test } from 'vitest'
import {
  engineMachines,
  layOutEngine,
  lifecycleName,
} from '../../../../src/inspector/server/engine-charts.ts'

test('everything that is shown has a layout, with a place for each of its states', async () => {
  const layouts = await layOutEngine()
  const names = [...engineMachines.map(({ name }) => name), lifecycleName]
  expect(Object.keys(layouts).toSorted()).toEqual(names.toSorted())
  for (const { nodes, width, height } of Object.values(layouts)) {
    expect(nodes.length).toBeGreaterThan(1)
    for (const node of nodes) {
      expect(node.x + node.width).toBeLessThanOrEqual(width)
      expect(node.y + node.height).toBeLessThanOrEqual(height)
    }
  }
})
