import { expect, test } from 'vitest'
import { createRandom } from '../../../../src/base/random.ts'
import { isSameSecret, mintToken } from '../../../../src/inspector/server/token.ts'

test('a token has 32 characters that a URL and a cookie take as they are', () => {
  expect(mintToken(createRandom(1))).toMatch(/^[\w-]{32}$/)
})

test('tokens differ, and follow from the randomness alone', () => {
  const random = createRandom(1)
  const tokens = new Set(Array.from({ length: 100 }, () => mintToken(random)))
  expect(tokens.size).toBe(100)
  expect(mintToken(createRandom(7))).toBe(mintToken(createRandom(7)))
})

test('every character of the alphabet comes up', () => {
  expect(new Set(mintToken(createRandom(3), 4_000)).size).toBe(64)
})

test.each([
  ['secret', 'secret', true],
  ['secret', 'secreT', false],
  ['secret', 'secret ', false],
  ['', 'secret', false],
  ['s'.repeat(10_000), 'secret', false],
])('%s and %s: %s', (given, expected, same) => {
  expect(isSameSecret(given, expected)).toBe(same)
})
