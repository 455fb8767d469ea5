/** Single columns: what they may hold, and what is said when they hold something else. */

import { describe, expect, test } from 'vitest'
import {
  corruptColumn,
  flagOf,
  integerOf,
  integerOrNone,
  jsonOf,
  objectOf,
  textOf,
  textOrNone,
} from '../../../src/storage/column.ts'
import type { Row } from '../../../src/storage/protocol.ts'

const row = (value: unknown): Row => ({ execution_id: 'a', it: value })
const corrupt = { code: 'storage_corrupt', fields: { executionId: 'a', column: 'it' } }

describe('textOf()', () => {
  test('a text is itself, the empty one too', () => {
    expect(textOf(row('x'), 'it')).toBe('x')
    expect(textOf(row(''), 'it')).toBe('')
  })

  test.each([null, undefined, 1, 0n, true, new Uint8Array()])('%o is not a text', (value) => {
    expect(() => textOf(row(value), 'it')).toThrow(expect.objectContaining(corrupt))
  })

  test('null and a missing column are no text, where that is allowed', () => {
    expect(textOrNone(row(null), 'it')).toBeUndefined()
    expect(textOrNone({}, 'it')).toBeUndefined()
    expect(textOrNone(row('x'), 'it')).toBe('x')
    expect(() => textOrNone(row(1), 'it')).toThrow(expect.objectContaining(corrupt))
  })
})

describe('integerOf()', () => {
  test.each([
    [0, 0],
    [-1, -1],
    [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
    ['12', 12],
    ['-9007199254740991', Number.MIN_SAFE_INTEGER],
  ])('%o is the integer %o', (value, integer) => {
    expect(integerOf(row(value), 'it')).toBe(integer)
  })

  test.each([
    null,
    undefined,
    1.5,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    2 ** 53,
    '9007199254740993',
    '1.5',
    'x',
    '',
    ' ',
    1n,
    true,
  ])('%o is not a safe integer', (value) => {
    expect(() => integerOf(row(value), 'it')).toThrow(expect.objectContaining(corrupt))
  })

  test('null and a missing column are no integer, where that is allowed', () => {
    expect(integerOrNone(row(null), 'it')).toBeUndefined()
    expect(integerOrNone({}, 'it')).toBeUndefined()
    expect(integerOrNone(row(0), 'it')).toBe(0)
    expect(() => integerOrNone(row('x'), 'it')).toThrow(expect.objectContaining(corrupt))
  })
})

describe('flagOf()', () => {
  test('1 is true, 0 is false', () => {
    expect(flagOf(row(1), 'it')).toBe(true)
    expect(flagOf(row(0), 'it')).toBe(false)
  })

  test.each([null, 2, -1, 'true'])('%o is not a flag', (value) => {
    expect(() => flagOf(row(value), 'it')).toThrow(expect.objectContaining(corrupt))
  })
})

describe('jsonOf() and objectOf()', () => {
  test('JSON is parsed; null is a value', () => {
    expect(jsonOf(row('null'), 'it')).toBeNull()
    expect(jsonOf(row('[1,{"a":2}]'), 'it')).toEqual([1, { a: 2 }])
    expect(objectOf(row('{"b":1,"a":2}'), 'it')).toEqual({ b: 1, a: 2 })
  })

  test.each(['', '{', 'undefined', "{'a':1}"])('%o is not JSON; the cause is kept', (value) => {
    const error = expect.objectContaining({ ...corrupt, cause: expect.any(SyntaxError) })
    expect(() => jsonOf(row(value), 'it')).toThrow(error)
  })

  test.each(['null', '[]', '1', '"x"', 'true'])('%o is not an object', (value) => {
    expect(() => objectOf(row(value), 'it')).toThrow(expect.objectContaining(corrupt))
  })
})

describe('corruptColumn()', () => {
  test('it names the execution, the column and what to do', () => {
    const { message } = corruptColumn(row(1), 'it', 'a text')
    expect(message).toContain('Column it of a does not hold a text.')
    expect(message).toContain('backup')
  })

  test('a row without an id is a row', () => {
    const error = corruptColumn({}, 'it', 'a text')
    expect(error.message).toContain('Column it of a row ')
    expect(error.fields).toEqual({ executionId: undefined, column: 'it' })
  })
})
