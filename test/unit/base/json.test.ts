import { isDeepStrictEqual } from 'node:util'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { canonicalJson, isJsonObject, type Json } from '../../../src/base/json.ts'

const seed = 20_260_303

/** The same value with its keys written in the opposite order. */
function reversed(value: Json): Json {
  if (Array.isArray(value)) return value.map(reversed)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).toReversed()
  return Object.fromEntries(entries.map(([key, entry]) => [key, reversed(entry ?? null)]))
}

describe('isJsonObject', () => {
  it('holds for objects alone', () => {
    expect([{}, { a: 1 }].every(isJsonObject)).toBe(true)
    expect([undefined, null, true, 0, '', [], [{}]].some(isJsonObject)).toBe(false)
  })
})

describe(`canonicalJson (seed ${seed})`, () => {
  it('order: keys are sorted at every level', () => {
    expect(canonicalJson({ b: [{ d: 1, c: 2 }], a: { z: null, y: true } })).toBe(
      '{"a":{"y":true,"z":null},"b":[{"c":2,"d":1}]}',
    )
  })

  it('order: by code unit, not by language', () => {
    expect(canonicalJson({ é: 1, z: 2, Z: 3, '😀': 4 })).toBe('{"Z":3,"z":2,"é":1,"😀":4}')
  })

  it('order: of arrays stays', () => {
    expect(canonicalJson([3, 1, 2])).toBe('[3,1,2]')
  })

  it('undefined: at the top has a text that no JSON has', () => {
    expect(canonicalJson(undefined)).toBe('undefined')
    expect(canonicalJson('undefined')).toBe('"undefined"')
    expect(canonicalJson(null)).toBe('null')
  })

  it('undefined: a key without a value is no key', () => {
    expect(canonicalJson({ a: undefined, b: 1 })).toBe('{"b":1}')
  })

  it('property: the order of writing does not matter, the value does', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (raw) => {
        const value: Json = JSON.parse(JSON.stringify(raw))
        const text = canonicalJson(value)
        expect(canonicalJson(reversed(value))).toBe(text)
        expect(JSON.parse(text)).toEqual(value)
      }),
      { seed, numRuns: 300 },
    )
  })

  it('property: different values have different texts', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (left, right) => {
        const [one, two]: Json[] = JSON.parse(JSON.stringify([left, right]))
        const same = canonicalJson(one) === canonicalJson(two)
        expect(same).toBe(isDeepStrictEqual(one, two))
      }),
      { seed, numRuns: 300 },
    )
  })
})
