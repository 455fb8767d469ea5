/** Names that are nearly the one that was asked for. */
import { expect, test } from 'vitest'
import { nearestNames, suggestion } from '../../../src/cli/nearest.ts'

test.each([
  ['ordr-17', ['order-17', 'order-71', 'charge'], ['order-17']],
  ['checkot', ['checkout', 'charge'], ['checkout']],
  ['ORDER-1', ['order-1', 'order-2'], ['order-1', 'order-2']],
  ['01ABC', ['E_01ABC', 'E_01ABD'], ['E_01ABC']],
  ['zzzzzz', ['order', 'charge'], []],
  ['a', [], []],
])('%s among %j', (text, names, expected) => {
  expect(nearestNames(text, names)).toEqual(expected)
})

test('three at most, and none twice', () => {
  const names = ['ab1', 'ab2', 'ab3', 'ab4', 'ab1']
  expect(nearestNames('ab', names)).toEqual(['ab1', 'ab2', 'ab3'])
})

test('a suggestion is a sentence, or nothing', () => {
  expect(suggestion(['a', 'b'])).toBe(' Did you mean a, b?')
  expect(suggestion([])).toBe('')
})
