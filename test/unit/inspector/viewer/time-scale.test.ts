import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  instantAt,
  pan,
  piecesOf,
  placeOf,
  thinMarks,
  ticksOf,
  zoom,
} from '../../../../src/inspector/viewer/time-scale.ts'

const whole = { from: 1_000, to: 11_000 }

test('places and instants are each other', () => {
  expect(placeOf(6_000, whole, 200)).toBe(100)
  expect(instantAt(100, whole, 200)).toBe(6_000)
})

describe('zoom', () => {
  test('keeps the instant under the pointer where it is', () => {
    const span = zoom(whole, 0.5, { at: 3_000, whole })
    expect(span.to - span.from).toBe(5_000)
    expect(placeOf(3_000, span, 1)).toBeCloseTo(placeOf(3_000, whole, 1))
  })

  test('never leaves the whole', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0.1, max: 4, noNaN: true }),
        fc.integer({ min: 1_000, max: 11_000 }),
        fc.double({ min: -3, max: 3, noNaN: true }),
        (factor, at, share) => {
          const span = pan(zoom(whole, factor, { at, whole }), share, whole)
          expect(span.from).toBeGreaterThanOrEqual(whole.from)
          expect(span.to).toBeLessThanOrEqual(whole.to + 1e-6)
          expect(span.to).toBeGreaterThan(span.from)
        },
      ),
    )
  })
})

describe('marks of the scale', () => {
  test('are round, and far enough apart', () => {
    expect(ticksOf(whole, whole.from, 500)).toEqual([0, 2_000, 4_000, 6_000, 8_000, 10_000])
    expect(ticksOf({ from: 3_500, to: 4_500 }, 1_000, 300)).toEqual([2_500, 3_000, 3_500])
  })

  test('are few, however long the time', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 10 ** 13 }), (length) => {
        expect(ticksOf({ from: 0, to: length }, 0, 900).length).toBeLessThanOrEqual(11)
      }),
    )
  })
})

test('of thousands of marks as many are drawn as there is room for', () => {
  const marks = Array.from({ length: 10_000 }, (_, index) => ({ kind: 'step', at: 1_000 + index }))
  const drawn = thinMarks(marks, whole, 400)
  expect(drawn.length).toBeLessThanOrEqual(60)
  expect(drawn.length).toBeGreaterThan(50)
})

describe('pieces', () => {
  const stretch = (doing: string, from: number, to: number) => ({ doing, from, to })

  test('are drawn to scale, cut at the edges', () => {
    expect(piecesOf([stretch('running', 0, 6_000)], whole, 100)).toEqual([
      { doing: 'running', x: 0, width: 50 },
    ])
  })

  test('that are too thin can still be seen', () => {
    expect(piecesOf([stretch('running', 6_000, 6_000)], whole, 100)).toEqual([
      { doing: 'running', x: 50, width: 1.5 },
    ])
  })

  test('of thousands of runs are no more than there are pixels', () => {
    const runs = Array.from({ length: 10_000 }, (_, index) => [
      stretch('running', 1_000 + index, 1_000.4 + index),
      stretch('children', 1_000.4 + index, 1_001 + index),
    ]).flat()
    expect(piecesOf(runs, whole, 400).length).toBeLessThanOrEqual(800)
  })
})
