import { describe, expect, it } from 'vitest'
import {
  createSeededRandom,
  randomOf,
  ulidOf,
  uuidOf,
} from '../../../../src/workers/workflow/minted.ts'

const numbers = Array.from({ length: 1_000 }, (_, seq) => seq)

describe('minted', () => {
  it('random: in [0, 1), the same for the same call, another for another', () => {
    const values = numbers.map((seq) => randomOf('e', seq))
    expect(values).toEqual(numbers.map((seq) => randomOf('e', seq)))
    expect(new Set(values).size).toBe(values.length)
    expect(Math.min(...values)).toBeGreaterThanOrEqual(0)
    expect(Math.max(...values)).toBeLessThan(1)
    expect(randomOf('e', 1)).not.toBe(randomOf('f', 1))
  })

  it('random: spreads evenly, and uses bits beyond 32', () => {
    const values = numbers.map((seq) => randomOf('e', seq))
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length
    expect(Math.abs(mean - 0.5)).toBeLessThan(0.05)
    expect(values.some((value) => !Number.isInteger(value * 2 ** 32))).toBe(true)
  })

  it('random: today’s numbers are those of yesterday', () => {
    expect(randomOf('e', 1)).toMatchInlineSnapshot(`0.7350864802672428`)
    expect(uuidOf('e', 1)).toMatchInlineSnapshot(`"cfc16b3b-fb5c-4b2c-80b7-a4fcb296d71e"`)
    expect(ulidOf('e', { seq: 1, at: 1_700_000_000_000 })).toMatchInlineSnapshot(
      `"01HF7YAT00PPMEN3V12P257YB4"`,
    )
  })

  it('seeded: a sequence for each id and seed', () => {
    const draw = (id: string, seed: number): number[] => {
      const random = createSeededRandom(id, seed)
      return [random.next(), random.next(), random.next()]
    }
    expect(draw('e', 1)).toEqual(draw('e', 1))
    expect(new Set([...draw('e', 1), ...draw('e', 2), ...draw('f', 1)]).size).toBe(9)
  })

  it('ids: those of executions with short ids never meet', () => {
    const ids = '123456789abcdef'.split('').flatMap((id) => [id, `${id}.o:1-act_1`])
    const seqs = numbers.slice(0, 100)
    for (const mint of [randomOf, uuidOf]) {
      const minted = ids.flatMap((id) => seqs.map((seq) => mint(id, seq)))
      expect(new Set<unknown>(minted).size).toBe(minted.length)
    }
  })

  it('uuid: of version 4, another for each call', () => {
    const ids = numbers.map((seq) => uuidOf('e', seq))
    const form = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
    expect(ids.every((id) => form.test(id))).toBe(true)
    expect(new Set(ids).size).toBe(ids.length)
  })

  it('ulid: of its instant, another for each call; at the earliest of 1970', () => {
    const at = 1_700_000_000_000
    const ids = numbers.map((seq) => ulidOf('e', { seq, at }))
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids.every((id) => /^[0-9A-HJKMNP-TV-Z]{26}$/.test(id))).toBe(true)
    expect(new Set(ids.map((id) => id.slice(0, 10))).size).toBe(1)
    expect(ulidOf('e', { seq: 1, at: -5 })).toMatch(/^0000000001/)
    expect(ulidOf('e', { seq: 1, at: 0 })).toMatch(/^0000000001/)
  })
})
