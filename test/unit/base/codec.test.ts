/** The value matrix: whatever a user passes either comes back, or is refused with its path. */

import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Codec, decodeValue, defaultCodec, encodeValue } from '../../../src/base/codec.ts'
import { isSteleError, type SteleError } from '../../../src/base/error.ts'
import type { Json } from '../../../src/base/json.ts'
import { thrownBy } from './thrown-by.ts'

const valueBytes = 1024 * 1024
const seed = 20_260_301

function encodeInput(value: unknown, codec: Codec = defaultCodec): Json | undefined {
  return encodeValue(codec, { value, root: 'input', valueBytes })
}

/** Through the database and back. */
function roundTrip(value: unknown): unknown {
  const stored = encodeInput(value)
  if (stored === undefined) return defaultCodec.decode(undefined)
  const read: Json = JSON.parse(JSON.stringify(stored))
  return defaultCodec.decode(read)
}

/** The error of an encoding; fails when there is none, or it is not one of ours. */
function refusalOf(value: unknown, codec: Codec = defaultCodec): SteleError {
  const error = thrownBy(() => encodeInput(value, codec))
  if (isSteleError(error)) return error
  throw new TypeError('stored, or something else escaped', { cause: error })
}

function nest(levels: number): unknown {
  let value: unknown = 'leaf'
  for (let level = 0; level < levels; level += 1) value = { a: value }
  return value
}

function boom(): never {
  throw new TypeError('boom')
}

/** A proxy whose every trap throws. */
function hostile(target: object): unknown {
  return new Proxy(target, new Proxy({}, { get: () => boom }))
}

function revoked(target: object): unknown {
  const { proxy, revoke } = Proxy.revocable(target, {})
  revoke()
  return proxy
}

class Money {
  readonly cents = 5
}

const shared = { part: 1n }
const repeated = { left: shared, right: [shared] }
const cyclic: { self?: unknown; name: string } = { name: 'ring' }
cyclic.self = cyclic
const nullPrototype: object = Object.assign(Object.create(null), { a: 1, b: [2] })
const holes: unknown[] = [1]
holes[2] = 3
const sparse: unknown[] = []
sparse[1_000_000] = 'far'

const plain: readonly (readonly [string, Json])[] = [
  ['null', null],
  ['true', true],
  ['zero', 0],
  ['a negative number', -1.5e-7],
  ['the largest number', Number.MAX_VALUE],
  ['an empty text', ''],
  ['a text of all sorts', 'a"\\\n\u2028\u0000é😀</script>'],
  ['a lone high surrogate', '\ud800'],
  ['a lone low surrogate as key', { '\udfff': 'x\udc00y' }],
  ['an empty object', {}],
  ['an empty array', []],
  ['nested objects', { a: [{ b: { c: [null, false] } }] }],
  ['keys of prototypes', { constructor: 1, toString: 2, hasOwnProperty: 3, toJSON: 4 }],
  ['numeric keys', { 10: 'ten', 9: 'nine' }],
  ['a frozen object', Object.freeze({ a: Object.freeze([1]) })],
  ['a part used twice', [plainPart(), plainPart()]],
]

function plainPart(): Json {
  return { x: 1 }
}

const beyond: readonly (readonly [string, unknown])[] = [
  ['undefined in an array', [undefined, 1]],
  ['undefined in an object', { a: undefined, b: 1 }],
  ['a Date', new Date(1_700_000_000_123)],
  ['a Date long ago', { at: new Date(-8.64e15) }],
  ['an invalid Date', new Date(Number.NaN)],
  ['a BigInt', 2n ** 80n],
  ['a negative BigInt', { id: -1n }],
  [
    'a Map',
    new Map<unknown, unknown>([
      ['k', new Set([1n])],
      [{ k: 1 }, new Date(0)],
    ]),
  ],
  ['a Set', new Set<unknown>(['a', undefined, Number.NaN])],
  ['NaN', Number.NaN],
  ['minus zero', -0],
  ['minus zero in an array', [0, -0]],
  ['Infinity', { up: Number.POSITIVE_INFINITY, down: Number.NEGATIVE_INFINITY }],
  ['a Uint8Array', new Uint8Array([0, 255, 7])],
  ['a Float64Array', new Float64Array([0.1, -0, Number.NaN])],
  ['a BigInt64Array', new BigInt64Array([-1n])],
  ['an ArrayBuffer', new Uint8Array([1, 2]).buffer],
  ['a RegExp', /a"\/[<b]+/giu],
  ['a URL', new URL('https://example.org/a?b=c#d')],
  ['URLSearchParams', new URLSearchParams('a=1&a=2')],
  ['a cyclic object', cyclic],
  ['a repeated reference', repeated],
  ['a null-prototype object', nullPrototype],
  ['an array with holes', holes],
  ['a sparse array', sparse],
  ['the reserved key', { $devalue: '[1]' }],
  ['the reserved key within', { a: [{ $devalue: { $devalue: 1 } }] }],
  ['100 levels', nest(100)],
  ['a text with a lone surrogate beside a BigInt', ['\ud800', 1n]],
  ['boxed primitives', [Object(1), Object('x'), Object(true)]],
]

describe('codec: plain JSON', () => {
  it.each(plain)('plain: %s is stored as itself', (_, value) => {
    expect(encodeInput(value)).toBe(value)
    expect(roundTrip(value)).toEqual(value)
  })

  it('plain: a proxy of a plain object is what it shows', () => {
    expect(roundTrip(new Proxy({ a: [1] }, {}))).toEqual({ a: [1] })
  })

  it('plain: a part used over and over does not take for ever', () => {
    let value: unknown = [1]
    for (let level = 0; level < 50; level += 1) value = [value, value]
    const decoded = roundTrip(value)
    expect(Array.isArray(decoded) && decoded[0] === decoded[1]).toBe(true)
  })
})

describe('codec: beyond JSON', () => {
  it('beyond: undefined at the top is stored as nothing', () => {
    expect(encodeInput(undefined)).toBeUndefined()
    expect(defaultCodec.decode(undefined)).toBeUndefined()
  })

  it.each(beyond)('beyond: %s comes back', (_, value) => {
    expect(roundTrip(value)).toStrictEqual(value)
  })

  it.each(beyond)('beyond: %s is stored under the reserved key alone', (_, value) => {
    expect(encodeInput(value)).toEqual({ $devalue: expect.any(String) })
  })

  it('beyond: identity is kept', () => {
    expect(roundTrip(repeated)).toSatisfy((value: typeof repeated) => value.left === value.right[0])
    expect(roundTrip(cyclic)).toSatisfy((value: typeof cyclic) => value.self === value)
  })

  it('beyond: a Buffer comes back as the bytes it is, without the pool it lies in', () => {
    const value = Buffer.from('abc')
    expect(roundTrip(value)).toStrictEqual(new Uint8Array([97, 98, 99]))
    expect(JSON.stringify(encodeInput(value)).length).toBeLessThan(100)
  })

  it('beyond: a view stores what it shows, not the rest of its buffer', () => {
    const { buffer } = new Uint8Array(5000).fill(7)
    const views = [new Uint16Array(buffer, 2, 1), new DataView(buffer, 8, 2)]
    expect(roundTrip(views)).toStrictEqual([
      new Uint16Array([0x0707]),
      new DataView(new Uint8Array([7, 7]).buffer),
    ])
    expect(JSON.stringify(encodeInput(views)).length).toBeLessThan(200)
  })

  it('beyond: a hidden toJSON is not asked', () => {
    const value = Object.defineProperty({ a: 1 }, 'toJSON', { value: boom })
    expect(roundTrip(value)).toEqual({ a: 1 })
  })

  it('beyond: a subclass comes back as its base', () => {
    class Dates extends Array<Date> {}
    expect(roundTrip(Dates.of(new Date(0)))).toStrictEqual([new Date(0)])
  })
})

describe('codec: errors', () => {
  function decodedError(error: unknown): Error {
    const decoded = roundTrip({ error })
    const inner: unknown = Reflect.get(Object(decoded), 'error')
    if (inner instanceof Error) return inner
    throw new TypeError('not an error')
  }

  it('errors: name, message, stack, code and the chain of causes come back', () => {
    const root = Object.assign(new RangeError('root'), { code: 'E_ROOT' })
    const error = new Error('top', { cause: new TypeError('middle', { cause: root }) })
    const decoded = decodedError(error)
    expect(decoded).toEqual(error)
    expect(decoded.stack).toBe(error.stack)
    const middle = decoded.cause
    expect(middle).toBeInstanceOf(TypeError)
    expect(middle).toHaveProperty('cause', root)
    expect(middle).toHaveProperty('cause.code', 'E_ROOT')
    expect(Object.keys(decoded)).toEqual([])
  })

  it('errors: the parts of an AggregateError come back', () => {
    const decoded = decodedError(new AggregateError([new Error('a'), new TypeError('b')], 'both'))
    expect(decoded.name).toBe('AggregateError')
    expect(decoded).toHaveProperty('errors', [new Error('a'), new TypeError('b')])
  })

  it('errors: a cause that is no error comes back', () => {
    expect(decodedError(new Error('x', { cause: { at: new Date(3) } })).cause).toEqual({
      at: new Date(3),
    })
  })

  it.each(['constructor', 'toString', '__proto__', 'AbortError'])(
    'errors: the name %s is only a name',
    (name) => {
      const error = new Error('x')
      Object.defineProperty(error, 'name', { value: name })
      const decoded = decodedError(error)
      expect(decoded).toBeInstanceOf(Error)
      expect([decoded.name, decoded.message]).toEqual([name, 'x'])
    },
  )

  it('errors: one that causes itself comes back with its cause cut off', () => {
    const error = new Error('ring')
    error.cause = error
    const decoded = decodedError(error)
    expect(decoded.cause).toHaveProperty('message', 'ring')
    expect(decoded.cause).not.toHaveProperty('cause')
  })
})

const refused: readonly (readonly [string, unknown, string])[] = [
  ['a function', () => 1, 'input'],
  ['a function in an array', { items: [1, () => 1] }, 'input.items[1]'],
  ['a symbol', { a: Symbol('s') }, 'input.a'],
  ['a symbol as key', { a: { [Symbol('s')]: 1 } }, 'input.a'],
  ['a promise', { later: Promise.resolve(1) }, 'input.later'],
  // oxlint-disable-next-line unicorn/no-thenable -- that is what is refused
  ['a thenable', { later: { then: () => 1 } }, 'input.later'],
  ['a class instance', { items: [0, 1, 2, { socket: new Money() }] }, 'input.items[3].socket'],
  ['a class instance in a Map', { m: new Map([['k', [new Money()]]]) }, 'input.m.get("k")[0]'],
  ['an object with toJSON', { a: { toJSON: () => 1 } }, 'input.a.toJSON'],
  ['a WeakMap', { a: new WeakMap() }, 'input.a'],
  ['an iterator', { a: [1].values() }, 'input.a'],
  ['an own __proto__', { a: JSON.parse('{"__proto__":1}') }, 'input.a'],
  ['a key that is no name', { 'a b': new Money() }, 'input["a b"]'],
  ['an array with a named property', { a: [Object.assign([1], { x: 2 })] }, 'input.a[0]'],
  ['the result of a match', { found: /b/.exec('abc') }, 'input.found'],
  ['a cause that is a function', new Error('x', { cause: { f: boom } }), 'input.cause.f'],
  ['a symbol in an error', { e: new AggregateError([Symbol('s')]) }, 'input.e.errors[0]'],
  ['a boxed symbol', [Object(Symbol('s'))], 'input[0]'],
  [
    'a getter that throws',
    {
      a: [
        {
          get b() {
            return boom()
          },
        },
      ],
    },
    'input.a[0].b',
  ],
  [
    'a getter beside a Date',
    {
      at: new Date(0),
      get 'b c'() {
        return boom()
      },
    },
    'input["b c"]',
  ],
  ['a hostile proxy', hostile({}), 'input'],
  ['a hostile proxy within', { a: [hostile({})] }, 'input.a[0]'],
  ['a hostile array', { a: [1n, hostile([])] }, 'input.a[1]'],
  ['a hostile function', { a: hostile(boom) }, 'input.a'],
  ['a revoked proxy', { a: revoked({}) }, 'input.a'],
  ['a revoked array', { a: { b: revoked([]) } }, 'input.a.b'],
  ['a proxy of a Map', { a: [new Proxy(new Map(), {})] }, 'input.a[0]'],
  ['a proxy that lies of its length', { a: new Proxy([], { get: lie }) }, 'input.a'],
  ['an object that calls itself a URL', { a: { [Symbol.toStringTag]: 'URL' } }, 'input.a'],
  [
    'a class that calls itself a URL',
    {
      a: new (class {
        get [Symbol.toStringTag]() {
          return 'URL'
        }
      })(),
    },
    'input.a',
  ],
  ['100,000 levels', nest(100_000), 'input'],
]

function lie(_: unknown, key: string | symbol): unknown {
  return key === 'length' ? 1e15 : undefined
}

describe('codec: what cannot be stored', () => {
  it.each(refused)('refused: %s', (_, value, path) => {
    const error = refusalOf(value)
    expect(error.code).toBe('value_not_storable')
    expect(error.fields).toEqual({ path })
    expect(error.message).toContain(`${path} cannot be stored: `)
  })

  it('refused: the message says what happened, where, and what to do', () => {
    expect(refusalOf({ a: [() => 1] }).message).toBe(
      'input.a[0] cannot be stored: Cannot stringify a function. ' +
        'Pass data only, or give the engine a `codec` that knows how to write it.',
    )
  })

  it.each([
    ['an unreadable object', { toString: boom }],
    ['undefined', undefined],
    [
      'an error without a readable message',
      Object.defineProperty(new Error(), 'message', { get: boom }),
    ],
    ['an error whose message is a number', Object.assign(new Error(), { message: 5 })],
  ])('refused: a getter that throws %s', (_, thrown) => {
    const value = {
      get bad() {
        // oxlint-disable-next-line typescript/only-throw-error -- users throw anything
        throw thrown
      },
    }
    expect(refusalOf(value)).toMatchObject({
      code: 'value_not_storable',
      fields: { path: 'input.bad' },
    })
  })

  it.each([
    ['throws', boom],
    ['gives a BigInt', () => 1n],
  ])('refused: a getter that %s the second time', (_, second) => {
    let reads = 0
    const value = {
      get sly() {
        reads += 1
        return reads === 2 ? second() : 1
      },
    }
    expect(refusalOf(value).code).toBe('value_not_storable')
  })

  it('refused: whatever a codec of the user throws', () => {
    const codec: Codec = { encode: boom, decode: boom }
    expect(refusalOf({ a: 1 }, codec)).toMatchObject({
      code: 'value_not_storable',
      cause: new TypeError('boom'),
    })
  })

  it('too large: a text of 5 MB', () => {
    const error = refusalOf({ text: 'x'.repeat(5 * 1024 * 1024) })
    expect(error.code).toBe('value_too_large')
    expect(error.fields).toEqual({ path: 'input', bytes: 5 * 1024 * 1024 + 11, limit: valueBytes })
  })

  it('too large: bytes of UTF-8 count, and the limit itself is allowed', () => {
    const request = { value: 'é', root: 'result' }
    expect(encodeValue(defaultCodec, { ...request, valueBytes: 4 })).toBe('é')
    expect(() => encodeValue(defaultCodec, { ...request, valueBytes: 3 })).toThrow('result takes 4')
  })
})

describe(`codec: properties (seed ${seed})`, () => {
  it('property: any JSON value is stored as itself', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'binary' }), (value) => {
        fc.pre(!JSON.stringify(value).includes('__proto__'))
        const normal: unknown = JSON.parse(JSON.stringify(value))
        expect(JSON.stringify(encodeInput(normal))).toBe(JSON.stringify(normal))
        expect(roundTrip(normal)).toStrictEqual(normal)
      }),
      { seed, numRuns: 300 },
    )
  })

  it('property: anything comes back or is refused, typed', () => {
    const anything = fc.anything({
      withBigInt: true,
      withBoxedValues: true,
      withDate: true,
      withMap: true,
      withNullPrototype: true,
      withObjectString: true,
      withSet: true,
      withSparseArray: true,
      withTypedArray: true,
    })
    fc.assert(
      fc.property(anything, (value) => {
        let decoded: unknown = value
        const error = thrownBy(() => {
          decoded = roundTrip(value)
        })
        expect(error === undefined || isSteleError(error, 'value_not_storable')).toBe(true)
        expect(decoded).toStrictEqual(value)
      }),
      { seed, numRuns: 1000 },
    )
  })
})

describe('a codec that does not answer at once, or with JSON', () => {
  it.each<[string, () => unknown]>([
    ['a promise', () => Promise.resolve(1)],
    ['a promise that rejects', () => Promise.reject(new Error('late'))],
    ['a function', () => () => 1],
    ['a symbol', () => Symbol('s')],
  ])('%s is refused, and not stored as nothing', (_, answer) => {
    const codec: Codec = { encode: () => answer() as Json, decode: () => 1 }
    const error = thrownBy(() => encodeInput(5, codec))
    expect(error).toMatchObject({ code: 'value_not_storable', fields: { path: 'input' } })
  })
})

describe('decodeValue', () => {
  it('reads what the codec reads', () => {
    expect(decodeValue(defaultCodec, encodeInput(new Date(5)), 'result')).toEqual(new Date(5))
  })

  it('what the codec cannot read is value_unreadable, and says what was read', () => {
    const corrupt = { $devalue: 'no such text' }
    const error = thrownBy(() => decodeValue(defaultCodec, corrupt, 'result'))
    expect(error).toMatchObject({ code: 'value_unreadable', fields: { root: 'result' } })
  })
})
