/** Anything as plain JSON, bounded. */

import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createActor, createMachine } from 'xstate'
import { cutMark, isActor, plainOf } from '../../../src/inspector/plain.ts'

class Money {
  readonly #cents: number
  constructor(cents: number) {
    this.#cents = cents
  }
  toJSON(): unknown {
    return { cents: this.#cents }
  }
}

describe('a value as plain JSON', () => {
  it('JSON stays as it is', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(plainOf(value)).toEqual(value)
      }),
      { seed: 20_261_203 },
    )
  })

  it.each([
    ['a date', new Date(0), '1970-01-01T00:00:00.000Z'],
    ['no date', new Date(Number.NaN), 'Invalid Date'],
    ['NaN', Number.NaN, 'NaN'],
    ['a big integer', 12n, '12n'],
    ['a symbol', Symbol('s'), 'Symbol(s)'],
    ['a function', isActor, { type: 'isActor' }],
    ['a map', new Map([['a', 1]]), [['a', 1]]],
    ['a set', new Set([1, 2]), [1, 2]],
    ['bytes', new Uint8Array(3), '[3 bytes]'],
    ['a pattern', /a/u, '/a/u'],
    ['a URL', new URL('http://a.test/b'), 'http://a.test/b'],
    ['a promise', Promise.resolve(1), '[promise]'],
    ['what has a JSON of its own', new Money(7), { cents: 7 }],
    ['nothing in a list', [undefined, 1], [null, 1]],
    ['nothing in an object', { a: undefined, b: 1 }, { b: 1 }],
    ['nothing', undefined, undefined],
  ])('%s', (_name, value, plain) => {
    expect(plainOf(value)).toEqual(plain)
  })

  it('an error shows its message, its cause and its fields', () => {
    const error = Object.assign(new TypeError('no', { cause: new Error('why') }), { code: 7 })
    expect(plainOf(error)).toEqual({
      name: 'TypeError',
      message: 'no',
      code: 7,
      cause: { name: 'Error', message: 'why' },
    })
  })

  it('an actor is shown by its name, and never walked', () => {
    const actor = createActor(createMachine({}), { id: 'worker' })
    expect(plainOf({ ref: actor })).toEqual({ ref: { xstate$$type: 1, id: 'worker' } })
    expect(plainOf({ ref: actor }, { nameOfActor: () => 'ours' })).toEqual({
      ref: { xstate$$type: 1, id: 'ours' },
    })
  })

  it('a circle ends', () => {
    const circle: { self?: unknown; list: unknown[] } = { list: [] }
    circle.self = circle
    circle.list.push(circle)
    expect(plainOf(circle)).toEqual({ self: '[circular]', list: ['[circular]'] })
  })

  it('what stands twice without a circle is shown twice', () => {
    const shared = { a: 1 }
    expect(plainOf([shared, shared])).toEqual([shared, shared])
  })

  it('a getter that throws hides itself alone', () => {
    const hostile = {
      get bad(): never {
        throw new RangeError('not for you')
      },
      good: 1,
    }
    expect(plainOf(hostile)).toEqual({ bad: '[throws: not for you]', good: 1 })
  })

  it('a proxy that throws at everything is shown as that', () => {
    const refuse = (): never => {
      throw new RangeError('no')
    }
    const hostile = new Proxy({}, { get: refuse, ownKeys: refuse, has: refuse })
    expect(plainOf({ hostile, good: 1 })).toEqual({ hostile: '[throws: no]', good: 1 })
    const { proxy, revoke } = Proxy.revocable({}, {})
    revoke()
    expect(plainOf({ proxy, good: 1 })).toMatchObject({ good: 1 })
  })

  it('a toJSON that throws hides its object alone', () => {
    const hostile = {
      toJSON: () => {
        throw new RangeError('no')
      },
    }
    expect(plainOf([hostile, 1])).toEqual(['[throws: no]', 1])
  })

  it('a hundred levels are shown whole, a hundred thousand are cut', () => {
    const nested = (levels: number): unknown => {
      let value: unknown = 'bottom'
      for (let level = 0; level < levels; level += 1) value = [value]
      return value
    }
    expect(plainOf(nested(100))).toEqual(nested(100))
    expect(JSON.stringify(plainOf(nested(100_000)))).toContain('[cut: too deep to show]')
  })

  it('a key that names the prototype is a key like others', () => {
    const odd: unknown = JSON.parse('{"__proto__":{"a":1},"b":2}')
    expect(JSON.stringify(plainOf(odd))).toBe('{"__proto__":{"a":1},"b":2}')
  })

  it('is never much larger than it may be, and says that something is missing', () => {
    fc.assert(
      fc.property(
        fc.anything({ maxDepth: 4 }),
        fc.integer({ min: 0, max: 500 }),
        (value, charsMax) => {
          const whole = JSON.stringify(plainOf(value)) ?? ''
          const cut = JSON.stringify(plainOf(value, { charsMax })) ?? ''
          // A marker or two and the brackets that close what was open.
          expect(cut.length).toBeLessThanOrEqual(charsMax + 300)
          expect(cut.includes(cutMark)).toBe(cut !== whole)
        },
      ),
      { seed: 20_261_203 },
    )
  })

  it('a value that doubles at each level ends soon', () => {
    let value: unknown = 'x'
    for (let level = 0; level < 60; level += 1) value = [value, value]
    expect(JSON.stringify(plainOf(value, { charsMax: 1000 })).length).toBeLessThan(5000)
  })

  it('a text that is too long keeps its beginning', () => {
    const cut = plainOf({ text: 'x'.repeat(10_000), after: 1 }, { charsMax: 1000 })
    expect(JSON.stringify(cut)).toMatch(/^\{"text":"x{400,}…\[cut/)
  })
})
