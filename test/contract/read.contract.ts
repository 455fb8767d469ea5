/** Rules of reading: states, logs and inboxes, page by page, and what is unknown. */

import { describe, expect } from 'vitest'
import { corruptState, repairState } from '../support/storage/corrupt.ts'
import {
  askEvent,
  delayEvent,
  finishedEvent,
  joinSetEvent,
  withdrawEvent,
} from '../support/storage/events.ts'
import { childOf, delayOf, executionId } from '../support/storage/ids.ts'
import { createRequest, message, responseCommand } from '../support/storage/requests.ts'
import { accepted } from '../support/storage/results.ts'
import {
  append,
  createActivity,
  createLocked,
  createWorkflow,
  inboxOf,
  stateOf,
} from '../support/storage/steps.ts'
import type { ContractTest } from './contract-test.ts'

const a = executionId('a')
const none = executionId('none')

/** Declares the rules for one adapter. */
export function describeReading(test: ContractTest): void {
  describe('reading: one execution', () => {
    test('Q1: what is unknown is absent, or empty', async ({ storage }) => {
      expect(await storage.findState(none)).toBeUndefined()
      expect(await storage.findReport(none)).toBeUndefined()
      expect(await storage.findRecord(none, 10)).toBeUndefined()
      expect(await storage.findEvent(none, 0)).toBeUndefined()
      expect(await storage.findWaits(none)).toEqual({ asks: [], delays: [] })
      expect(await storage.listEvents({ executionId: none, from: 0, limit: 10 })).toEqual([])
      expect(await storage.listResponses({ executionId: none, after: 0, limit: 10 })).toEqual([])
    })

    test('Q2: a log has no event beyond its last', async ({ storage }) => {
      await createWorkflow(storage, 'a')
      expect(await storage.findEvent(a, 1)).toBeUndefined()
      expect(await storage.findEvent(a, -1)).toBeUndefined()
    })

    test('Q3: a report is the state and the event that led to it', async ({ storage }) => {
      await createLocked(storage, 'a')
      const state = await append(storage, ['a', 2, { at: 30 }], [joinSetEvent()])
      const lastEvent = { version: 2, createdAt: 30, event: joinSetEvent() }
      expect(await storage.findReport(a)).toEqual({ state, lastEvent })
    })

    test('Q4: a record is state, log and inbox of one moment', async ({ storage }) => {
      await createLocked(storage, 'a')
      await accepted(storage.respond(responseCommand('a', message('go'))))
      const record = await storage.findRecord(a, 10)
      expect(record?.state).toEqual(await stateOf(storage, 'a'))
      expect(record?.events).toEqual(
        await storage.listEvents({ executionId: a, from: 0, limit: 10 }),
      )
      expect(record?.responses).toEqual(await inboxOf(storage, 'a'))
    })

    test('Q5: while others write, a record is still of one moment', async ({ storage }) => {
      await createWorkflow(storage, 'a')
      const writes = Array.from({ length: 20 }, (_, index) => async () => {
        await append(storage, ['a', index + 1], [joinSetEvent(`n:${index}`, index)])
      })
      const writing = (async () => {
        for (const write of writes) await write()
      })()
      for (let reads = 0; reads < 20; reads += 1) {
        const record = await storage.findRecord(a, 100)
        expect(record?.events.at(-1)?.version).toBe(record?.state.version)
        const report = await storage.findReport(a)
        expect(report?.lastEvent.version).toBe(report?.state.version)
      }
      await writing
    })

    test('Q6: what it waits for: open asks, and delays by due time', async ({ storage }) => {
      await createLocked(storage, 'a')
      const asks = [
        askEvent('n:b'),
        askEvent('n:b'),
        askEvent('n:a'),
        askEvent('n:c'),
        withdrawEvent('n:c'),
      ]
      const delays = [delayEvent('a', 60, { index: 2, paused: true }), delayEvent('a', 50)]
      await append(storage, ['a', 2], [...asks, ...delays, askEvent('m:go')])
      await accepted(storage.respond(responseCommand('a', message('go'))))
      expect(await storage.findWaits(a)).toEqual({
        asks: [
          { joinSetId: 'n:a', asks: 1, responses: 0 },
          { joinSetId: 'n:b', asks: 2, responses: 0 },
        ],
        delays: [
          { delayId: delayOf('a'), dueAt: 50, paused: false },
          { delayId: delayOf('a', 'n:timers', 2), dueAt: 60, paused: true },
        ],
      })
    })
  })

  describe('reading: several executions', () => {
    test('Q7: unknown ones are left out, the order is that of the request', async ({ storage }) => {
      for (const id of ['a', 'b', 'c']) await createWorkflow(storage, id)
      const ids = ['c', 'none', 'a'].map(executionId)
      const states = await storage.findStates(ids)
      expect(states.map((state) => state.executionId)).toEqual(['c', 'a'])
      expect(await storage.findStates([])).toEqual([])
    })

    test('Q8: unreadable ones are left out', async ({ storage, opened }) => {
      for (const id of ['a', 'bad']) await createWorkflow(storage, id)
      await corruptState(opened, 'bad')
      const states = await storage.findStates(['a', 'bad'].map(executionId))
      expect(states.map((state) => state.executionId)).toEqual(['a'])
      await expect(storage.findState(executionId('bad'))).rejects.toMatchObject({
        code: 'storage_corrupt',
        fields: { executionId: 'bad' },
      })
      await repairState(opened, 'bad')
    })
  })

  describe('reading: pages of a log', () => {
    test('Q9: from a version on, inclusive, ascending', async ({ storage }) => {
      await createWorkflow(storage, 'a')
      const sets = [1, 2, 3, 4].map((seq) => joinSetEvent(`n:${seq}`, seq))
      await append(storage, ['a', 1], sets)
      const page = (from: number, limit: number) =>
        storage.listEvents({ executionId: a, from, limit })
      const versions = async (from: number, limit: number) =>
        (await page(from, limit)).map(({ version }) => version)
      expect(await versions(0, 2)).toEqual([0, 1])
      expect(await versions(2, 2)).toEqual([2, 3])
      expect(await versions(4, 2)).toEqual([4])
      expect(await versions(5, 2)).toEqual([])
      expect(await versions(0, 0)).toEqual([])
    })

    test('Q10: a log of a thousand events comes back whole', async ({ storage }) => {
      await createWorkflow(storage, 'a')
      const sets = Array.from({ length: 999 }, (_, seq) => joinSetEvent(`n:${seq}`, seq))
      await append(storage, ['a', 1], sets)
      const record = await storage.findRecord(a, 5000)
      expect(record?.events).toHaveLength(1000)
      expect(record?.events.at(-1)?.event).toEqual(sets.at(-1))
    })
  })

  describe('reading: pages of an inbox', () => {
    test('Q11: beyond a cursor, exclusive, ascending, without those of others', async ({
      storage,
    }) => {
      await storage.createMany([createRequest('a'), createRequest('b')])
      for (const payload of [1, 2, 3]) {
        await accepted(storage.respond(responseCommand('a', message('go', { payload }))))
        await accepted(storage.respond(responseCommand('b', message('go', { payload: -payload }))))
      }
      const cursors = (await inboxOf(storage, 'a')).map(({ cursor }) => cursor)
      const [first = 0, second = 0, third = 0] = cursors
      const page = async (after: number, limit: number) =>
        (await storage.listResponses({ executionId: a, after, limit })).map(({ cursor }) => cursor)
      expect(await page(0, 2)).toEqual([first, second])
      expect(await page(first, 2)).toEqual([second, third])
      expect(await page(second, 1)).toEqual([third])
      expect(await page(third, 9)).toEqual([])
    })

    test('Q12: cursors are never used again, not even after a refusal', async ({ storage }) => {
      await createWorkflow(storage, 'a')
      const send = () => storage.respond(responseCommand('a', message('go', { messageId: 'm' })))
      await accepted(send())
      await Promise.all([send(), send()])
      await accepted(storage.respond(responseCommand('a', message('go'))))
      const [first, second, ...rest] = await inboxOf(storage, 'a')
      expect(rest).toEqual([])
      expect(second?.cursor).toBeGreaterThan(first?.cursor ?? Number.POSITIVE_INFINITY)
    })

    test('Q13: children answer with their outcome on every page', async ({ storage }) => {
      await createLocked(storage, 'a')
      for (const index of [1, 2]) {
        await createActivity(storage, childOf('a', 'n:boxes', index))
        const outcome = { type: 'ok', value: index } as const
        await append(storage, [childOf('a', 'n:boxes', index), 1], [finishedEvent(outcome)])
      }
      const [first] = await inboxOf(storage, 'a')
      const rest = { executionId: a, after: first?.cursor ?? 0, limit: 10 }
      expect(await storage.listResponses(rest)).toMatchObject([{ outcome: { value: 2 } }])
    })
  })
}
