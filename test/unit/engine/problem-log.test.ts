/** Faults that repeat are told once. */

import { describe, expect, it } from 'vitest'
import { SteleError } from '../../../src/base/error.ts'
import { createProblemLog, pauseAfter, retellAfter } from '../../../src/engine/problem-log.ts'
import { createTestClock } from '../../support/test-time.ts'
import { type LoggedLine, recordingLogger } from './surroundings.ts'

function open() {
  const log: LoggedLine[] = []
  const clock = createTestClock()
  const problems = createProblemLog({ logger: recordingLogger(log), clock }, 'Polling')
  return { log, clock, problems }
}

const away = new SteleError('storage_unavailable', 'The storage is away.')

describe('problem log', () => {
  it('repeated: an hour of failures makes two lines, the second with the count', () => {
    const { log, problems, clock } = open()
    for (let second = 0; second < 3600; second += 1) {
      clock.advance(1_000)
      problems.failed(away)
    }
    expect(problems.streak()).toBe(3600)
    problems.worked()
    problems.worked()
    expect(log).toEqual([
      {
        level: 'error',
        message: 'Polling failed: storage_unavailable',
        fields: { err: away, failures: 1 },
      },
      { level: 'info', message: 'Polling works again', fields: { failures: 3600 } },
    ])
    expect(problems.streak()).toBe(0)
  })

  it('kinds: another kind of failure is news', () => {
    const { log, problems } = open()
    problems.failed(away)
    problems.failed(new TypeError('what'))
    problems.failed(new TypeError('what'))
    problems.failed('text')
    problems.failed(away)
    expect(log.map(({ message }) => message)).toEqual([
      'Polling failed: storage_unavailable',
      'Polling failed: TypeError: what',
      'Polling failed: unknown fault',
    ])
  })

  it('again: after it worked, the same failure is news, a minute after it was told', () => {
    const { log, problems, clock } = open()
    problems.failed(away)
    problems.worked()
    clock.advance(retellAfter - 1)
    problems.failed(away)
    expect(log.map(({ level }) => level)).toEqual(['error', 'info'])
    clock.advance(1)
    problems.failed(away)
    problems.worked()
    expect(log.slice(2).map(({ level, fields }) => [level, fields['failures']])).toEqual([
      ['error', 2],
      ['info', 2],
    ])
  })

  it('now and then: an hour of failures in turn with successes makes two lines a minute', () => {
    const { log, problems, clock } = open()
    for (let second = 0; second < 3600; second += 1) {
      clock.advance(1_000)
      problems.failed(second % 2 === 0 ? away : new TypeError('what'))
      expect(problems.streak()).toBe(1)
      problems.worked()
    }
    expect(log.length).toBeGreaterThan(100)
    expect(log.length).toBeLessThanOrEqual(4 * 60)
  })

  it('pause: the usual one while it works, then longer and longer, up to a limit', () => {
    expect([0, 1, 2, 3, 40].map((streak) => pauseAfter(streak, 200))).toEqual([
      200, 400, 800, 1_600, 5_000,
    ])
    expect([0, 1, 40].map((streak) => pauseAfter(streak, 60_000))).toEqual([60_000, 60_000, 60_000])
    expect(pauseAfter(40, 1)).toBe(1_024)
  })

  it('silence: what works is not reported', () => {
    const { log, problems } = open()
    problems.worked()
    expect(log).toEqual([])
  })
})
