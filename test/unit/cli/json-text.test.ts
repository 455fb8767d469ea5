/** JSON from a command line. */
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { findJsonFault, parseJsonText } from '../../../src/cli/json-text.ts'

test.each([
  ['', 1, 1, 'a JSON value was expected; it ends there'],
  ['{"a":1,}', 1, 8, 'a name in double quotes was expected; found "}"'],
  ['{"a" 1}', 1, 6, '":" was expected; found "1}"'],
  ['{\n  "a": tru\n}', 2, 8, 'a JSON value was expected; found "tru"'],
  ['[1 2]', 1, 4, '"," or "]" was expected; found "2]"'],
  ['[1,2', 1, 5, '"," or "]" was expected; it ends there'],
  ['1 2', 1, 3, 'the end was expected; found "2"'],
  ["{'a':1}", 1, 2, `a name in double quotes was expected; found "'a':1}"`],
  ['"a\nb"', 1, 1, 'a JSON value was expected; found "\\"a"'],
])('%j is wrong at line %i, column %i', (text, line, column, ...[said]) => {
  expect(() => parseJsonText(text, '--input')).toThrow(
    `--input is not JSON: at line ${line}, column ${column}, ${said}.`,
  )
})

test('a word without quotes is met with advice', () => {
  expect(() => parseJsonText('hello', '--payload')).toThrow(`as in '"hello"'.`)
})

test('whatever is JSON is read, and the scanner agrees that it is', () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      expect(parseJsonText(text, 'x')).toEqual(JSON.parse(text))
      expect(findJsonFault(text)).toEqual({ offset: text.length, expected: 'the end' })
    }),
  )
})
