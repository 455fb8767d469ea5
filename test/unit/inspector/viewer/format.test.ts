import { expect, test } from 'vitest'
import {
  formatAge,
  formatCount,
  formatDuration,
  ownPart,
  spaced,
} from '../../../../src/inspector/viewer/format.ts'

test.each([
  [0, '0 ms'],
  [-5, '0 ms'],
  [350, '350 ms'],
  [1_234, '1.23 s'],
  [12_345, '12.3 s'],
  [60_000, '1 min'],
  [200_000, '3 min 20 s'],
  [3_600_000, '1 h'],
  [187_200_000, '2 d 4 h'],
])('%d ms is %s', (length, text) => {
  expect(formatDuration(length)).toBe(text)
})

test.each([
  [1_000, 1_500, 'now'],
  [0, 5_000, '5 s ago'],
  [0, 7_200_000, '2 h ago'],
  [90_000, 0, 'in 1 min'],
])('%d at %d is %s', (instant, now, text) => {
  expect(formatAge(instant, now)).toBe(text)
})

test('thousands stand apart', () => {
  expect([7, 1_234, 1_234_567].map(formatCount)).toEqual(['7', '1 234', '1 234 567'])
})

test('words of the log are words', () => {
  expect(spaced('join_set_create')).toBe('join set create')
})

test('of a child only what its parent lacks', () => {
  expect(ownPart('a.o:1-b_1', 'a')).toBe('o:1-b_1')
  expect(ownPart('ab', 'a')).toBe('ab')
  expect(ownPart('ab', undefined)).toBe('ab')
})
