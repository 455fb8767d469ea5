/** No order of notices, polls and waits loses a wake-up. */

import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { silentLogger } from '../../src/base/logger.ts'
import { createWakeUp } from '../../src/engine/wake-up.ts'
import { newDeploymentId } from '../../src/model/ids.ts'
import { createNotifications } from '../../src/storage/notifications.ts'
import { createTestClock, createTestScheduler } from '../support/test-time.ts'
import { activityFunction } from '../unit/engine/builders.ts'
import { openSurroundings } from '../unit/engine/surroundings.ts'

const seed = 20_260_403
const numRuns = 200
const tickSleep = 100

/** Work that arrives, `after` the step before, due `wait` later; told of, or not. */
const arrivals = fc.array(
  fc.record({
    after: fc.nat(60),
    wait: fc.integer({ min: -20, max: 250 }),
    told: fc.boolean(),
    pollTakes: fc.nat(30),
  }),
  { maxLength: 12 },
)

describe(`wake-up (seed ${seed})`, () => {
  it('missed: told work is begun when it is due, untold work one slow poll later', async () => {
    const { store } = await openSurroundings({ deaf: true })
    await fc.assert(
      fc.asyncProperty(arrivals, fc.nat(30), async (life, pollTakes) => {
        const clock = createTestClock()
        const scheduler = createTestScheduler(clock)
        const notifications = createNotifications({ scheduler, hasForeignChanges: () => false })
        const work: { readonly dueAt: number; readonly latest: number }[] = []
        const late: number[] = []
        let polls = 0
        const findNextDue = (): Promise<number | undefined> =>
          Promise.resolve(work.length === 0 ? undefined : Math.min(...work.map((one) => one.dueAt)))
        const poll = (): void => {
          polls += 1
          wakeUp.beginPoll()
          const now = clock.now()
          for (const one of work.filter(({ dueAt }) => dueAt <= now)) {
            if (now > one.latest) late.push(now - one.latest)
            work.splice(work.indexOf(one), 1)
          }
          // Whatever is told while the answer is on its way must not be lost.
          scheduler.after(pollTakes, () => {
            wakeUp.wait(tickSleep)
          })
        }
        const wakeUp = createWakeUp({
          context: {
            clock,
            scheduler,
            logger: silentLogger,
            mintUlid: () => '',
            deploymentId: newDeploymentId(''),
            storage: { ...store, notifications, findNextDue },
          },
          tickSleep,
          targets: () => [],
          onWake: poll,
        })
        wakeUp.listen([activityFunction()])
        poll()
        for (const { after, wait, told } of life) {
          await scheduler.advance(after)
          const now = clock.now()
          const dueAt = now + wait
          const grace = told ? pollTakes : pollTakes + tickSleep
          work.push({ dueAt, latest: Math.max(now, dueAt) + grace })
          const notice = { topic: 'pending', kind: 'activity', name: 'charge', dueAt } as const
          if (told) notifications.publish([notice])
        }
        await scheduler.advance(1000)
        expect(work).toEqual([])
        expect(late).toEqual([])
        // A poll an arrival and its due time, and the slow ones: nothing spins.
        expect(polls).toBeLessThanOrEqual(3 * life.length + clock.now() / tickSleep + 2)
        wakeUp.close()
        notifications.close()
      }),
      { seed, numRuns },
    )
  })
})
