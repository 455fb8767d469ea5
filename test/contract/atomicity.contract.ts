/** Rules of all or nothing: a refusal leaves no trace of the append that met it. */

import { describe, expect } from 'vitest'
import {
  cancelledEvent,
  childEvent,
  delayEvent,
  failedEvent,
  finishedEvent,
  joinSetEvent,
  pausedEvent,
  unpausedEvent,
} from '../support/storage/events.ts'
import { childOf, delayOf, executionId } from '../support/storage/ids.ts'
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
  inboxOf,
  stateOf,
  typesOf,
} from '../support/storage/steps.ts'
import type { ContractTest } from './contract-test.ts'

/** Declares the rules for one adapter. */
export function describeAtomicity(test: ContractTest): void {
  describe('append: all or nothing', () => {
    test('A20: a refused event takes the whole batch with it', async ({ storage }) => {
      const before = await createLocked(storage, 'a')
      const batch = [joinSetEvent(), childEvent('a'), delayEvent('a', 50), unpausedEvent]
      const creations = [activityRequest(childOf('a'))]
      const answer = storage.append(appendRequest(['a', 2, { creations }], batch))
      expect(await refused(answer)).toEqual({ kind: 'illegal_state', reason: 'not_paused' })
      expect(await storage.findState(executionId('a'))).toEqual(before)
      expect(await typesOf(storage, 'a')).toEqual(['created', 'locked'])
      expect(await storage.findWaits(executionId('a'))).toEqual({ asks: [], delays: [] })
      expect(await storage.findState(childOf('a'))).toBeUndefined()
    })

    test('A21: children come into being with the events that ask for them', async ({ storage }) => {
      await createLocked(storage, 'a')
      const creations = [activityRequest(childOf('a')), createRequest('detached', { paused: true })]
      await append(storage, ['a', 2, { creations }], [joinSetEvent(), childEvent('a')])
      expect(await typesOf(storage, childOf('a'))).toEqual(['created'])
      expect(await typesOf(storage, 'detached')).toEqual(['created', 'paused'])
    })

    test('A22: a child that exists rolls back its siblings and the log', async ({ storage }) => {
      await createLocked(storage, 'a')
      await createActivity(storage, childOf('a', 'n:boxes', 2))
      const creations = [1, 2, 3].map((index) => activityRequest(childOf('a', 'n:boxes', index)))
      const answer = storage.append(appendRequest(['a', 2, { creations }], [joinSetEvent()]))
      const id = childOf('a', 'n:boxes', 2)
      expect(await refused(answer)).toEqual({ kind: 'taken', what: 'execution', id })
      expect(await typesOf(storage, 'a')).toEqual(['created', 'locked'])
      expect(await storage.findState(childOf('a', 'n:boxes', 1))).toBeUndefined()
      expect(await storage.findState(childOf('a', 'n:boxes', 3))).toBeUndefined()
    })

    test('A23: a delay that runs already rolls everything back', async ({ storage }) => {
      await createLocked(storage, 'a')
      await append(storage, ['a', 2], [delayEvent('a', 50)])
      const batch = [delayEvent('a', 60, { index: 2 }), delayEvent('a', 70)]
      const answer = storage.append(appendRequest(['a', 3], batch))
      expect(await refused(answer)).toEqual({ kind: 'taken', what: 'delay', id: delayOf('a') })
      const { delays } = await storage.findWaits(executionId('a'))
      expect(delays).toEqual([{ delayId: delayOf('a'), dueAt: 50, paused: false }])
    })

    test('A24: a child and its answer to the parent are one transaction', async ({ storage }) => {
      await createLocked(storage, 'a')
      await createActivity(storage, childOf('a'))
      await append(storage, [childOf('a'), 1, { at: 33 }], [finishedEvent()])
      const [answer, ...rest] = await inboxOf(storage, 'a')
      expect(rest).toEqual([])
      expect(answer).toMatchObject({
        createdAt: 33,
        ordinal: 1,
        afterVersion: 1,
        response: { type: 'child_finished', childExecutionId: childOf('a'), finishedVersion: 1 },
        outcome: { type: 'ok', value: 'done' },
      })
    })

    test('A25: a child whose parent is missing cannot end', async ({ storage }) => {
      await createActivity(storage, childOf('gone'))
      const answer = storage.append(appendRequest([childOf('gone'), 1], [finishedEvent()]))
      expect(await refused(answer)).toEqual({ kind: 'not_found', id: 'gone' })
      expect(await stateOf(storage, childOf('gone'))).toMatchObject({ version: 0 })
      expect(await typesOf(storage, childOf('gone'))).toEqual(['created'])
      expect(await inboxOf(storage, 'gone')).toEqual([])
    })

    test('A26: a child that has answered before cannot end', async ({ storage }) => {
      await createLocked(storage, 'a')
      await createActivity(storage, childOf('a'))
      await accepted(storage.respond(responseCommand('a', childResponse('a'))))
      const answer = storage.append(appendRequest([childOf('a'), 1], [finishedEvent()]))
      const refusal = { kind: 'taken', what: 'child_response', id: childOf('a') }
      expect(await refused(answer)).toEqual(refusal)
      expect(await stateOf(storage, childOf('a'))).toMatchObject({ version: 0 })
      expect(await inboxOf(storage, 'a')).toHaveLength(1)
    })

    test('A27: a child of a finished parent answers all the same', async ({ storage }) => {
      await createLocked(storage, 'a')
      await createActivity(storage, childOf('a'))
      const end = await append(storage, ['a', 2], [finishedEvent()])
      await append(storage, [childOf('a'), 1], [finishedEvent()])
      expect(await inboxOf(storage, 'a')).toHaveLength(1)
      expect(await storage.findState(executionId('a'))).toEqual(end)
    })

    test('A28: refusals leave simultaneous writes alone', async ({ storage }) => {
      await storage.createMany(['a', 'b', 'c'].map((id) => createRequest(id)))
      const answers = await Promise.all([
        storage.append(appendRequest(['a', 1], [joinSetEvent()])),
        storage.append(appendRequest(['b', 1], [joinSetEvent(), unpausedEvent])),
        storage.append(appendRequest(['c', 1], [joinSetEvent()])),
        storage.append(appendRequest(['b', 1], [pausedEvent])),
      ])
      expect(answers.map(({ ok }) => ok)).toEqual([true, false, true, true])
      expect(await typesOf(storage, 'b')).toEqual(['created', 'paused'])
    })
  })

  describe('append: a cancellation was requested', () => {
    test('A29: only the end as cancelled may follow', async ({ storage }) => {
      await createLocked(storage, 'a')
      await accepted(storage.cancel({ executionId: executionId('a'), createdAt: 20 }))
      const illegal = { kind: 'illegal_state', reason: 'cancelling' }
      for (const event of [joinSetEvent(), finishedEvent(), pausedEvent, failedEvent(9)]) {
        expect(await refused(storage.append(appendRequest(['a', 3], [event])))).toEqual(illegal)
      }
      const state = await append(storage, ['a', 3], [cancelledEvent()])
      expect(state).toMatchObject({ status: 'finished', failureKind: 'cancelled' })
    })
  })
}
