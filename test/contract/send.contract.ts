/** Rules of sending: a message arrives once, at an execution that still listens. */

import { describe, expect } from 'vitest'
import type { SendRequest } from '../../src/storage/send.ts'
import type { Storage } from '../../src/storage/storage.ts'
import {
  askEvent,
  blockingAskEvent,
  finishedEvent,
  joinSetEvent,
} from '../support/storage/events.ts'
import { executionId, joinSet } from '../support/storage/ids.ts'
import { message, responseCommand } from '../support/storage/requests.ts'
import { accepted, refused } from '../support/storage/results.ts'
import { append, createLocked, createWorkflow, inboxOf, stateOf } from '../support/storage/steps.ts'
import type { ContractTest } from './contract-test.ts'

/** A message to `a` in channel `go`, at 20, unless said otherwise. */
function sending(part: Partial<SendRequest> & { readonly to?: string; channel?: string } = {}) {
  const { to = 'a', channel = 'go', ...rest } = part
  const place = { executionId: executionId(to), joinSetId: joinSet(`m:${channel}`) }
  return { ...place, createdAt: 20, ...rest }
}

async function ordinalsOf(storage: Storage, id: string): Promise<readonly number[]> {
  const inbox = await inboxOf(storage, id)
  return inbox.map(({ ordinal }) => ordinal)
}

/** Declares the rules for one adapter. */
export function describeSending(test: ContractTest): void {
  describe('sending: what arrives', () => {
    test('H1: a message is a response in its channel, as it was sent', async ({ storage }) => {
      await createLocked(storage, 'a')
      const payloads = [{ z: [1, { b: 1, a: 2 }] }, null, '']
      for (const payload of payloads) {
        expect(await accepted(storage.send(sending({ payload })))).toBe('sent')
      }
      await accepted(storage.send(sending({ messageId: 'm' })))
      const inbox = await inboxOf(storage, 'a')
      expect(inbox.map(({ response }) => response)).toEqual([
        ...payloads.map((payload) => message('go', { payload })),
        message('go', { messageId: 'm' }),
      ])
      expect(inbox).toMatchObject([1, 2, 3, 4].map((ordinal) => ({ ordinal, createdAt: 20 })))
    })

    test('H2: it wakes who waits for it, and leaves the version alone', async ({ storage }) => {
      await createLocked(storage, 'a')
      await append(storage, ['a', 2], [blockingAskEvent('m:go')])
      await accepted(storage.send(sending({ channel: 'other' })))
      expect(await stateOf(storage, 'a')).toMatchObject({ status: 'blocked' })
      await accepted(storage.send(sending({ createdAt: 30 })))
      const woken = { status: 'pending_at', scheduledAt: 30, version: 2 }
      expect(await stateOf(storage, 'a')).toMatchObject(woken)
    })

    test('H3: it waits in the inbox until somebody asks', async ({ storage }) => {
      await createWorkflow(storage, 'a')
      await accepted(storage.send(sending()))
      await append(storage, ['a', 1], [blockingAskEvent('m:go')])
      expect(await stateOf(storage, 'a')).toMatchObject({ status: 'pending_at' })
    })

    test('H4: a payload that changes after the call arrives as it was', async ({ storage }) => {
      await createWorkflow(storage, 'a')
      const payload = { n: 1 }
      const answer = storage.send(sending({ payload }))
      payload.n = 2
      await accepted(answer)
      expect(await inboxOf(storage, 'a')).toMatchObject([{ response: { payload: { n: 1 } } }])
    })

    test('H5: it is told, a duplicate is not', async ({ storage }) => {
      await createLocked(storage, 'a')
      await append(storage, ['a', 2], [blockingAskEvent('m:go')])
      const told: string[] = []
      storage.notifications.onExecution(executionId('a'), (state) => {
        told.push(String(state?.status))
      })
      await accepted(storage.send(sending({ messageId: 'm' })))
      await accepted(storage.send(sending({ messageId: 'm' })))
      expect(told).toEqual(['pending_at'])
    })
  })

  describe('sending: message ids', () => {
    test('H6: a repeated id is accepted, and changes nothing', async ({ storage }) => {
      await createLocked(storage, 'a')
      await append(storage, ['a', 2], [askEvent('m:go'), askEvent('m:go')])
      const first = sending({ messageId: 'm', payload: 1 })
      expect(await accepted(storage.send(first))).toBe('sent')
      const before = await storage.findRecord(executionId('a'), 10)
      const waits = await storage.findWaits(executionId('a'))
      const again = sending({ messageId: 'm', payload: 2, createdAt: 99 })
      expect(await accepted(storage.send(again))).toBe('duplicate')
      expect(await storage.findRecord(executionId('a'), 10)).toEqual(before)
      expect(await storage.findWaits(executionId('a'))).toEqual(waits)
      expect(waits.asks).toEqual([{ joinSetId: 'm:go', asks: 2, responses: 1 }])
    })

    test('H7: a duplicate takes no place in its channel, and answers no ask', async ({
      storage,
    }) => {
      await createLocked(storage, 'a')
      for (const messageId of ['m', 'm', 'n', 'm']) {
        await accepted(storage.send(sending({ messageId })))
      }
      expect(await ordinalsOf(storage, 'a')).toEqual([1, 2])
      const third = blockingAskEvent('m:go', { seenCursor: 9 })
      await append(storage, ['a', 2], [askEvent('m:go'), askEvent('m:go'), third])
      await accepted(storage.send(sending({ messageId: 'n' })))
      expect(await stateOf(storage, 'a')).toMatchObject({ status: 'blocked' })
    })

    test('H8: in another channel, or for another execution, it is another message', async ({
      storage,
    }) => {
      for (const id of ['a', 'b']) await createWorkflow(storage, id)
      const places = [{}, { channel: 'stop' }, { to: 'b' }, { to: 'b', channel: 'stop' }]
      for (const place of places) {
        expect(await accepted(storage.send(sending({ ...place, messageId: 'm' })))).toBe('sent')
      }
      for (const place of places) {
        const again = storage.send(sending({ ...place, messageId: 'm' }))
        expect(await accepted(again)).toBe('duplicate')
      }
      for (const id of ['a', 'b']) expect(await inboxOf(storage, id)).toHaveLength(2)
    })

    test('H9: without an id every message arrives; an empty one is an id', async ({ storage }) => {
      await createWorkflow(storage, 'a')
      for (const end of ['sent', 'sent'] as const) {
        expect(await accepted(storage.send(sending({ payload: 1 })))).toBe(end)
      }
      for (const end of ['sent', 'duplicate'] as const) {
        expect(await accepted(storage.send(sending({ messageId: '' })))).toBe(end)
      }
      expect(await inboxOf(storage, 'a')).toHaveLength(3)
    })

    test('H10: of simultaneous equal messages one arrives, all are accepted', async ({
      storage,
    }) => {
      await createWorkflow(storage, 'a')
      const request = sending({ messageId: 'm' })
      const ends = await Promise.all([1, 2, 3].map(() => accepted(storage.send(request))))
      expect(ends.toSorted()).toEqual(['duplicate', 'duplicate', 'sent'])
      expect(await inboxOf(storage, 'a')).toHaveLength(1)
    })

    test('H11: it is the same id that `respond` knows', async ({ storage }) => {
      await createWorkflow(storage, 'a')
      const response = message('go', { messageId: 'm' })
      await accepted(storage.respond(responseCommand('a', response)))
      expect(await accepted(storage.send(sending({ messageId: 'm' })))).toBe('duplicate')
    })
  })

  describe('sending: who does not listen', () => {
    test('H12: nobody is there', async ({ storage }) => {
      const answer = storage.send(sending({ to: 'none' }))
      expect(await refused(answer)).toEqual({ kind: 'not_found', id: 'none' })
      expect(await inboxOf(storage, 'none')).toEqual([])
    })

    test('H13: a finished execution refuses, and keeps its inbox', async ({ storage }) => {
      await createWorkflow(storage, 'a')
      await append(storage, ['a', 1], [joinSetEvent(), finishedEvent()])
      const answer = storage.send(sending({ messageId: 'm' }))
      expect(await refused(answer)).toEqual({ kind: 'already_finished', version: 2 })
      expect(await inboxOf(storage, 'a')).toEqual([])
    })

    test('H14: one that is being cancelled refuses as well', async ({ storage }) => {
      await createWorkflow(storage, 'a')
      await accepted(storage.cancel({ executionId: executionId('a'), createdAt: 20 }))
      const illegal = { kind: 'illegal_state', reason: 'cancelling' }
      expect(await refused(storage.send(sending()))).toEqual(illegal)
      expect(await inboxOf(storage, 'a')).toEqual([])
    })

    test('H15: whoever repeats what went through before learns that it did', async ({
      storage,
    }) => {
      await createWorkflow(storage, 'a')
      await accepted(storage.send(sending({ messageId: 'm' })))
      await accepted(storage.cancel({ executionId: executionId('a'), createdAt: 20 }))
      expect(await accepted(storage.send(sending({ messageId: 'm' })))).toBe('duplicate')
      await accepted(storage.closeCancelled({ executionId: executionId('a'), createdAt: 30 }))
      expect(await accepted(storage.send(sending({ messageId: 'm' })))).toBe('duplicate')
      expect(await inboxOf(storage, 'a')).toHaveLength(1)
    })
  })
}
