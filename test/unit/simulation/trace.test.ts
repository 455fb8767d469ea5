import { describe, expect, it } from 'vitest'
import {
  createTrace,
  drawTrace,
  formatTrace,
  type TraceLine,
  traceLinesMax,
} from '../../../src/simulation/trace.ts'

const line = (part: Partial<TraceLine> = {}): TraceLine => ({
  at: 1_746,
  step: 34,
  process: 'engine-0',
  kind: 'commit',
  text: 'a v3 finished ok',
  ...part,
})

const hashOf = (...lines: readonly TraceLine[]): string => {
  const trace = createTrace()
  for (const each of lines) trace.add(each)
  return trace.hash()
}

describe('the hash of a trace', () => {
  it('is the same for the same lines', () => {
    expect(hashOf(line(), line({ text: 'b' }))).toBe(hashOf(line(), line({ text: 'b' })))
    expect(hashOf(line())).toMatch(/^[\da-f]{16}$/)
  })

  it.each<[string, Partial<TraceLine>]>([
    ['time', { at: 1 }],
    ['step', { step: 1 }],
    ['process', { process: 'engine-1' }],
    ['text', { text: 'b' }],
  ])('is another one for another %s', (_, part) => {
    expect(hashOf(line(part))).not.toBe(hashOf(line()))
  })

  it('is another one for another order, and for one line more', () => {
    const other = line({ text: 'b' })
    expect(hashOf(line(), other)).not.toBe(hashOf(other, line()))
    expect(hashOf(line(), line())).not.toBe(hashOf(line()))
  })
})

describe('a trace', () => {
  it('keeps its lines', () => {
    const trace = createTrace()
    trace.add(line())
    expect(trace.lines()).toEqual([line()])
  })

  it('keeps the latest when there are too many; its hash counts all', () => {
    const trace = createTrace()
    const count = 2 * traceLinesMax + 2
    for (let step = 0; step < count; step += 1) trace.add(line({ step }))
    const kept = trace.lines()
    expect([kept.length, kept.at(-1)?.step]).toEqual([traceLinesMax, count - 1])
    expect(trace.hash()).not.toBe(hashOf(...kept))
  })
})

describe('as text', () => {
  it('a line has time, step, process, mark and what happened', () => {
    const text = formatTrace([
      line(),
      line({ process: 'world', kind: 'crash', text: 'dies' }),
      line({ kind: 'fault', text: 'busy' }),
    ])
    expect(text.split('\n')).toEqual([
      '      1746ms #34     engine-0   a v3 finished ok',
      '      1746ms #34     world    ! dies',
      '      1746ms #34     engine-0 ~ busy',
    ])
  })

  it('no line is no text', () => {
    expect(formatTrace([])).toBe('')
  })
})

describe('as a diagram', () => {
  it('commits are arrows to the store, crashes broken ones, the rest notes', () => {
    const drawn = drawTrace([
      line(),
      line({ process: 'engine-1', kind: 'crash', text: 'dies; so #1' }),
      line({ kind: 'boot', text: 'generation 2' }),
    ])
    expect(drawn.split('\n')).toEqual([
      'sequenceDiagram',
      '  participant p0 as engine-0',
      '  participant p1 as engine-1',
      '  participant store',
      '  p0->>store: 1746 ms: a v3 finished ok',
      '  p1--xstore: 1746 ms: dies  so  1',
      '  Note over p0: 1746 ms: generation 2',
    ])
  })

  it('shows the last lines when there are too many', () => {
    const lines = Array.from({ length: 500 }, (_, step) => line({ text: `line-${step}` }))
    const drawn = drawTrace(lines)
    expect(drawn).toContain('line-499')
    expect(drawn).toContain('line-300')
    expect(drawn).not.toContain('line-299')
  })
})
