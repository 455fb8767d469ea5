/** Rules of a run's turn: what it gives up is cancelled with what it writes, or not at all. */

import { describe, expect } from 'vitest'
import type { Cancellations } from '../../src/storage/append.ts'
import type { Storage } from '../../src/storage/storage.ts'
import {
  blockingAskEvent,
  childEvent,
  delayEvent,
  finishedEvent,
  joinSetEvent,
  unpausedEvent,
} from '../support/storage/events.ts'
import { childOf, delayOf, executionId } from '../support/storage/ids.ts'
import { activityRequest, appendRequest, createRequest } from '../support/storage/requests.ts'
import { accepted, refused } from '../support/storage/results.ts'
import {
  append,
  createActivity,
  createLocked,
  createWorkflow,
  inboxOf,
  stateOf,
  typesOf,
} from '../support/storage/steps.ts'
import type { ContractTest } from './contract-test.ts'

const boxes = (...indexes: readonly number[]) => indexes.map((n) => childOf('a', 'n:boxes', n))
const timers = (...indexes: readonly number[]) => indexes.map((n) => delayOf('a', 'n:timers', n))

/** What a turn gives up; nothing, unless said otherwise. */
function giveUp(part: Partial<Cancellations> = {}): Cancellations {
  return { children: [], delays: [], ...part }
}

/** Workflow `a`, locked, with activities 1 and 2, workflow 3, and delays 1 and 2; next is 4. */
async function createBusy(storage: Storage): Promise<void> {
  await createLocked(storage, 'a')
  const activities = boxes(1, 2).map((id) => activityRequest(id))
  const creations = [...activities, ...boxes(3).map((id) => createRequest(id))]
  const delays = [delayEvent('a', 500), delayEvent('a', 600, { index: 2 })]
  await append(storage, ['a', 2, { creations }], delays)
}

/** Everything that is told of one execution, as `status version`. */
function listen(storage: Storage, id: string): string[] {
  const told: string[] = []
  storage.notifications.onExecution(executionId(id), (state) => {
    told.push(`${id} ${state?.status} v${state?.version}`)
  })
  return told
}

/** Declares the rules for one adapter. */
export function describeAdvancing(test: ContractTest): void {
  describe('advancing: what a turn gives up', () => {
    test('D1: children first, delays then, each in its order, at the time of the last event', async ({
      storage,
    }) => {
      await createBusy(storage)
      const cancellations = giveUp({ children: boxes(2, 1), delays: timers(2, 1) })
      const request = appendRequest(['a', 4, { at: 30, cancellations }], [joinSetEvent()])
      await accepted(storage.append({ ...request, createdAt: 99 }))
      const inbox = await inboxOf(storage, 'a')
      expect(inbox.map(({ createdAt }) => createdAt)).toEqual([30, 30, 30, 30])
      expect(inbox.map(({ afterVersion }) => afterVersion)).toEqual([4, 4, 4, 4])
      const outcome = { type: 'execution_failure', kind: 'cancelled' }
      expect(inbox).toMatchObject([
        ...boxes(2, 1).map((childExecutionId) => ({ response: { childExecutionId }, outcome })),
        ...timers(2, 1).map((delayId) => ({ response: { delayId, result: 'cancelled' } })),
      ])
      expect(await storage.findNextTimers()).toMatchObject({ delayDueAt: undefined })
    })

    test('D2: an activity ends at once, a workflow is asked to', async ({ storage }) => {
      await createBusy(storage)
      const cancellations = giveUp({ children: boxes(1, 3) })
      await append(storage, ['a', 4, { cancellations }], [joinSetEvent()])
      const [activity = '', workflow = ''] = boxes(1, 3)
      expect(await typesOf(storage, activity)).toEqual(['created', 'finished'])
      expect(await typesOf(storage, workflow)).toEqual(['created', 'cancel_requested'])
      expect(await stateOf(storage, workflow)).toMatchObject({ cancelling: true })
      expect(await typesOf(storage, childOf('a', 'n:boxes', 2))).toEqual(['created'])
    })

    test('D3: what has ended, is cancelling, or is unknown is left alone', async ({ storage }) => {
      await createBusy(storage)
      const [activity, workflow] = [childOf('a', 'n:boxes', 1), childOf('a', 'n:boxes', 3)]
      const ended = await append(storage, [activity, 1], [finishedEvent()])
      await accepted(storage.cancel({ executionId: workflow, createdAt: 20, reason: 'first' }))
      await accepted(storage.endDelay({ delayId: delayOf('a'), createdAt: 20, result: 'ok' }))
      const cancellations = giveUp({ children: boxes(1, 3, 9), delays: timers(1, 9) })
      const turn = ['a', 4, { cancellations }] as const
      expect(await append(storage, turn, [joinSetEvent()])).toMatchObject({ version: 4 })
      expect(await storage.findState(activity)).toEqual(ended)
      expect(await typesOf(storage, workflow)).toEqual(['created', 'cancel_requested'])
      expect(await inboxOf(storage, 'a')).toHaveLength(2)
    })

    test('D4: what is named twice ends once', async ({ storage }) => {
      await createBusy(storage)
      const cancellations = giveUp({ children: boxes(1, 1, 3, 3), delays: timers(1, 1) })
      await append(storage, ['a', 4, { cancellations }], [joinSetEvent()])
      expect(await inboxOf(storage, 'a')).toHaveLength(2)
    })

    test('D5: a child that comes into being in this very turn can be given up', async ({
      storage,
    }) => {
      await createLocked(storage, 'a')
      const creations = [activityRequest(childOf('a'))]
      const cancellations = giveUp({ children: [childOf('a')], delays: timers(1) })
      const events = [childEvent('a'), delayEvent('a', 50)]
      await append(storage, ['a', 2, { creations, cancellations }], events)
      expect(await typesOf(storage, childOf('a'))).toEqual(['created', 'finished'])
      expect(await storage.findWaits(executionId('a'))).toEqual({ asks: [], delays: [] })
    })

    test('D6: the last turn gives up, and is answered all the same', async ({ storage }) => {
      await createBusy(storage)
      const cancellations = giveUp({ children: boxes(1), delays: timers(1) })
      const end = await append(storage, ['a', 4, { cancellations }], [finishedEvent()])
      expect(end).toMatchObject({ status: 'finished', version: 4 })
      expect(await storage.findState(executionId('a'))).toEqual(end)
      expect(await inboxOf(storage, 'a')).toHaveLength(2)
    })

    test('D7: a child of its own parent tells that one of its end, too', async ({ storage }) => {
      await createWorkflow(storage, 'p')
      await createWorkflow(storage, childOf('p'))
      const grandchild = childOf(childOf('p'))
      await createActivity(storage, grandchild)
      const cancellations = giveUp({ children: [grandchild] })
      await append(storage, [childOf('p'), 1, { cancellations }], [finishedEvent()])
      expect(await inboxOf(storage, 'p')).toHaveLength(1)
      expect(await inboxOf(storage, childOf('p'))).toHaveLength(1)
    })

    test('D8: the state is the one at the end: an answer may have woken it', async ({
      storage,
    }) => {
      await createBusy(storage)
      const cancellations = giveUp({ children: boxes(1) })
      const turn = ['a', 4, { at: 30, cancellations }] as const
      const state = await append(storage, turn, [blockingAskEvent('n:boxes')])
      expect(state).toMatchObject({ status: 'pending_at', scheduledAt: 30, version: 4 })
      expect(await storage.findState(executionId('a'))).toEqual(state)
    })

    test('D9: an answer to another set does not wake it', async ({ storage }) => {
      await createBusy(storage)
      const cancellations = giveUp({ delays: timers(1) })
      const state = await append(storage, ['a', 4, { cancellations }], [blockingAskEvent()])
      expect(state.status).toBe('blocked')
      expect(await storage.findState(executionId('a'))).toEqual(state)
    })

    test('D10: a known state saves reading the row, and changes nothing else', async ({
      storage,
    }) => {
      await createBusy(storage)
      const known = await stateOf(storage, 'a')
      if (known.status !== 'locked') return expect.unreachable('a is locked')
      const cancellations = giveUp({ children: boxes(1) })
      const request = appendRequest(['a', 4, { cancellations }], [joinSetEvent()])
      const state = await accepted(storage.append({ ...request, known }))
      expect(await storage.findState(executionId('a'))).toEqual(state)
      const again = appendRequest(['a', 4, { cancellations: giveUp({ delays: timers(1) }) }], [])
      const conflict = { kind: 'version_conflict', expected: 5, requested: 4 }
      expect(await refused(storage.append({ ...again, known }))).toEqual(conflict)
    })

    test('D11: lists that change after the call change nothing', async ({ storage }) => {
      await createBusy(storage)
      const [children, delays] = [boxes(1), timers(1)]
      const cancellations = { children, delays }
      const answer = storage.append(appendRequest(['a', 4, { cancellations }], [joinSetEvent()]))
      children.push(...boxes(2))
      delays.pop()
      await accepted(answer)
      expect(await inboxOf(storage, 'a')).toHaveLength(2)
      expect(await typesOf(storage, childOf('a', 'n:boxes', 2))).toEqual(['created'])
    })
  })

  describe('advancing: all or nothing', () => {
    test('D12: a refused event cancels nothing', async ({ storage }) => {
      await createBusy(storage)
      const cancellations = giveUp({ children: boxes(1), delays: timers(1) })
      const turn = ['a', 4, { cancellations }] as const
      await refused(storage.append(appendRequest(turn, [joinSetEvent(), unpausedEvent])))
      expect(await inboxOf(storage, 'a')).toEqual([])
      expect(await typesOf(storage, childOf('a'))).toEqual(['created'])
    })

    test('D13: a child whose parent is gone takes the whole turn with it', async ({ storage }) => {
      await createBusy(storage)
      await createActivity(storage, childOf('gone'))
      const cancellations = giveUp({ children: [...boxes(1), childOf('gone')] })
      const answer = storage.append(appendRequest(['a', 4, { cancellations }], [joinSetEvent()]))
      expect(await refused(answer)).toEqual({ kind: 'not_found', id: 'gone' })
      expect(await stateOf(storage, 'a')).toMatchObject({ version: 3 })
      expect(await inboxOf(storage, 'a')).toEqual([])
      expect(await typesOf(storage, childOf('gone'))).toEqual(['created'])
    })

    test('D14: of simultaneous turns at one version, one cancels', async ({ storage }) => {
      await createBusy(storage)
      const turns = [1, 2].map((index) => {
        const cancellations = giveUp({ children: boxes(index) })
        return storage.append(appendRequest(['a', 4, { cancellations }], [joinSetEvent()]))
      })
      const answers = await Promise.all(turns)
      expect(answers.filter(({ ok }) => ok)).toHaveLength(1)
      expect(await inboxOf(storage, 'a')).toHaveLength(1)
    })
  })

  describe('advancing: without events', () => {
    test('D15: the log stays as it is; what is given up ends at the time of the request', async ({
      storage,
    }) => {
      await createBusy(storage)
      const before = await stateOf(storage, 'a')
      const cancellations = giveUp({ children: boxes(1), delays: timers(1) })
      const state = await append(storage, ['a', 4, { at: 33, cancellations }], [])
      expect(state).toEqual(before)
      expect(await storage.findState(executionId('a'))).toEqual(before)
      expect((await inboxOf(storage, 'a')).map(({ createdAt }) => createdAt)).toEqual([33, 33])
      expect(await append(storage, ['a', 4], [joinSetEvent()])).toMatchObject({ version: 4 })
    })

    test('D16: it wakes a blocked execution as well', async ({ storage }) => {
      await createBusy(storage)
      await append(storage, ['a', 4], [blockingAskEvent('n:timers')])
      const cancellations = giveUp({ delays: timers(1) })
      const state = await append(storage, ['a', 5, { at: 40, cancellations }], [])
      expect(state).toMatchObject({ status: 'pending_at', scheduledAt: 40, version: 4 })
      expect(await storage.findState(executionId('a'))).toEqual(state)
    })

    test('D17: the version is checked, and what forbids an event forbids this', async ({
      storage,
    }) => {
      await createBusy(storage)
      const cancellations = giveUp({ children: boxes(1) })
      const turn = (id: string, version: number) =>
        refused(storage.append(appendRequest([id, version, { cancellations }], [])))
      const conflict = { kind: 'version_conflict', expected: 4 }
      expect(await turn('a', 3)).toEqual({ ...conflict, requested: 3 })
      expect(await turn('a', 5)).toEqual({ ...conflict, requested: 5 })
      expect(await turn('none', 1)).toEqual({ kind: 'not_found', id: 'none' })
      await accepted(storage.cancel({ executionId: executionId('a'), createdAt: 20 }))
      expect(await turn('a', 4)).toEqual({ ...conflict, expected: 5, requested: 4 })
      expect(await turn('a', 5)).toEqual({ kind: 'illegal_state', reason: 'cancelling' })
      await createWorkflow(storage, 'b')
      await append(storage, ['b', 1], [finishedEvent()])
      for (const version of [1, 2]) {
        expect(await turn('b', version)).toEqual({ kind: 'already_finished', version: 1 })
      }
      expect(await inboxOf(storage, 'a')).toEqual([])
    })

    test('D18: with nothing to cancel, or no time for it, there is nothing to do', async ({
      storage,
    }) => {
      await createBusy(storage)
      const empty = { kind: 'invalid', reason: 'empty_batch' }
      const nothing = appendRequest(['a', 4, { cancellations: giveUp() }], [])
      expect(await refused(storage.append(nothing))).toEqual(empty)
      const cancellations = giveUp({ children: boxes(1) })
      const { createdAt: _absent, ...timeless } = appendRequest(['a', 4, { cancellations }], [])
      expect(await refused(storage.append(timeless))).toEqual(empty)
      const plain = ['a', 4, { cancellations: giveUp() }] as const
      expect(await append(storage, plain, [joinSetEvent()])).toMatchObject({ version: 4 })
    })
  })

  describe('advancing: what is told', () => {
    test('D19: each execution is told of once, in its last state, and who is due', async ({
      storage,
    }) => {
      await createBusy(storage)
      const told = [...boxes(1, 2, 3), 'a'].map((id) => listen(storage, id))
      const due: number[] = []
      storage.notifications.onPending('workflow', 'checkout', (at) => due.push(at ?? -1))
      const cancellations = giveUp({ children: boxes(1, 2, 3), delays: timers(1, 2) })
      await append(storage, ['a', 4, { at: 30, cancellations }], [blockingAskEvent()])
      const [one = '', two = '', three = ''] = boxes(1, 2, 3)
      expect(told).toEqual([
        [`${one} finished v1`],
        [`${two} finished v1`],
        [`${three} pending_at v1`],
        ['a pending_at v4'],
      ])
      expect(due).toEqual([30])
    })

    test('D20: a turn that changes nothing tells nothing; a refused one neither', async ({
      storage,
    }) => {
      await createBusy(storage)
      const told = listen(storage, 'a')
      await append(storage, ['a', 4, { cancellations: giveUp({ children: boxes(9) }) }], [])
      const late = giveUp({ children: boxes(1) })
      await refused(storage.append(appendRequest(['a', 3, { cancellations: late }], [])))
      expect(told).toEqual([])
    })

    test('D21: the watcher is told of workflows that are to be carried down', async ({
      storage,
    }) => {
      await createBusy(storage)
      let ticks = 0
      storage.notifications.onTimer(() => {
        ticks += 1
      })
      await append(storage, ['a', 4, { cancellations: giveUp({ children: boxes(3) }) }], [])
      expect(ticks).toBe(1)
    })
  })
}
