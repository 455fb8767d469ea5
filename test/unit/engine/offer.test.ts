/** A write is offered until there is an answer, ever more rarely, and not beyond use. */

import { describe, expect, it } from 'vitest'
import { SteleError } from '../../../src/base/error.ts'
import { accept, type Result, refuse } from '../../../src/base/result.ts'
import { offer, offerPauseMax, offerPauseMin } from '../../../src/engine/offer.ts'
import { createProblemLog } from '../../../src/engine/problem-log.ts'
import type { Refusal } from '../../../src/model/refusal.ts'
import { createTestClock, createTestScheduler } from '../../support/test-time.ts'
import { type LoggedLine, loud, recordingLogger } from './surroundings.ts'

type Answer = Result<number, Refusal> | Error

const away = new SteleError('storage_unavailable', 'away')

/** A write that gives these answers in turn, and the last one for ever. */
function open(...answers: readonly Answer[]) {
  const clock = createTestClock()
  const scheduler = createTestScheduler(clock)
  const log: LoggedLine[] = []
  const tries: number[] = []
  let isGivenUp = false
  const write = (): Promise<Result<number, Refusal>> => {
    const answer = answers[Math.min(tries.length, answers.length - 1)]
    tries.push(clock.now())
    if (answer === undefined) return Promise.reject(away)
    return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer)
  }
  const problems = createProblemLog({ logger: recordingLogger(log), clock }, 'Results')
  const options = { scheduler, problems, isGivenUp: () => isGivenUp }
  const giveUp = (): void => {
    isGivenUp = true
  }
  return { offered: offer(options, write), scheduler, log, tries, giveUp }
}

describe('offer', () => {
  it('answer: is given as it is, at the first try', async () => {
    const refusal = refuse({ kind: 'version_conflict', expected: 3, requested: 2 } as const)
    for (const answer of [accept(7), refusal]) {
      const { offered, tries } = open(answer)
      expect(await offered).toBe(answer)
      expect(tries).toEqual([0])
    }
  })

  it('away: the pauses double up to the longest, and two lines tell of it', async () => {
    const failures = Array.from({ length: 8 }, () => away)
    const { offered, scheduler, tries, log } = open(...failures, accept(7))
    await scheduler.advance(20_000)
    expect(await offered).toEqual(accept(7))
    const pauses = tries.slice(1).map((at, index) => at - (tries[index] ?? 0))
    expect(pauses).toEqual([offerPauseMin, 100, 200, 400, 800, 1600, offerPauseMax, offerPauseMax])
    expect(loud(log)).toEqual(['Results failed: storage_unavailable', 'Results works again'])
  })

  it.each([new TypeError('bug'), new SteleError('internal', 'bug')])(
    'lasting: %s is tried once',
    async (fault) => {
      const { offered, tries } = open(fault)
      expect(await offered).toBeUndefined()
      expect(tries).toEqual([0])
    },
  )

  it('late: once it is given up the next failure is the last', async () => {
    const { offered, scheduler, tries, giveUp } = open(away)
    await scheduler.advance(offerPauseMin)
    giveUp()
    await scheduler.advance(10 * offerPauseMax)
    expect(await offered).toBeUndefined()
    expect(tries).toHaveLength(3)
  })
})
