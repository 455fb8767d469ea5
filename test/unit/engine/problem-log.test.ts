/** Faults that repeat are told once. */

import { describe, expect, it } from 'vitest'
import { SteleError } from '../../../src/base/error.ts'
import { createProblemLog } from '../../../src/engine/problem-log.ts'
import { type LoggedLine, recordingLogger } from './surroundings.ts'

function open() {
  const log: LoggedLine[] = []
  return { log, problems: createProblemLog(recordingLogger(log), 'Polling') }
}

const away = new SteleError('storage_unavailable', 'The storage is away.')

describe('problem log', () => {
  it('repeated: an hour of failures makes two lines, the second with the count', () => {
    const { log, problems } = open()
    for (let second = 0; second < 3600; second += 1) problems.failed(away)
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
    expect(log.map(({ message }) => message)).toEqual([
      'Polling failed: storage_unavailable',
      'Polling failed: TypeError: what',
      'Polling failed: unknown fault',
    ])
  })

  it('again: after it worked, the same failure is news', () => {
    const { log, problems } = open()
    problems.failed(away)
    problems.worked()
    problems.failed(away)
    expect(log.map(({ level }) => level)).toEqual(['error', 'info', 'error'])
  })

  it('silence: what works is not reported', () => {
    const { log, problems } = open()
    problems.worked()
    expect(log).toEqual([])
  })
})
