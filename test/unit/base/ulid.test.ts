import { describe, expect, it } from 'vitest'
import { createRandom } from '../../../src/base/random.ts'
import { createUlids, ulidAt } from '../../../src/base/ulid.ts'

function mintAt(instants: readonly number[]): readonly string[] {
  let turn = -1
  const clock = { now: () => instants[turn] ?? 0 }
  const mint = createUlids(clock, createRandom(1))
  return instants.map(() => {
    turn += 1
    return mint()
  })
}

describe('ulids', () => {
  it('form: 26 characters of Crockford’s base 32', () => {
    for (const id of mintAt([0, 1_700_000_000_000])) {
      expect(id).toMatch(/^[0-9A-HJKMNP-TV-Z]{26}$/)
    }
  })

  it('order: rise with time', () => {
    const ids = mintAt([1, 2, 1000, 1_700_000_000_000])
    expect(ids.toSorted()).toEqual(ids)
    expect(ids[0]?.startsWith('0000000001')).toBe(true)
  })

  it('order: rise within a millisecond', () => {
    const ids = mintAt(Array.from({ length: 1000 }, () => 77))
    expect(ids.toSorted()).toEqual(ids)
    expect(new Set(ids).size).toBe(1000)
  })

  it('order: rise while the clock goes backwards', () => {
    const ids = mintAt([5000, 4000, 10, 4999, 5000, 5001])
    expect(ids.toSorted()).toEqual(ids)
    expect(new Set(ids).size).toBe(6)
  })

  it('seed: the same clock and randomness give the same ids', () => {
    expect(mintAt([1, 2, 2])).toEqual(mintAt([1, 2, 2]))
  })
})

describe('ulidAt', () => {
  it('same: the same instant and draws give the same', () => {
    const twice = [ulidAt(1000, createRandom(7)), ulidAt(1000, createRandom(7))]
    expect(new Set(twice).size).toBe(1)
    expect(twice[0]).toMatch(/^[0-9A-HJKMNP-TV-Z]{26}$/)
    expect(ulidAt(1000, createRandom(8))).not.toBe(twice[0])
  })

  it('time: is its first ten characters', () => {
    expect(ulidAt(77, createRandom(1)).slice(0, 10)).toBe(mintAt([77])[0]?.slice(0, 10))
  })
})
