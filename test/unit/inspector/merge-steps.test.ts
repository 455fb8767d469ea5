/** Several logs as one story. */

import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type CausedStep, mergeSteps } from '../../../src/inspector/merge-steps.ts'

interface Named extends CausedStep {
  readonly name: string
}

function step(name: string, createdAt: number, causes: Partial<CausedStep> = {}): Named {
  return { name, createdAt, ...causes }
}

function story(...logs: readonly (readonly Named[])[]): string {
  return mergeSteps(logs)
    .map(({ name }) => name)
    .join(' ')
}

describe('one story of several logs', () => {
  it('goes by the clock, and of one instant by the order of the logs', () => {
    expect(story([step('a', 1), step('c', 3)], [step('b', 1), step('d', 4)])).toBe('a b c d')
  })

  it('a log keeps its order when its clock went back', () => {
    expect(story([step('a', 9), step('b', 3)], [step('c', 5)])).toBe('c a b')
  })

  it('nothing is told before what caused it', () => {
    const parent = [step('ask', 2, { gives: 'wish' }), step('told', 3, { needs: 'end' })]
    const child = [step('born', 1, { needs: 'wish' }), step('ended', 4, { gives: 'end' })]
    expect(story(parent, child)).toBe('ask born ended told')
  })

  it('of one instant, what was caused comes at once', () => {
    const parent = [step('ask', 1, { gives: 'wish' }), step('next', 1)]
    expect(story(parent, [step('born', 1, { needs: 'wish' })])).toBe('ask born next')
  })

  it('a cause that nobody can tell is not waited for', () => {
    expect(story([step('a', 2)], [step('b', 1, { needs: 'elsewhere' })])).toBe('b a')
  })

  it('causes in a circle end', () => {
    const one = [step('a', 1, { needs: 'y', gives: 'x' })]
    const other = [step('b', 2, { needs: 'x', gives: 'y' })]
    expect(story(one, other)).toBe('a b')
  })

  it('every step is told once, in the order of its log', () => {
    const cause = fc.option(fc.constantFrom('x', 'y', 'z'), { nil: undefined })
    const steps = fc.record({ createdAt: fc.nat(20), needs: cause, gives: cause })
    fc.assert(
      fc.property(fc.array(fc.array(steps, { maxLength: 8 }), { maxLength: 4 }), (logs) => {
        const told = mergeSteps(logs)
        expect(told).toHaveLength(logs.flat().length)
        for (const log of logs) {
          expect(told.filter((entry) => log.includes(entry))).toEqual(log)
        }
      }),
      { seed: 20_261_203 },
    )
  })
})
