/** Rules of the inbox: what arrives once, in which order, and what never arrives. */

import { describe, expect } from 'vitest'
import { childEvent, delayEvent, finishedEvent, joinSetEvent } from '../support/storage/events.ts'
import { childOf, delayOf, executionId } from '../support/storage/ids.ts'
import {
  childResponse,
  delayResponse,
  message,
  responseCommand,
} from '../support/storage/requests.ts'
import { accepted, refused } from '../support/storage/results.ts'
import {
  append,
  createActivity,
  createLocked,
  createWorkflow,
  inboxOf,
  stateOf,
} from '../support/storage/steps.ts'
import type { ContractTest } from './contract-test.ts'

/** Declares the rules for one adapter. */
export function describeResponding(test: ContractTest): void {
  describe('responding: the inbox', () => {
    test('R1: responses keep their order, their place in the set and in the log', async ({
      storage,
    }) => {
      await createLocked(storage, 'a')
      await accepted(storage.respond(responseCommand('a', childResponse('a', 'n:a', 1), 30)))
      await accepted(storage.respond(responseCommand('a', childResponse('a', 'n:b', 1), 20)))
      await append(storage, ['a', 2], [joinSetEvent()])
      await accepted(storage.respond(responseCommand('a', childResponse('a', 'n:a', 2), 10)))
      const inbox = await inboxOf(storage, 'a')
      expect(inbox.map(({ ordinal }) => ordinal)).toEqual([1, 1, 2])
      expect(inbox.map(({ createdAt }) => createdAt)).toEqual([30, 20, 10])
      expect(inbox.map(({ afterVersion }) => afterVersion)).toEqual([1, 1, 2])
    })

    test('R2: a response never changes the version', async ({ storage }) => {
      const before = await createLocked(storage, 'a')
      await accepted(storage.respond(responseCommand('a', childResponse('a'))))
      expect(await storage.findState(executionId('a'))).toEqual(before)
      expect((await append(storage, ['a', 2], [joinSetEvent()])).version).toBe(2)
    })

    test('R3: nobody is there', async ({ storage }) => {
      const answer = storage.respond(responseCommand('none', childResponse('none')))
      expect(await refused(answer)).toEqual({ kind: 'not_found', id: 'none' })
      expect(await inboxOf(storage, 'none')).toEqual([])
    })

    test('R4: a finished execution still receives', async ({ storage }) => {
      await createWorkflow(storage, 'a')
      const end = await append(storage, ['a', 1], [finishedEvent()])
      await accepted(storage.respond(responseCommand('a', message('late'))))
      expect(await inboxOf(storage, 'a')).toHaveLength(1)
      expect(await storage.findState(executionId('a'))).toEqual(end)
    })

    test('R5: a child answers once', async ({ storage }) => {
      await createLocked(storage, 'a')
      await accepted(storage.respond(responseCommand('a', childResponse('a'))))
      const again = storage.respond(responseCommand('a', childResponse('a'), 99))
      const refusal = { kind: 'taken', what: 'child_response', id: childOf('a') }
      expect(await refused(again)).toEqual(refusal)
      expect(await inboxOf(storage, 'a')).toHaveLength(1)
    })

    test('R6: a refused response takes no place in its set', async ({ storage }) => {
      await createLocked(storage, 'a')
      await accepted(storage.respond(responseCommand('a', childResponse('a'))))
      await refused(storage.respond(responseCommand('a', childResponse('a'))))
      await accepted(storage.respond(responseCommand('a', childResponse('a', 'n:boxes', 2))))
      expect((await inboxOf(storage, 'a')).map(({ ordinal }) => ordinal)).toEqual([1, 2])
    })

    test('R7: a delay answers once', async ({ storage }) => {
      await createLocked(storage, 'a')
      await accepted(storage.respond(responseCommand('a', delayResponse('a'))))
      const again = storage.respond(responseCommand('a', delayResponse('a')))
      expect(await refused(again)).toEqual({ kind: 'taken', what: 'delay', id: delayOf('a') })
    })

    test('R8: of simultaneous equal responses, exactly one is kept', async ({ storage }) => {
      await createLocked(storage, 'a')
      const command = responseCommand('a', childResponse('a'))
      const answers = await Promise.all([1, 2, 3].map(() => storage.respond(command)))
      expect(answers.filter(({ ok }) => ok)).toHaveLength(1)
      expect(await inboxOf(storage, 'a')).toHaveLength(1)
    })

    test('R9: the outcome of a child is read from its log', async ({ storage }) => {
      await createLocked(storage, 'a')
      const outcomes = [
        { type: 'ok', value: { z: 1, a: 2 } },
        { type: 'err', value: 'no' },
        { type: 'execution_failure', kind: 'timed_out', reason: 'too slow' },
        { type: 'ok' },
      ] as const
      for (const [index, outcome] of outcomes.entries()) {
        const child = childOf('a', 'n:boxes', index + 1)
        await createActivity(storage, child)
        await append(storage, [child, 1], [finishedEvent(outcome)])
      }
      const inbox = await inboxOf(storage, 'a')
      expect(JSON.stringify(inbox.map(({ outcome }) => outcome))).toBe(JSON.stringify(outcomes))
    })

    test('R10: delays and messages have no outcome', async ({ storage }) => {
      await createLocked(storage, 'a')
      await accepted(storage.respond(responseCommand('a', delayResponse('a'))))
      await accepted(storage.respond(responseCommand('a', message('go'))))
      for (const entry of await inboxOf(storage, 'a')) expect(entry).not.toHaveProperty('outcome')
    })
  })

  describe('responding: messages', () => {
    test('R11: a message id arrives once in a channel', async ({ storage }) => {
      await createWorkflow(storage, 'a')
      const send = (payload: number) =>
        storage.respond(responseCommand('a', message('go', { messageId: 'm1', payload })))
      await accepted(send(1))
      expect(await refused(send(2))).toEqual({ kind: 'taken', what: 'message', id: 'm1' })
      expect(await inboxOf(storage, 'a')).toMatchObject([{ response: { payload: 1 } }])
    })

    test('R12: the same id in another channel, or for another execution, is another message', async ({
      storage,
    }) => {
      await createWorkflow(storage, 'a')
      await createWorkflow(storage, 'b')
      const of = (channel: string) => message(channel, { messageId: 'm1' })
      await accepted(storage.respond(responseCommand('a', of('go'))))
      await accepted(storage.respond(responseCommand('a', of('stop'))))
      await accepted(storage.respond(responseCommand('b', of('go'))))
      expect(await inboxOf(storage, 'a')).toHaveLength(2)
      expect(await inboxOf(storage, 'b')).toHaveLength(1)
    })

    test('R13: without an id every message arrives', async ({ storage }) => {
      await createWorkflow(storage, 'a')
      for (const payload of [1, 1, 2]) {
        await accepted(storage.respond(responseCommand('a', message('go', { payload }))))
      }
      expect((await inboxOf(storage, 'a')).map(({ ordinal }) => ordinal)).toEqual([1, 2, 3])
    })

    test('R14: a payload reads as it was written; null is not absent', async ({ storage }) => {
      await createWorkflow(storage, 'a')
      const responses = [
        message('go', { payload: { z: [1, { b: 1, a: 2 }], a: '' } }),
        message('go', { payload: null }),
        message('go', { messageId: 'm', payload: false }),
        message('go'),
      ]
      for (const response of responses) {
        await accepted(storage.respond(responseCommand('a', response)))
      }
      const inbox = await inboxOf(storage, 'a')
      expect(JSON.stringify(inbox.map(({ response }) => response))).toBe(
        JSON.stringify(
          responses.map(({ type, joinSetId, ...rest }) => ({ type, joinSetId, ...rest })),
        ),
      )
    })
  })

  describe('responding: delays', () => {
    test('R15: a delay fires once; whoever comes later learns so', async ({ storage }) => {
      await createLocked(storage, 'a')
      await append(storage, ['a', 2], [delayEvent('a', 50)])
      const delayId = delayOf('a')
      const fire = { delayId, createdAt: 50, result: 'ok' } as const
      const cancel = { delayId, createdAt: 60, result: 'cancelled' } as const
      expect(await accepted(storage.endDelay(fire))).toBe('done')
      expect(await accepted(storage.endDelay(fire))).toBe('already_finished')
      expect(await accepted(storage.endDelay(cancel))).toBe('already_finished')
      expect(await inboxOf(storage, 'a')).toMatchObject([
        { createdAt: 50, response: { type: 'delay_finished', delayId, result: 'ok' } },
      ])
    })

    test('R16: a delay is cancelled once; cancelling again is harmless', async ({ storage }) => {
      await createLocked(storage, 'a')
      await append(storage, ['a', 2], [delayEvent('a', 50)])
      const delayId = delayOf('a')
      const cancel = { delayId, createdAt: 20, result: 'cancelled' } as const
      expect(await accepted(storage.endDelay(cancel))).toBe('done')
      expect(await accepted(storage.endDelay(cancel))).toBe('already_cancelled')
      const fire = { delayId, createdAt: 50, result: 'ok' } as const
      expect(await accepted(storage.endDelay(fire))).toBe('already_cancelled')
      expect(await inboxOf(storage, 'a')).toMatchObject([{ response: { result: 'cancelled' } }])
    })

    test('R17: a delay that has ended is not waited for', async ({ storage }) => {
      await createLocked(storage, 'a')
      await append(storage, ['a', 2], [delayEvent('a', 50), delayEvent('a', 60, { index: 2 })])
      const first = { delayId: delayOf('a'), createdAt: 50, result: 'ok' } as const
      await accepted(storage.endDelay(first))
      const { delays } = await storage.findWaits(executionId('a'))
      expect(delays).toEqual([{ delayId: delayOf('a', 'n:timers', 2), dueAt: 60, paused: false }])
      expect(await storage.findNextTimers()).toMatchObject({ delayDueAt: 60 })
    })

    test('R18: a delay that nobody asked for is unknown', async ({ storage }) => {
      await createLocked(storage, 'a')
      const end = { delayId: delayOf('a'), createdAt: 50, result: 'ok' } as const
      expect(await refused(storage.endDelay(end))).toEqual({ kind: 'not_found', id: delayOf('a') })
    })

    test('R19: firing and cancelling at the same moment: one wins, both learn it', async ({
      storage,
    }) => {
      await createLocked(storage, 'a')
      await append(storage, ['a', 2], [delayEvent('a', 50)])
      const ends = await Promise.all(
        (['ok', 'cancelled'] as const).map((result) =>
          accepted(storage.endDelay({ delayId: delayOf('a'), createdAt: 50, result })),
        ),
      )
      const [entry] = await inboxOf(storage, 'a')
      const isFired = entry?.response.type === 'delay_finished' && entry.response.result === 'ok'
      expect(ends).toEqual(isFired ? ['done', 'already_finished'] : ['already_cancelled', 'done'])
    })

    test('R20: a delay that has ended cannot be asked for again', async ({ storage }) => {
      await createLocked(storage, 'a')
      await append(storage, ['a', 2], [delayEvent('a', 50)])
      const end = { delayId: delayOf('a'), createdAt: 50, result: 'ok' } as const
      await accepted(storage.endDelay(end))
      const again = await storage.append({
        executionId: executionId('a'),
        version: 3,
        events: [{ event: delayEvent('a', 70), createdAt: 60 }],
      })
      expect(again).toEqual({
        ok: false,
        error: { kind: 'taken', what: 'delay', id: delayOf('a') },
      })
      expect(await storage.findNextTimers()).toMatchObject({ delayDueAt: undefined })
    })

    test('R21: a finished execution keeps its delays until they end', async ({ storage }) => {
      await createLocked(storage, 'a')
      await append(storage, ['a', 2], [delayEvent('a', 50), childEvent('a'), finishedEvent()])
      const cancel = { delayId: delayOf('a'), createdAt: 20, result: 'cancelled' } as const
      expect(await accepted(storage.endDelay(cancel))).toBe('done')
      expect(await storage.findState(executionId('a'))).toMatchObject({ status: 'finished' })
    })

    test('R22: the wake-up by a delay comes with its response', async ({ storage }) => {
      await createLocked(storage, 'a')
      const ask = { ...delayEvent('a', 50) }
      await append(
        storage,
        ['a', 2],
        [
          ask,
          {
            type: 'join_next',
            seq: 3,
            joinSetId: ask.joinSetId,
            closing: false,
            seenCursor: 0,
            runExpiresAt: 10,
          },
        ],
      )
      await accepted(storage.endDelay({ delayId: delayOf('a'), createdAt: 52, result: 'ok' }))
      expect(await stateOf(storage, 'a')).toMatchObject({ status: 'pending_at', scheduledAt: 52 })
    })
  })
}
