import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { pagesOf, rowWindow, scrollTo } from '../../../../src/inspector/viewer/virtual.ts'

const viewports = fc.record({
  scrollTop: fc.nat(10_000),
  height: fc.nat(2_000),
  rowHeight: fc.integer({ min: 10, max: 40 }),
  count: fc.nat(100_000),
})

test('every row that is seen is drawn, and few that are not', () => {
  fc.assert(
    fc.property(viewports, (viewport) => {
      const { scrollTop, height, rowHeight, count } = viewport
      const { first, end } = rowWindow(viewport)
      const firstSeen = Math.floor(scrollTop / rowHeight)
      const lastSeen = Math.min(count - 1, Math.ceil((scrollTop + height) / rowHeight) - 1)
      fc.pre(firstSeen <= lastSeen)
      expect(first).toBeLessThanOrEqual(firstSeen)
      expect(end).toBeGreaterThan(lastSeen)
      expect(end - first).toBeLessThanOrEqual(Math.ceil(height / rowHeight) + 26)
    }),
  )
})

test('ten thousand rows are no more than one screen of them', () => {
  const window = rowWindow({ scrollTop: 140_000, height: 600, rowHeight: 28, count: 10_000 })
  expect(window).toEqual({ first: 4_988, end: 5_034 })
})

test('a row is brought into view by the shortest way', () => {
  const viewport = { scrollTop: 100, height: 100, rowHeight: 10, count: 1_000 }
  expect(scrollTo(12, viewport)).toBe(100)
  expect(scrollTo(5, viewport)).toBe(50)
  expect(scrollTo(20, viewport)).toBe(110)
})

test('a window touches the pages that hold its rows', () => {
  expect(pagesOf({ first: 95, end: 101 }, 100)).toEqual([0, 1])
  expect(pagesOf({ first: 100, end: 101 }, 100)).toEqual([1])
  expect(pagesOf({ first: 0, end: 0 }, 100)).toEqual([])
})
