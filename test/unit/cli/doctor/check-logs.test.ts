/** Holes in logs, and clocks that jump. */
import { expect, test } from 'vitest'
import { createLogCheck } from '../../../../src/cli/doctor/check-logs.ts'

const now = 10_000

function levelsOf(places: readonly (readonly [string, number, number])[]): readonly string[] {
  const check = createLogCheck(now)
  for (const [executionId, version, createdAt] of places) {
    check.take({ executionId, version, createdAt })
  }
  return check.findings().map(({ level, topic, summary }) => `${level} ${topic}: ${summary}`)
}

const fine = ['ok logs: Every log is whole.', 'ok clocks: No clock has jumped.']

test.each([
  ['nothing at all', []],
  [
    'logs one after the other',
    [
      ['a', 0, 5],
      ['a', 1, 6],
      ['b', 0, 1],
    ],
  ],
  [
    'clocks that differ a little',
    [
      ['a', 0, 5_000],
      ['a', 1, 4_001],
      ['a', 2, 11_000],
    ],
  ],
] as const)('%s: all is well', (_, places) => {
  expect(levelsOf(places)).toEqual(fine)
})

test('an event that is missing, in the middle or at the beginning', () => {
  expect(
    levelsOf([
      ['a', 0, 1],
      ['a', 2, 1],
      ['b', 1, 1],
    ])[0],
  ).toBe('problem logs: Events are missing in 2 places of logs.')
})

test('a clock that was set back', () => {
  expect(
    levelsOf([
      ['a', 0, 9_000],
      ['a', 1, 5_000],
    ]),
  ).toContain(
    'warning clocks: 1 event written at an earlier time than the one before, by up to 4.0 s.',
  )
})

test('a clock that is ahead', () => {
  expect(levelsOf([['a', 0, 12_000]])).toContain(
    'warning clocks: 1 event written later than now, by the clock of this machine.',
  )
})
