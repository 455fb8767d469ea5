import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { countChoices, type Tapes, withoutCalmEnd } from '../../../src/simulation/choices.ts'
import { type ShrinkOptions, type Shrunk, shrinkTapes } from '../../../src/simulation/shrink.ts'

const invariant = 'holds'

/** Shrinks what fails as this says; a run reads every tape to its end. */
function shrink(
  tapes: Tapes,
  fails: (tapes: Tapes) => boolean,
  options: Partial<ShrinkOptions> = {},
): Promise<Shrunk> {
  const run = (made: Tapes) =>
    Promise.resolve({ invariant: fails(made) ? invariant : undefined, tapes: made })
  return shrinkTapes({ tapes, run, invariant, runs: 5_000, hasTime: () => true, ...options })
}

const has = (stream: string, choice: number) => (tapes: Tapes) =>
  tapes[stream]?.some((each) => each >= choice) ?? false

describe('shrinking', () => {
  it('drops streams, choices and height that the failure does not need', async () => {
    const tapes = { crash: [4, 0, 9, 3, 7], busy: [5, 5, 5], slow: [1] }
    expect((await shrink(tapes, has('crash', 6))).tapes).toEqual({ crash: [6] })
  })

  it('finds that nothing at all is needed', async () => {
    expect((await shrink({ crash: [4, 2] }, () => true)).tapes).toEqual({})
  })

  it('keeps what is needed in its place', async () => {
    const fails = ({ crash = [] }: Tapes): boolean => crash[3] === 5
    expect((await shrink({ crash: [1, 2, 3, 5, 6] }, fails)).tapes).toEqual({ crash: [0, 0, 0, 5] })
  })

  it('goes on with what was read: choices that nobody asked for are gone', async () => {
    const run = (tapes: Tapes) => {
      const read = { crash: (tapes['crash'] ?? []).slice(0, 2) }
      return Promise.resolve({
        invariant: read.crash[1] === 3 ? invariant : undefined,
        tapes: read,
      })
    }
    const shrunk = await shrink({ crash: [1, 3, 8, 8, 8, 8] }, () => true, { run })
    expect(shrunk.tapes).toEqual({ crash: [0, 3] })
  })

  it('does not take another failure for this one', async () => {
    const run = (tapes: Tapes) =>
      Promise.resolve({ invariant: has('crash', 3)(tapes) ? invariant : 'another one', tapes })
    expect((await shrink({ crash: [9, 9] }, () => true, { run })).tapes).toEqual({ crash: [3] })
  })

  it('stops when its runs are used up', async () => {
    const tapes = { crash: Array.from({ length: 100 }, () => 9) }
    const shrunk = await shrink(tapes, has('crash', 9), { runs: 3 })
    expect(shrunk.runs).toBe(3)
    expect(has('crash', 9)(shrunk.tapes)).toBe(true)
  })

  it('makes no run when there is no time', async () => {
    const shrunk = await shrink({ crash: [1, 2] }, () => true, { hasTime: () => false })
    expect(shrunk).toEqual({ tapes: { crash: [1, 2] }, runs: 0 })
  })

  it('tells of each smaller tape', async () => {
    const told: [number, number][] = []
    const onSmaller = (choices: number, runs: number) => told.push([choices, runs])
    const { tapes } = await shrink({ crash: [4, 4, 4, 4] }, has('crash', 4), { onSmaller })
    const sizes = told.map(([choices]) => choices)
    expect(sizes).toEqual(sizes.toSorted((left, right) => right - left))
    expect(sizes.at(-1)).toBe(countChoices(tapes))
    expect(told.length).toBeGreaterThan(0)
  })
})

describe('whatever fails', () => {
  const tapes = fc.dictionary(
    fc.constantFrom('a', 'b', 'c'),
    fc.array(fc.nat(9), { maxLength: 12 }),
  )
  const sums = { a: 3, b: 1, c: 2 }
  const weight = (made: Tapes): number =>
    Object.entries(sums).reduce(
      (sum, [name, factor]) => sum + factor * (made[name] ?? []).reduce((one, two) => one + two, 0),
      0,
    )

  it('still fails when it is smaller, and is never longer', async () => {
    await fc.assert(
      fc.asyncProperty(tapes, fc.nat(40), async (given, limit) => {
        fc.pre(weight(given) >= limit)
        const fails = (made: Tapes): boolean => weight(made) >= limit
        const shrunk = await shrink(given, fails)
        expect(fails(shrunk.tapes)).toBe(true)
        expect(countChoices(shrunk.tapes)).toBeLessThanOrEqual(countChoices(given))
      }),
    )
  })

  it('is left as it is, but for its calm end, when nothing smaller fails', async () => {
    await fc.assert(
      fc.asyncProperty(tapes, async (given) => {
        const kept = Object.entries(given)
          .map(([name, tape]) => [name, withoutCalmEnd(tape)] as const)
          .filter(([, tape]) => tape.length > 0)
        expect((await shrink(given, () => false)).tapes).toEqual(Object.fromEntries(kept))
      }),
    )
  })

  it('takes no more runs than allowed', async () => {
    await fc.assert(
      fc.asyncProperty(tapes, fc.nat(30), async (given, runs) => {
        let made = 0
        const run = (tried: Tapes) => {
          made += 1
          return Promise.resolve({ invariant, tapes: tried })
        }
        const shrunk = await shrink(given, () => true, { run, runs })
        expect(made).toBe(shrunk.runs)
        expect(made).toBeLessThanOrEqual(runs)
      }),
    )
  })
})
