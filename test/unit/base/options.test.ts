import { describe, expect, it } from 'vitest'
import {
  invalidOption,
  requireInteger,
  requireKnownKeys,
  requireObject,
  requireOneOf,
} from '../../../src/base/options.ts'
import { thrownBy } from './thrown-by.ts'

describe('requireKnownKeys', () => {
  it('keys: known ones pass, in any number', () => {
    expect(() => requireKnownKeys({}, ['a'], 'engine')).not.toThrow()
    expect(() => requireKnownKeys({ b: 1, a: undefined }, ['a', 'b'], 'engine')).not.toThrow()
  })

  it('keys: the first unknown one is named, with its owner and those that are known', () => {
    expect(thrownBy(() => requireKnownKeys({ a: 1, x: 2, y: 3 }, ['a', 'b'], 'engine'))).toEqual(
      invalidOption('engine.x', 'is not an option; known are a, b'),
    )
  })

  it.each([null, undefined, 3, 'text'])('keys: %s has none, and is refused', (value) => {
    expect(() => requireKnownKeys(value as never, [], 'engine')).toThrow(
      expect.objectContaining({ code: 'invalid_option', fields: { option: 'engine' } }),
    )
  })
})

describe('requireObject', () => {
  it('object: says what it was given instead', () => {
    expect(() => requireObject({}, 'engine')).not.toThrow()
    expect(() => requireObject('yes', 'engine')).toThrow(
      'engine must be an object of options, not "yes".',
    )
    expect(() => requireObject(null, 'engine')).toThrow('not null.')
  })
})

describe('requireInteger', () => {
  const bounds = { min: 1, max: 10 }

  it.each([1, 5, 10])('integer: %d is within 1 to 10', (value) => {
    expect(requireInteger(value, 'size', bounds)).toBe(value)
  })

  it.each([0, 11, 1.5, Number.NaN, Number.POSITIVE_INFINITY, '5', null, undefined, 5n])(
    'integer: %s is refused',
    (value) => {
      expect(() => requireInteger(value, 'size', bounds)).toThrow(
        expect.objectContaining({
          code: 'invalid_option',
          message: expect.stringContaining('size must be an integer from 1 to 10, not '),
        }),
      )
    },
  )
})

describe('requireOneOf', () => {
  it('word: one of the list passes', () => {
    expect(requireOneOf('b', 'mode', ['a', 'b'])).toBe('b')
  })

  it.each([
    ['c', '"c"'],
    [undefined, 'undefined'],
    [{}, 'object'],
    [3, '3'],
  ])('word: %s is refused', (value, shown) => {
    expect(() => requireOneOf(value, 'mode', ['a', 'b'])).toThrow(
      `mode must be one of a, b, not ${shown}.`,
    )
  })
})

describe('invalidOption', () => {
  it('error: code, sentence, and the option among its fields', () => {
    expect(invalidOption('size', 'is wrong')).toMatchObject({
      code: 'invalid_option',
      message: 'size is wrong.',
      fields: { option: 'size' },
    })
  })
})
