import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hashText } from '../../../src/base/hash.ts'

const seed = 20_260_302

describe(`hashText (seed ${seed})`, () => {
  it('stable: the same text gives the same number, in every version', () => {
    expect(hashText('')).toBe(2_872_998_923)
    expect(hashText('stele')).toBe(122_003_917)
  })

  it('range: an unsigned 32-bit integer, for any text and seed', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.integer(), (text, salt) => {
        const hash = hashText(text, salt)
        expect(Number.isInteger(hash) && hash >= 0 && hash < 2 ** 32).toBe(true)
      }),
      { seed, numRuns: 300 },
    )
  })

  it('spread: 10,000 ids fall evenly into 16 drawers, by high bits and by low', () => {
    const high = Array.from({ length: 16 }, () => 0)
    const low = Array.from({ length: 16 }, () => 0)
    for (let index = 0; index < 10_000; index += 1) {
      const hash = hashText(`E_${index}`)
      high[hash >>> 28] = (high[hash >>> 28] ?? 0) + 1
      low[hash & 15] = (low[hash & 15] ?? 0) + 1
    }
    for (const count of [...high, ...low]) {
      expect(count).toBeGreaterThan(500)
      expect(count).toBeLessThan(750)
    }
  })

  it('seed: another seed gives another number', () => {
    expect(new Set([0, 1, 2, 3].map((salt) => hashText('same', salt))).size).toBe(4)
  })
})
