/** Nothing depends on a notice: with all of them dropped, everything completes by polling. */

import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Worker, WorkerResult } from '../../src/engine/worker.ts'
import { checkInvariants, listAllStates } from '../support/storage/check-invariants.ts'
import {
  blockingAskEvent,
  childEvent,
  delayEvent,
  joinSetEvent,
} from '../support/storage/events.ts'
import { childOf, executionId } from '../support/storage/ids.ts'
import { activityRequest, lockRequest, lockTarget } from '../support/storage/requests.ts'
import { append, createActivity, createWorkflow } from '../support/storage/steps.ts'
import {
  activityFunction,
  createConstantWorker,
  executorIn,
  okResult,
  watcherIn,
} from '../unit/engine/builders.ts'
import { openSurroundings } from '../unit/engine/surroundings.ts'
import { resultsByType } from './results.ts'

const seed = 20_260_406
const maxRetries = 3

/** What an attempt may come to, without what leaves the log to others. */
const attempts: fc.Arbitrary<WorkerResult> = fc.oneof(
  resultsByType.run_finished,
  resultsByType.temporary_timeout,
  resultsByType.activity_trap,
  resultsByType.fatal_error,
  resultsByType.already_written,
)
const work = fc.array(
  fc.record({
    after: fc.nat(300),
    wait: fc.nat(500),
    results: fc.array(attempts, { maxLength: 5 }),
    cancel: fc.boolean(),
  }),
  { maxLength: 8 },
)

describe(`deaf (seed ${seed})`, () => {
  it('polling: whatever is created ends, within its budget', async () => {
    await fc.assert(
      fc.asyncProperty(work, async (life) => {
        const surroundings = await openSurroundings({ deaf: true })
        const { store, scheduler, clock, done } = surroundings
        const answers = new Map<string, WorkerResult[]>()
        const worker: Worker = {
          run: ({ executionId: id }) => Promise.resolve(answers.get(id)?.shift() ?? okResult),
        }
        const functions = [activityFunction({ retry: { maxRetries, backoff: 50 } })]
        const executor = executorIn(surroundings, { functions, worker })
        const watcher = watcherIn(surroundings)
        executor.start()
        watcher.start()
        for (const [index, { after, wait, results, cancel }] of life.entries()) {
          const id = `a${index}`
          answers.set(id, [...results])
          await scheduler.advance(after)
          await done(createActivity(store, id, { scheduledAt: clock.now() + wait }))
          const command = { executionId: executionId(id), createdAt: clock.now() }
          if (cancel) await done(store.cancel(command))
        }
        await scheduler.advance(10_000)
        const states = await listAllStates(store)
        expect(states.filter(({ status }) => status !== 'finished')).toEqual([])
        for (const { failures } of states) expect(failures).toBeLessThanOrEqual(maxRetries)
        await checkInvariants(store)
        await done(Promise.all([executor.close(0), watcher.close()]))
        await done(store.close())
      }),
      { seed, numRuns: 60 },
    )
  })

  it('polling: children, delays and cancellations reach each other all the same', async () => {
    const surroundings = await openSurroundings({ deaf: true })
    const { store, scheduler, done } = surroundings
    const executor = executorIn(surroundings, { worker: createConstantWorker(okResult) })
    const watcher = watcherIn(surroundings)
    executor.start()
    watcher.start()
    for (const id of ['w', 'x']) await done(createWorkflow(store, id))
    await done(
      store.lockDue(() => lockRequest(0, { targets: [lockTarget({ lockExpiry: 60_000 })] })),
    )
    const events = (id: string) => [
      joinSetEvent('n:timers'),
      delayEvent(id, 700),
      joinSetEvent(),
      childEvent(id),
      blockingAskEvent('n:timers'),
    ]
    const place = (id: string) =>
      [id, 2, { creations: [activityRequest(childOf(id), { scheduledAt: 300 })] }] as const
    for (const id of ['w', 'x']) await done(append(store, place(id), events(id)))
    await done(store.cancel({ executionId: executionId('x'), createdAt: 10 }))
    await scheduler.advance(2000)
    const inbox = await store.listResponses({ executionId: executionId('w'), after: 0, limit: 10 })
    expect(inbox.map(({ response, createdAt }) => [response.type, createdAt])).toEqual([
      ['child_finished', 300],
      ['delay_finished', 700],
    ])
    expect(await store.findState(executionId('w'))).toMatchObject({
      status: 'pending_at',
      scheduledAt: 700,
    })
    const cancelled = { status: 'finished', failureKind: 'cancelled' }
    expect(await store.findState(executionId('x'))).toMatchObject(cancelled)
    expect(await store.findState(childOf('x'))).toMatchObject(cancelled)
    await checkInvariants(store)
    await done(Promise.all([executor.close(0), watcher.close()]))
  })
})
