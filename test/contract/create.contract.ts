/** Rules of creating executions. */

import { describe, expect } from 'vitest'
import { charge, createdEvent, pausedEvent } from '../support/storage/events.ts'
import { childOf, executionId, joinSet } from '../support/storage/ids.ts'
import { activityRequest, createRequest } from '../support/storage/requests.ts'
import { accepted, refused } from '../support/storage/results.ts'
import { append, createWorkflow, lockAt, stateOf, typesOf } from '../support/storage/steps.ts'
import type { ContractTest } from './contract-test.ts'

/** Declares the rules for one adapter. */
export function describeCreate(test: ContractTest): void {
  describe('create', () => {
    test('C1: a new execution is pending at its scheduled time, at version 0', async ({
      storage,
    }) => {
      const request = activityRequest('a', { createdAt: 3, scheduledAt: 70 })
      const state = await accepted(storage.create(request))
      expect(state).toEqual({
        status: 'pending_at',
        executionId: executionId('a'),
        function: charge,
        version: 0,
        createdAt: 3,
        firstScheduledAt: 70,
        deploymentId: request.event.deploymentId,
        failures: 0,
        paused: false,
        cancelling: false,
        scheduledAt: 70,
      })
      expect(await storage.findState(executionId('a'))).toEqual(state)
    })

    test('C2: the created event is kept as it was asked for', async ({ storage }) => {
      const event = createdEvent({
        input: [{ z: 1, a: { y: null, b: [true, -0.5, 'ü\u0000'] } }],
        metadata: { b: '2', a: '1' },
        scheduledBy: executionId('other'),
      })
      await createWorkflow(storage, 'a', event)
      const logged = await storage.findEvent(executionId('a'), 0)
      expect(JSON.stringify(logged?.event)).toBe(JSON.stringify(event))
    })

    test('C3: an absent input stays absent', async ({ storage }) => {
      const { input: _absent, ...event } = createdEvent()
      await accepted(storage.create({ executionId: executionId('a'), createdAt: 0, event }))
      const logged = await storage.findEvent(executionId('a'), 0)
      expect(logged?.event).toEqual(event)
      expect(logged?.event).not.toHaveProperty('input')
    })

    test('C4: what is changed after the call does not change the log', async ({ storage }) => {
      const input = { total: 5 }
      const answer = storage.create(createRequest('a', { input }))
      const many = storage.createMany([createRequest('b', { input })])
      input.total = 6
      await Promise.all([answer, many])
      for (const id of ['a', 'b']) {
        const logged = await storage.findEvent(executionId(id), 0)
        expect(logged?.event).toMatchObject({ input: { total: 5 } })
      }
    })

    test('C5: an id exists once; the second creation changes nothing', async ({ storage }) => {
      const first = await createWorkflow(storage, 'a', { createdAt: 1 })
      const other = activityRequest('a', { createdAt: 2, input: 'other' })
      const taken = { kind: 'taken', what: 'execution', id: 'a' }
      expect(await refused(storage.create(other))).toEqual(taken)
      expect(await refused(storage.create(createRequest('a')))).toEqual(taken)
      expect(await storage.findState(executionId('a'))).toEqual(first)
      expect(await typesOf(storage, 'a')).toEqual(['created'])
    })

    test('C6: of simultaneous creations of one id, exactly one is accepted', async ({
      storage,
    }) => {
      const requests = [1, 2, 3, 4].map((createdAt) => createRequest('a', { createdAt }))
      const results = await Promise.all(requests.map(storage.create))
      expect(results.filter(({ ok }) => ok)).toHaveLength(1)
    })

    test('C7: ids that differ in case are two executions', async ({ storage }) => {
      await createWorkflow(storage, 'a', { createdAt: 1 })
      await createWorkflow(storage, 'A', { createdAt: 2 })
      expect((await stateOf(storage, 'a')).createdAt).toBe(1)
      expect((await stateOf(storage, 'A')).createdAt).toBe(2)
    })

    test('C8: created paused, it has two events of one instant and is not locked', async ({
      storage,
    }) => {
      const state = await createWorkflow(storage, 'a', { createdAt: 4, paused: true })
      expect(state).toMatchObject({ status: 'pending_at', paused: true, version: 1 })
      const events = await storage.listEvents({
        executionId: executionId('a'),
        from: 0,
        limit: 10,
      })
      expect(events.map(({ createdAt }) => createdAt)).toEqual([4, 4])
      expect(await typesOf(storage, 'a')).toEqual(['created', 'paused'])
      expect(await lockAt(storage, 100)).toEqual([])
    })

    test('C9: created paused, it can be locked after unpausing', async ({ storage }) => {
      await createWorkflow(storage, 'a', { paused: true })
      const unpaused = await accepted(
        storage.unpause({ executionId: executionId('a'), createdAt: 20 }),
      )
      expect(unpaused).toMatchObject({ paused: false, scheduledAt: 0, version: 2 })
      expect(await lockAt(storage, 20)).toEqual(['a'])
    })

    test('C10: a derived id says who the parent is', async ({ storage }) => {
      await createWorkflow(storage, 'p')
      const child = childOf('p', 'g:1_x', 2)
      const state = await createWorkflow(storage, child)
      const parent = { executionId: executionId('p'), joinSetId: joinSet('g:1_x') }
      expect(state.parent).toEqual(parent)
      expect((await stateOf(storage, child)).parent).toEqual(parent)
    })

    test('C11: many are accepted or refused each for itself, in order', async ({ storage }) => {
      await createWorkflow(storage, 'b', { createdAt: 1 })
      const requests = [
        createRequest('a', { createdAt: 2 }),
        createRequest('b', { createdAt: 3 }),
        createRequest('c', { createdAt: 4, paused: true }),
        createRequest('a', { createdAt: 5 }),
      ]
      const results = await storage.createMany(requests)
      expect(
        results.map((result) => (result.ok ? result.value.executionId : result.error)),
      ).toEqual([
        'a',
        { kind: 'taken', what: 'execution', id: 'b' },
        'c',
        { kind: 'taken', what: 'execution', id: 'a' },
      ])
      expect((await stateOf(storage, 'a')).createdAt).toBe(2)
      expect((await stateOf(storage, 'b')).createdAt).toBe(1)
      expect(await typesOf(storage, 'c')).toEqual(['created', 'paused'])
    })

    test('C12: none at all are created at once', async ({ storage }) => {
      expect(await storage.createMany([])).toEqual([])
    })

    test('C13: five hundred are created in one call', async ({ storage }) => {
      const ids = Array.from({ length: 500 }, (_, index) => `e${index}`)
      const results = await storage.createMany(ids.map((id) => createRequest(id)))
      expect(results.filter(({ ok }) => ok)).toHaveLength(500)
      expect(await storage.findStates(ids.map(executionId))).toHaveLength(500)
    })

    test('C14: the log of a new execution goes on at version 1', async ({ storage }) => {
      await createWorkflow(storage, 'a')
      expect((await append(storage, ['a', 1], [pausedEvent])).version).toBe(1)
    })
  })
}
