/** Verdicts. */
import { expect, test } from 'vitest'
import { countIs, countOf, type FindingLevel, judge } from '../../../../src/cli/doctor/finding.ts'

test.each([
  [['ok', 'note'], true, 'healthy'],
  [['ok', 'warning'], true, 'healthy, with 1 warning'],
  [['problem', 'warning', 'warning'], false, '1 problem, and 2 warnings'],
  [['problem', 'problem'], false, '2 problems'],
] as const)('%j', (levels, isHealthy, summary) => {
  const findings = levels.map(
    (level: FindingLevel) => ({ level, topic: 'file', summary: '' }) as const,
  )
  expect(judge(findings)).toEqual({ isHealthy, summary })
})

test('counts agree with their nouns', () => {
  expect(countOf(1, 'event')).toBe('1 event')
  expect(countOf(12_000, 'event')).toBe('12,000 events')
  expect(countIs(1, 'lock')).toBe('1 lock is')
  expect(countIs(0, 'lock')).toBe('0 locks are')
})
