import { describe, expect, it, vi } from 'vitest'
import { createRandom, createSystemRandom } from '../../../src/base/random.ts'

function draw(next: () => number, count: number): readonly number[] {
  return Array.from({ length: count }, next)
}

describe('random', () => {
  it('seeded: the same seed gives the same numbers, another seed others', () => {
    const numbers = draw(createRandom(7).next, 100)
    expect(draw(createRandom(7).next, 100)).toEqual(numbers)
    expect(draw(createRandom(8).next, 100)).not.toEqual(numbers)
  })

  it('seeded: the first numbers never change between versions', () => {
    expect(draw(createRandom(1).next, 3).map((value) => value * 2 ** 32)).toEqual(firstOfSeedOne)
  })

  it.each([0, -1, 2 ** 40, 1.5])('seeded: the seed %d gives numbers in [0, 1)', (seed) => {
    for (const value of draw(createRandom(seed).next, 1000)) {
      expect(value >= 0 && value < 1).toBe(true)
    }
  })

  it('seeded: numbers are spread evenly', () => {
    const sum = draw(createRandom(3).next, 10_000).reduce((total, value) => total + value, 0)
    expect(sum / 10_000).toBeGreaterThan(0.48)
    expect(sum / 10_000).toBeLessThan(0.52)
  })

  it('system: draws a page at a time, each number once', () => {
    const spy = vi.spyOn(crypto, 'getRandomValues')
    try {
      const { next } = createSystemRandom()
      const values = draw(next, 1024)
      expect(spy).toHaveBeenCalledTimes(1)
      next()
      expect(spy).toHaveBeenCalledTimes(2)
      expect(new Set(values).size).toBeGreaterThan(1000)
      expect(values.every((value) => value >= 0 && value < 1)).toBe(true)
    } finally {
      spy.mockRestore()
    }
  })

  it('system: two sources share nothing', () => {
    expect(draw(createSystemRandom().next, 4)).not.toEqual(draw(createSystemRandom().next, 4))
  })
})

/** Computed apart from the code: splitmix32 with the constants of its author. */
const firstOfSeedOne = [1_580_013_426, 350_525_680, 3_524_174_333]
