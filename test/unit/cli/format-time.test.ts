/** Times for people. */
import { expect, test } from 'vitest'
import {
  formatDistance,
  formatDuration,
  formatSecond,
  parseMoment,
} from '../../../src/cli/format-time.ts'

test.each([
  [0, '0 ms'],
  [999, '999 ms'],
  [1_000, '1.0 s'],
  [59_999, '59.9 s'],
  [60_000, '1 min'],
  [200_000, '3 min 20 s'],
  [7_260_000, '2 h 1 min'],
  [187_200_000, '2 d 4 h'],
  [-1_500, '-1.5 s'],
])('%i ms are %s', (duration, text) => {
  expect(formatDuration(duration)).toBe(text)
})

test.each([
  [5_000, 'in 4.0 s'],
  [1_000, '0 ms ago'],
  [0, '1.0 s ago'],
])('%i at 1,000 is %s', (instant, text) => {
  expect(formatDistance(instant, 1_000)).toBe(text)
})

test('an instant in a column is UTC, to the second', () => {
  expect(formatSecond(Date.UTC(2026, 2, 1, 8, 30, 5, 999))).toBe('2026-03-01 08:30:05')
})

test.each([
  ['2h', -7_200_000],
  ['1970-01-02', 86_400_000],
  ['1970-01-01T01:00', 3_600_000],
  ['1970-01-01 01:00:00', 3_600_000],
  ['1970-01-01T01:00+01:00', 0],
])('%s is an instant', (text, instant) => {
  expect(parseMoment(text, '--since', 0)).toBe(instant)
})

test.each(['yesterday', '2026-13-01', '', '-2h'])('%j is none', (text) => {
  expect(() => parseMoment(text, '--since', 0)).toThrow('--since must be a date such as')
})
