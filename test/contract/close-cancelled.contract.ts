/** Rules of carrying a cancellation down: first what is below, in batches, then the execution. */

import { describe, expect } from 'vitest'
import { cancelStepMax } from '../../src/storage/close-cancelled.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { delayEvent, joinSetEvent } from '../support/storage/events.ts'
import { childOf, executionId } from '../support/storage/ids.ts'
import { activityRequest, createRequest } from '../support/storage/requests.ts'
import { accepted, refused } from '../support/storage/results.ts'
import {
  append,
  createActivity,
  createLocked,
  createWorkflow,
  inboxOf,
  lockAt,
  stateOf,
  typesOf,
} from '../support/storage/steps.ts'
import type { ContractTest } from './contract-test.ts'

/** Cancels; the watcher has not come by yet. */
function cancel(storage: Storage, id: string, reason?: string): Promise<string> {
  const command = { executionId: executionId(id), createdAt: 20 }
  return accepted(storage.cancel(reason === undefined ? command : { ...command, reason }))
}

/** One step of the watcher. */
function step(storage: Storage, id: string, createdAt = 30): Promise<boolean> {
  return accepted(storage.closeCancelled({ executionId: executionId(id), createdAt }))
}

/** Declares the rules for one adapter. */
export function describeClosingCancelled(test: ContractTest): void {
  describe('carrying a cancellation down', () => {
    test('Z1: with nothing below it, the execution finishes, with the reason', async ({
      storage,
    }) => {
      await createLocked(storage, 'a')
      await cancel(storage, 'a', 'no longer wanted')
      expect(await step(storage, 'a')).toBe(true)
      const report = await storage.findReport(executionId('a'))
      expect(report?.state).toMatchObject({ status: 'finished', finishedAt: 30, version: 3 })
      expect(report?.lastEvent.event).toEqual({
        type: 'finished',
        outcome: { type: 'execution_failure', kind: 'cancelled', reason: 'no longer wanted' },
      })
    })

    test('Z2: without a request nothing happens', async ({ storage }) => {
      const before = await createLocked(storage, 'a')
      expect(await step(storage, 'a')).toBe(false)
      const unknown = storage.closeCancelled({ executionId: executionId('none'), createdAt: 30 })
      expect(await refused(unknown)).toEqual({ kind: 'not_found', id: 'none' })
      expect(await storage.findState(executionId('a'))).toEqual(before)
      await cancel(storage, 'a')
      await step(storage, 'a')
      expect(await step(storage, 'a')).toBe(false)
      expect(await typesOf(storage, 'a')).toEqual([
        'created',
        'locked',
        'cancel_requested',
        'finished',
      ])
    })

    test('Z3: activities and delays end at once, workflows are awaited', async ({ storage }) => {
      await createLocked(storage, 'a')
      const [activity, workflow] = [childOf('a', 'n:boxes', 1), childOf('a', 'n:boxes', 2)]
      const creations = [activityRequest(activity), createRequest(workflow)]
      await append(storage, ['a', 2, { creations }], [joinSetEvent(), delayEvent('a', 900)])
      await lockAt(storage, 15)
      await cancel(storage, 'a')
      expect(await step(storage, 'a')).toBe(false)
      expect(await storage.findState(activity)).toMatchObject({ failureKind: 'cancelled' })
      expect(await stateOf(storage, workflow)).toMatchObject({ cancelling: true })
      expect(await storage.findNextTimers()).toMatchObject({ delayDueAt: undefined })
      expect(await step(storage, 'a')).toBe(false)
      expect(await step(storage, workflow)).toBe(true)
      expect(await step(storage, 'a')).toBe(true)
      const inbox = await inboxOf(storage, 'a')
      expect(inbox.map(({ response }) => response.type)).toEqual([
        'child_finished',
        'delay_finished',
        'child_finished',
      ])
    })

    test('Z4: a child that is cancelled tells its parent, which goes on', async ({ storage }) => {
      await createLocked(storage, 'p')
      await createWorkflow(storage, childOf('p'))
      await cancel(storage, childOf('p'))
      expect(await step(storage, childOf('p'))).toBe(true)
      expect(await inboxOf(storage, 'p')).toMatchObject([{ outcome: { kind: 'cancelled' } }])
      expect(await stateOf(storage, 'p')).toMatchObject({ cancelling: false })
    })

    test('Z5: a step is bounded; repeated, it comes to an end', async ({ storage }) => {
      const count = 2 * cancelStepMax + 1
      await createLocked(storage, 'a')
      const ids = Array.from({ length: count }, (_, index) => childOf('a', 'n:boxes', index + 1))
      await storage.createMany(ids.map((id) => activityRequest(id)))
      await cancel(storage, 'a')
      const results: boolean[] = []
      while (results.at(-1) !== true && results.length < 10) results.push(await step(storage, 'a'))
      expect(results).toEqual([false, false, false, true])
      const inbox = storage.listResponses({ executionId: executionId('a'), after: 0, limit: count })
      expect(await inbox).toHaveLength(count)
    })

    test('Z6: what was finished before, detached, or nobody’s child stays', async ({ storage }) => {
      await createLocked(storage, 'a')
      await createWorkflow(storage, 'detached', { scheduledBy: executionId('a') })
      await createWorkflow(storage, 'aa')
      await createActivity(storage, childOf('a'))
      const complete = { executionId: childOf('a'), createdAt: 9, outcome: { type: 'ok' } } as const
      const end = await accepted(storage.complete(complete))
      await cancel(storage, 'a')
      expect(await step(storage, 'a')).toBe(true)
      expect(await storage.findState(childOf('a'))).toEqual(end)
      for (const id of ['detached', 'aa']) {
        expect(await stateOf(storage, id)).toMatchObject({ cancelling: false })
      }
    })

    test('Z7: grandchildren are reached through their parents', async ({ storage }) => {
      const [child, grandchild] = [childOf('a'), childOf(childOf('a'))]
      await createLocked(storage, 'a')
      await createWorkflow(storage, child)
      await createActivity(storage, grandchild)
      await cancel(storage, 'a')
      expect(await step(storage, 'a')).toBe(false)
      expect(await stateOf(storage, grandchild)).toMatchObject({ version: 0 })
      expect(await step(storage, child)).toBe(false)
      expect(await storage.findState(grandchild)).toMatchObject({ failureKind: 'cancelled' })
      expect(await step(storage, child)).toBe(true)
      expect(await step(storage, 'a')).toBe(true)
    })

    test('Z8: several watchers at once do no harm', async ({ storage }) => {
      await createLocked(storage, 'a')
      await createActivity(storage, childOf('a'))
      await append(storage, ['a', 2], [delayEvent('a', 900)])
      await cancel(storage, 'a')
      const steps = await Promise.all([1, 2, 3, 4].map(() => step(storage, 'a')))
      expect(steps.filter((isFinished) => isFinished)).toHaveLength(1)
      expect(await inboxOf(storage, 'a')).toHaveLength(2)
    })

    test('Z9: each step tells what it did', async ({ storage }) => {
      await createLocked(storage, 'a')
      await createActivity(storage, childOf('a'))
      await cancel(storage, 'a')
      const told: string[] = []
      for (const id of ['a', childOf('a')]) {
        storage.notifications.onExecution(executionId(id), (state) => {
          told.push(`${id} ${state?.status}`)
        })
      }
      await step(storage, 'a')
      expect(told).toEqual([`${childOf('a')} finished`, 'a locked'])
      await step(storage, 'a')
      expect(told.at(-1)).toBe('a finished')
    })
  })
}
