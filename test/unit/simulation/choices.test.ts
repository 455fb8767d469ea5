import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type Choices,
  countChoices,
  createChoices,
  withoutCalmEnd,
} from '../../../src/simulation/choices.ts'

const draws = (choices: Choices, stream: string, length = 50): number[] =>
  Array.from({ length }, () => choices.choose(stream, 1_000))

/** At which times something happened. */
function timesOf(choices: Choices, rate: number, looks: number): number[] {
  const happens = choices.occasion('storm', rate)
  return Array.from({ length: looks }, (_, time) => time).filter(() => happens())
}

describe('choices', () => {
  it('follow from the seed', () => {
    const once = draws(createChoices({ seed: 7 }), 'a')
    expect(draws(createChoices({ seed: 7 }), 'a')).toEqual(once)
    expect(draws(createChoices({ seed: 8 }), 'a')).not.toEqual(once)
  })

  it('of one stream do not change when another stream draws', () => {
    const alone = draws(createChoices({ seed: 7 }), 'a')
    const choices = createChoices({ seed: 7 })
    const mixed = Array.from({ length: 50 }, () => {
      choices.choose('b', 10)
      return choices.choose('a', 1_000)
    })
    expect(mixed).toEqual(alone)
  })

  it('reach every one of the possibilities, and none beyond', () => {
    const choices = createChoices({ seed: 1 })
    const made = new Set(Array.from({ length: 200 }, () => choices.choose('a', 4)))
    expect([...made].toSorted((left, right) => left - right)).toEqual([0, 1, 2, 3])
  })

  it('between one and one are none: nothing is drawn, nothing recorded', () => {
    const choices = createChoices({ seed: 1 })
    const alone = createChoices({ seed: 1 })
    expect(choices.choose('a', 1)).toBe(0)
    expect(draws(choices, 'a')).toEqual(draws(alone, 'a'))
    expect(choices.tapes()).toEqual(alone.tapes())
  })

  it('are made again from a tape, whatever the seed is', () => {
    fc.assert(
      fc.property(
        fc.nat(),
        fc.array(fc.tuple(fc.constantFrom('a', 'b'), fc.nat(20))),
        (seed, asked) => {
          const play = (choices: Choices): number[] =>
            asked.map(([stream, count]) => choices.choose(stream, count))
          const first = createChoices({ seed })
          const made = play(first)
          const again = createChoices({ seed: seed + 1, tapes: first.tapes() })
          expect(play(again)).toEqual(made)
          expect(again.tapes()).toEqual(first.tapes())
        },
      ),
    )
  })

  it('that are not on the tape are benign', () => {
    const choices = createChoices({ seed: 1, tapes: { a: [3] } })
    expect([choices.choose('a', 9), choices.choose('a', 9), choices.choose('b', 9)]).toEqual([
      3, 0, 0,
    ])
  })

  it('on a tape for more possibilities than there are become the last one', () => {
    expect(createChoices({ seed: 1, tapes: { a: [30] } }).choose('a', 4)).toBe(3)
  })

  it('leave tapes without their calm end, and no tape of a calm stream', () => {
    const choices = createChoices({ seed: 1, tapes: { a: [0, 2, 0, 0], b: [0] } })
    draws(choices, 'a', 6)
    draws(choices, 'b', 6)
    expect(choices.tapes()).toEqual({ a: [0, 2] })
  })
})

describe('an occasion', () => {
  it('comes about as often as its chance has it', () => {
    const { length } = timesOf(createChoices({ seed: 3 }), 0.1, 10_000)
    expect(length).toBeGreaterThan(800)
    expect(length).toBeLessThan(1_200)
  })

  it('comes always with chance 1, and with chance 0 never', () => {
    expect(timesOf(createChoices({ seed: 3 }), 1, 5)).toEqual([0, 1, 2, 3, 4])
    expect(timesOf(createChoices({ seed: 3 }), 0, 500)).toEqual([])
  })

  it('is recorded as the distance from one time to the next', () => {
    const choices = createChoices({ seed: 1, tapes: { storm: [2, 3, 1] } })
    expect(timesOf(choices, 0.5, 100)).toEqual([1, 4, 5])
  })

  it('never comes again after a 0 on its tape', () => {
    const choices = createChoices({ seed: 1, tapes: { storm: [1, 0, 1] } })
    expect(timesOf(choices, 1, 100)).toEqual([0])
  })

  it('comes at the same times from the tape that it left', () => {
    const first = createChoices({ seed: 5 })
    const times = timesOf(first, 0.05, 500)
    expect(times).not.toEqual([])
    expect(timesOf(createChoices({ seed: 6, tapes: first.tapes() }), 0.05, 500)).toEqual(times)
  })

  it('takes no tape while nothing happens', () => {
    const choices = createChoices({ seed: 5 })
    timesOf(choices, 0.001, 3)
    expect(choices.tapes()['storm']?.length).toBe(1)
  })
})

describe('numbers that are no choices', () => {
  it('follow from seed and name, and are on no tape', () => {
    const choices = createChoices({ seed: 1 })
    const number = choices.random('ids').next()
    expect(createChoices({ seed: 1, tapes: {} }).random('ids').next()).toBe(number)
    expect(choices.random('jitter').next()).not.toBe(number)
    expect(choices.tapes()).toEqual({})
  })
})

describe('tapes', () => {
  it('are counted over all streams', () => {
    expect(countChoices({ a: [1, 2], b: [3] })).toBe(3)
    expect(countChoices({})).toBe(0)
  })

  it('lose the zeros at their end only', () => {
    expect(withoutCalmEnd([0, 1, 0, 2, 0, 0])).toEqual([0, 1, 0, 2])
    expect(withoutCalmEnd([0, 0])).toEqual([])
  })
})
