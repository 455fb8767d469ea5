import { describe, expect, it } from 'vitest'
import { drawScale } from '../../../src/client/timeline-scale.ts'

describe('drawScale', () => {
  it.each([
    [0, '╷0 ms                                   '],
    [30, '╷0 ms        ╷10 ms        ╷20 ms       '],
    [1_000, '╷0 s                ╷0.5 s              '],
    [3_000, '╷0 s         ╷1 s          ╷2 s         '],
    [240_000, '╷0 min    ╷1 min    ╷2 min    ╷3 min    '],
    [86_400_000, '╷0 h      ╷6 h      ╷12 h     ╷18 h     '],
  ])('%s ms in 40 cells', (span, expected) => {
    expect(drawScale(span, 40)).toBe(expected)
  })

  it.each([0, 1, 7, 999, 61_000, 1e9, 1e12, 1e15])('%s ms: any width, marks apart', (span) => {
    for (let cells = 12; cells <= 160; cells += 1) {
      const scale = drawScale(span, cells)
      expect(scale.length).toBe(cells)
      // Each mark but the first has a gap before it.
      expect(scale).not.toMatch(/\S╷/)
    }
  })
})
