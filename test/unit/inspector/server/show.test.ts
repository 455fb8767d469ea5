import { expect, test } from 'vitest'
import { type Codec, defaultCodec } from '../../../../src/base/codec.ts'
import type { Json } from '../../../../src/base/json.ts'
import { showText, showValue } from '../../../../src/inspector/server/show.ts'

const by = { codec: defaultCodec, max: 10_000 }
const show = (value: unknown): string => showValue('v', defaultCodec.encode(value), by).text

test('JSON is shown as JSON', () => {
  expect(show({ a: [1, 'x'] })).toBe('{\n  "a": [\n    1,\n    "x"\n  ]\n}')
  expect(show(undefined)).toBe('undefined')
  expect(show(null)).toBe('null')
})

test('what is beyond JSON is shown as Node prints it', () => {
  expect(show({ when: new Date(0), tags: new Set(['a']) })).toBe(
    "{ when: 1970-01-01T00:00:00.000Z, tags: Set(1) { 'a' } }",
  )
})

test('a long text is cut, and says by how much', () => {
  expect(showText('t', 'abcdef', 4)).toEqual({ name: 't', text: 'abcd', cut: 2 })
  expect(showText('t', 'abcd', 4)).toEqual({ name: 't', text: 'abcd' })
})

test('a value that the codec cannot read is shown as it is stored', () => {
  const broken: Codec = {
    encode: (value) => value as Json,
    decode: () => {
      throw new Error('cannot')
    },
  }
  expect(showValue('v', { a: 1 }, { codec: broken, max: 100 }).text).toBe('{\n  "a": 1\n}')
})

test('an inspection method of a value is not called', () => {
  const codec: Codec = {
    encode: (value) => value as Json,
    decode: () => ({
      [Symbol.for('nodejs.util.inspect.custom')]: () => 'mine',
      a: 1,
    }),
  }
  expect(showValue('v', {}, { codec, max: 1_000 }).text).toContain('a: 1')
})
