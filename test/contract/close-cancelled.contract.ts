/** Rules of carrying a cancellation down: first what is below, in batches, then the execution. */

import { describe, expect } from 'vitest'
import type { ExecutionId } from '../../src/model/ids.ts'
import { cancelStepMax } from '../../src/storage/close-cancelled.ts'
import type { Storage } from '../../src/storage/storage.ts'
import {
  askEvent,
  blockingAskEvent,
  delayEvent,
  joinSetEvent,
  openedSet,
  unpausedEvent,
  withdrawEvent,
} from '../support/storage/events.ts'
import { childOf, executionId } from '../support/storage/ids.ts'
import {
  activityRequest,
  appendRequest,
  childResponse,
  createRequest,
  responseCommand,
} from '../support/storage/requests.ts'
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

/** Workflow `a` at version 2, with a set that says what becomes of its activities. */
async function createSet(
  storage: Storage,
  set: string,
  onClose: 'await' | 'abandon',
  count = 1,
): Promise<readonly [ExecutionId]> {
  await createLocked(storage, 'a')
  await append(storage, ['a', 2], [openedSet(set, onClose)])
  const ids = Array.from({ length: count }, (_, index) => childOf('a', set, index + 1))
  await storage.createMany(ids.map((id) => activityRequest(id)))
  return [childOf('a', set)]
}

function ending(id: ExecutionId) {
  return { executionId: id, createdAt: 25 }
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

  describe('carrying a cancellation down: what join sets say', () => {
    test('Z10: children of a set that says abandon are left alone', async ({ storage }) => {
      const [child] = await createSet(storage, 'n:gone', 'abandon')
      await cancel(storage, 'a')
      expect(await step(storage, 'a')).toBe(true)
      expect(await stateOf(storage, child)).toMatchObject({ version: 0, cancelling: false })
      await accepted(storage.complete({ ...ending(child), outcome: { type: 'ok' } }))
      expect(await inboxOf(storage, 'a')).toHaveLength(1)
    })

    test('Z11: a child of such a set that is cancelling for itself is not awaited', async ({
      storage,
    }) => {
      await createSet(storage, 'n:gone', 'abandon')
      const workflow = childOf('a', 'n:gone', 9)
      await createWorkflow(storage, workflow)
      await cancel(storage, workflow)
      await cancel(storage, 'a')
      expect(await step(storage, 'a')).toBe(true)
      expect(await stateOf(storage, workflow)).toMatchObject({ cancelling: true })
    })

    test('Z12: children of a set that says await end by themselves, and first', async ({
      storage,
    }) => {
      const [child] = await createSet(storage, 'n:kept', 'await')
      await cancel(storage, 'a')
      for (const _ of [1, 2]) expect(await step(storage, 'a')).toBe(false)
      expect(await stateOf(storage, child)).toMatchObject({ version: 0, cancelling: false })
      await accepted(storage.complete({ ...ending(child), outcome: { type: 'ok', value: 1 } }))
      expect(await step(storage, 'a')).toBe(true)
      expect(await inboxOf(storage, 'a')).toMatchObject([{ outcome: { type: 'ok', value: 1 } }])
    })

    test('Z13: an awaited child that is cancelled for itself is awaited still', async ({
      storage,
    }) => {
      await createSet(storage, 'n:kept', 'await', 0)
      const workflow = childOf('a', 'n:kept', 1)
      await createWorkflow(storage, workflow)
      await cancel(storage, workflow)
      await cancel(storage, 'a')
      expect(await step(storage, 'a')).toBe(false)
      expect(await step(storage, workflow)).toBe(true)
      expect(await step(storage, 'a')).toBe(true)
    })

    test('Z14: cancel is what happens anyway, and delays are always cancelled', async ({
      storage,
    }) => {
      await createLocked(storage, 'a')
      const sets = (['cancel', 'await', 'abandon'] as const).map((word) =>
        openedSet(`n:${word}`, word),
      )
      const delays = ['n:cancel', 'n:await', 'n:abandon'].map((set) =>
        delayEvent('a', 900, { set }),
      )
      const creations = [activityRequest(childOf('a', 'n:cancel'))]
      await append(storage, ['a', 2, { creations }], [...sets, ...delays])
      await cancel(storage, 'a')
      expect(await step(storage, 'a')).toBe(false)
      expect(await inboxOf(storage, 'a')).toHaveLength(4)
      expect(await step(storage, 'a')).toBe(true)
    })

    test('Z15: sets are told apart whatever their names, and so are executions', async ({
      storage,
    }) => {
      await createLocked(storage, 'a')
      const kept = ['n:x', 'n:x_1', 'n:x_1_', 'n:9'].map((set) => openedSet(set, 'await'))
      await append(storage, ['a', 2], [...kept, joinSetEvent('n:x_2')])
      const others = ['n:x_', 'n:', 'n:x_1_2', 'n:y', 'n:99', 'g:9', 'n:x_2', 'n:X'].flatMap(
        (set) => [childOf('a', set, 1), childOf('a', set, 12)],
      )
      const spared = ['n:x', 'n:x_1', 'n:x_1_', 'n:9'].flatMap((set) => [
        childOf('a', set, 1),
        childOf('a', set, 12),
      ])
      await storage.createMany([...others, ...spared].map((id) => activityRequest(id)))
      await cancel(storage, 'a')
      await step(storage, 'a')
      for (const id of others) {
        expect(await storage.findState(id), id).toMatchObject({ failureKind: 'cancelled' })
      }
      for (const id of spared) expect(await stateOf(storage, id), id).toMatchObject({ version: 0 })
    })

    test('Z16: any number of awaited children hides none that is to be cancelled', async ({
      storage,
    }) => {
      const count = cancelStepMax + 1
      await createSet(storage, 'n:a-kept', 'await', count)
      await createActivity(storage, childOf('a', 'n:boxes'))
      await cancel(storage, 'a')
      expect(await step(storage, 'a')).toBe(false)
      expect(await storage.findState(childOf('a'))).toMatchObject({ failureKind: 'cancelled' })
      expect(await inboxOf(storage, 'a')).toHaveLength(1)
    })

    test('Z17: a word is kept whether the set was asked, answered, or new', async ({ storage }) => {
      await createLocked(storage, 'a')
      await accepted(storage.respond(responseCommand('a', childResponse('a', 'n:kept', 7))))
      await append(storage, ['a', 2], [openedSet('n:kept', 'await'), askEvent('n:kept')])
      await append(storage, ['a', 4], [askEvent('n:kept'), withdrawEvent('n:kept')])
      const more = [askEvent('n:kept'), blockingAskEvent('n:kept', { seenCursor: 99 })]
      await append(storage, ['a', 6], more)
      const waits = await storage.findWaits(executionId('a'))
      expect(waits.asks).toEqual([{ joinSetId: 'n:kept', asks: 3, responses: 1 }])
      await createActivity(storage, childOf('a', 'n:kept'))
      await cancel(storage, 'a')
      expect(await step(storage, 'a')).toBe(false)
      expect(await stateOf(storage, childOf('a', 'n:kept'))).toMatchObject({ version: 0 })
    })

    test('Z18: a refused turn keeps no word', async ({ storage }) => {
      await createLocked(storage, 'a')
      const batch = [openedSet('n:kept', 'await'), unpausedEvent]
      await refused(storage.append(appendRequest(['a', 2], batch)))
      await createActivity(storage, childOf('a', 'n:kept'))
      await cancel(storage, 'a')
      expect(await step(storage, 'a')).toBe(false)
      expect(await step(storage, 'a')).toBe(true)
    })

    test('Z19: the word of another execution’s set of this name does not count', async ({
      storage,
    }) => {
      await createLocked(storage, 'a')
      await createWorkflow(storage, 'b')
      await append(storage, ['b', 1], [openedSet('n:boxes', 'await')])
      await createActivity(storage, childOf('a'))
      await cancel(storage, 'a')
      expect(await step(storage, 'a')).toBe(false)
      expect(await step(storage, 'a')).toBe(true)
    })

    test('Z20: a step that can only wait tells nothing', async ({ storage }) => {
      await createSet(storage, 'n:kept', 'await')
      await cancel(storage, 'a')
      let told = 0
      const count = () => {
        told += 1
      }
      storage.notifications.onTimer(count)
      storage.notifications.onExecution(executionId('a'), count)
      expect(await step(storage, 'a')).toBe(false)
      expect(told).toBe(0)
    })
  })
}
