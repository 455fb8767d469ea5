import { expect, test } from 'vitest'
import { drawLifecycle } from '../../../../src/inspector/server/lifecycle-chart.ts'

const lifecycle = drawLifecycle()

test('the small chart has every state, fewer arrows, and an arrow for every way to another', () => {
  const { whole, small, arrowOf } = lifecycle
  expect(small.root).toEqual(whole.root)
  expect(small.digest).not.toBe(whole.digest)
  expect(small.edges.length).toBeLessThan(whole.edges.length)
  const ids = new Set(small.edges.map(({ id }) => id))
  for (const { id, source, targets } of whole.edges) {
    const leaves = targets.some((target) => target !== source)
    expect(ids.has(arrowOf(id) ?? '')).toBe(leaves)
  }
})
