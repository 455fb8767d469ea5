import { describe, expect, it } from 'vitest'
import {
  invalidOption,
  readMember,
  readObject,
  readOptions,
  requireBoolean,
  requireFunctions,
  requireInteger,
  requireKnownKeys,
  requireObject,
  requireOneOf,
  requireText,
  showSubject,
  showValue,
} from '../../../src/base/options.ts'
import { thrownBy } from './thrown-by.ts'

function trap(): never {
  throw new Error('hands off')
}

const hostile = new Proxy(
  {},
  { get: trap, has: trap, ownKeys: trap, getPrototypeOf: trap, getOwnPropertyDescriptor: trap },
)

function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {})
  revoke()
  return proxy
}

function cyclic(): object {
  const value: { self?: unknown } = {}
  value.self = value
  return value
}

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
    expect(() => requireObject([], 'engine')).toThrow('not an array.')
    expect(() => requireObject(() => 1, 'engine')).toThrow('not a function.')
  })
})

describe('readOptions', () => {
  it('copy: each option is read once, with what is inherited', () => {
    let reads = 0
    class Given {
      get a(): number {
        reads += 1
        return reads
      }
    }
    const copy = readOptions<{ readonly a?: number }>(new Given(), ['a', 'b'], 'engine')
    expect([copy.a, copy.a, reads]).toEqual([1, 1, 1])
    expect(Object.keys(copy)).toEqual(['a'])
    expect(readOptions(Object.create(null) as object, ['a'], 'engine')).toEqual({})
  })

  it.each<[string, object]>([
    ['a hostile proxy', hostile],
    ['a getter that throws', Object.defineProperty({}, 'a', { get: trap, enumerable: true })],
  ])('read: %s is refused', (_, options) => {
    expect(thrownBy(() => readOptions(options, ['a'], 'engine'))).toMatchObject({
      code: 'invalid_option',
      message: 'engine throws while it is read. Pass plain data.',
      fields: { option: 'engine' },
    })
    expect(() => readObject(options, 'engine')).toThrow('throws while it is read')
  })
})

describe('requireFunctions', () => {
  it('functions: own or inherited, of an object or a function', () => {
    class Clock {
      now(): number {
        return 1
      }
    }
    for (const value of [{ now: () => 1 }, new Clock(), Object.assign(() => 1, { now: trap })]) {
      expect(() => requireFunctions(value, 'clock', ['now'])).not.toThrow()
    }
  })

  it.each<[unknown, string, string]>([
    [null, 'clock', 'clock must be an object with now, then, not null.'],
    [5, 'clock', 'clock must be an object with now, then, not 5.'],
    [{}, 'clock.now', 'clock.now must be a function, not undefined.'],
    [{ now: trap }, 'clock.then', 'clock.then must be a function, not undefined.'],
    [{ now: 5n }, 'clock.now', 'clock.now must be a function, not 5n.'],
    [hostile, 'clock.now', 'clock.now must be a function, not undefined.'],
  ])('functions: what lacks one is refused (%#)', (value, option, message) => {
    expect(thrownBy(() => requireFunctions(value, 'clock', ['now', 'then']))).toMatchObject({
      code: 'invalid_option',
      message,
      fields: { option },
    })
  })
})

describe('requireBoolean and requireText', () => {
  it('value: passes', () => {
    expect([requireBoolean(true, 'paused'), requireBoolean(false, 'paused')]).toEqual([true, false])
    expect(requireText('', 'reason')).toBe('')
  })

  it.each([null, undefined, 0, 1n, Symbol('s'), [], {}, hostile])(
    'value: what is neither is refused (%#)',
    (value) => {
      for (const require of [requireBoolean, requireText]) {
        expect(thrownBy(() => require(value, 'option'))).toMatchObject({
          code: 'invalid_option',
          message: expect.stringContaining(`not ${showValue(value)}.`),
        })
      }
    },
  )

  it('value: a boolean is no text, and a text no boolean', () => {
    expect(() => requireText(true, 'reason')).toThrow('reason must be a text, not true.')
    expect(() => requireBoolean('no', 'paused')).toThrow('paused must be true or false, not "no".')
  })
})

describe('showValue', () => {
  it.each<[unknown, string, string]>([
    [null, 'null', 'null'],
    [undefined, 'undefined', 'undefined'],
    [true, 'true', 'true'],
    [Number.NaN, 'NaN', 'NaN'],
    [1n, '1n', '1n'],
    [Symbol('s'), 'Symbol(s)', 'Symbol(s)'],
    ['a', '"a"', '"a"'],
    [() => 1, 'a function', 'A function'],
    [[1], 'an array', 'An array'],
    [{}, 'an object', 'An object'],
    [cyclic(), 'an object', 'An object'],
    [Object.create(null), 'an object', 'An object'],
    [hostile, 'an object', 'An object'],
  ])('value: whatever it is, it is shown (%#)', (value, within, first) => {
    expect([showValue(value), showSubject(value)]).toEqual([within, first])
  })

  it('value: of a proxy that was revoked, nothing can be asked', () => {
    // Not in the tables: the runner asks what it shows.
    expect(showValue(revoked())).toBe('an object')
    expect(() => readObject(revoked(), 'engine')).toThrow('throws while it is read')
  })

  it('value: a long text is cut', () => {
    expect(showValue('x'.repeat(1_000))).toBe(`"${'x'.repeat(100)}…"`)
  })
})

describe('readMember', () => {
  it('member: or undefined', () => {
    expect(readMember({ a: 1 }, 'a')).toBe(1)
    for (const value of [null, undefined, 5, 'text', hostile]) {
      expect(readMember(value, 'length')).toBeUndefined()
    }
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
    [{}, 'an object'],
    [null, 'null'],
    [['a'], 'an array'],
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
