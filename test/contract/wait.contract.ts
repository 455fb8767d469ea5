/** Rules of asking and waiting: which response wakes whom, and when. */

import { describe, expect } from 'vitest'
import type { Storage } from '../../src/storage/storage.ts'
import {
  askEvent,
  blockingAskEvent,
  childEvent,
  joinSetEvent,
  pausedEvent,
  tryEvent,
  unlockedEvent,
  waitEvent,
  withdrawEvent,
} from '../support/storage/events.ts'
import { childOf, executionId, executorId, runId } from '../support/storage/ids.ts'
import {
  activityRequest,
  appendRequest,
  childResponse,
  delayResponse,
  message,
  responseCommand,
} from '../support/storage/requests.ts'
import { accepted, refused } from '../support/storage/results.ts'
import {
  append,
  createLocked,
  createWorkflow,
  inboxOf,
  lockAt,
  stateOf,
} from '../support/storage/steps.ts'
import type { ContractTest } from './contract-test.ts'

/** A response of a set, at an instant. */
function answer(storage: Storage, set: string, { index = 1, at = 30 } = {}): Promise<undefined> {
  return accepted(storage.respond(responseCommand('a', childResponse('a', set, index), at)))
}

/** Declares the rules for one adapter. */
export function describeWaiting(test: ContractTest): void {
  describe('waiting: a run blocks', () => {
    test('W1: an ask by itself changes nothing but the version', async ({ storage }) => {
      const before = await createLocked(storage, 'a')
      const state = await append(storage, ['a', 2], [joinSetEvent(), askEvent()])
      expect(state).toEqual({ ...before, version: 3 })
    })

    test('W2: an unanswered ask blocks until the run expires; the owner is kept', async ({
      storage,
    }) => {
      const { lastOwner } = await createLocked(storage, 'a')
      const ask = blockingAskEvent('n:boxes', { runExpiresAt: 80 })
      const state = await append(storage, ['a', 2], [ask])
      expect(state).toMatchObject({ status: 'blocked', seenCursor: 0, runExpiresAt: 80, lastOwner })
      expect(await storage.findState(executionId('a'))).toEqual(state)
    })

    test('W3: a blocked execution is neither locked by polls nor by hand', async ({ storage }) => {
      await createLocked(storage, 'a')
      await append(storage, ['a', 2], [blockingAskEvent()])
      expect(await lockAt(storage, 5000)).toEqual([])
    })

    test('W4: everything a run does before it blocks is one append', async ({ storage }) => {
      await createLocked(storage, 'a')
      const batch = [joinSetEvent(), childEvent('a'), blockingAskEvent()]
      const creations = [activityRequest(childOf('a'))]
      const state = await append(storage, ['a', 2, { creations }], batch)
      expect(state).toMatchObject({ status: 'blocked', version: 4 })
      const { asks } = await storage.findWaits(executionId('a'))
      expect(asks).toEqual([{ joinSetId: 'n:boxes', asks: 1, responses: 0 }])
    })

    test('W5: unlocking shortens the stay of a blocked run, never lengthens it', async ({
      storage,
    }) => {
      await createLocked(storage, 'a')
      await append(storage, ['a', 2], [blockingAskEvent('n:boxes', { runExpiresAt: 80 })])
      const later = storage.append(appendRequest(['a', 3], [unlockedEvent(80)]))
      expect(await refused(later)).toEqual({ kind: 'unlock_refused', state: 'blocked' })
      const state = await append(storage, ['a', 3], [unlockedEvent(20)])
      expect(state).toMatchObject({ status: 'blocked', runExpiresAt: 20 })
    })
  })

  describe('waiting: a response wakes', () => {
    test('W6: after the run has expired, when the response comes', async ({ storage }) => {
      const { lastOwner } = await createLocked(storage, 'a')
      await append(storage, ['a', 2], [blockingAskEvent('n:boxes', { runExpiresAt: 10 })])
      await answer(storage, 'n:boxes', { at: 30 })
      const state = await stateOf(storage, 'a')
      expect(state).toMatchObject({ status: 'pending_at', scheduledAt: 30, version: 2, lastOwner })
    })

    test('W7: while the run lasts, when it expires: others keep off until then', async ({
      storage,
    }) => {
      await createLocked(storage, 'a')
      await append(storage, ['a', 2], [blockingAskEvent('n:boxes', { runExpiresAt: 1000 })])
      await answer(storage, 'n:boxes', { at: 30 })
      expect(await stateOf(storage, 'a')).toMatchObject({ scheduledAt: 1000 })
      const other = { executorId: executorId(2), runId: runId(2) }
      expect(await lockAt(storage, 999, other)).toEqual([])
      expect(await lockAt(storage, 1000, other)).toEqual(['a'])
    })

    test('W8: an answer that was there before the ask makes it pending at once', async ({
      storage,
    }) => {
      await createLocked(storage, 'a')
      await answer(storage, 'n:boxes', { at: 30 })
      const cold = await append(storage, ['a', 2], [blockingAskEvent('n:boxes')])
      expect(cold).toMatchObject({ status: 'pending_at', scheduledAt: 30 })
    })

    test('W9: the same for a run that lasts longer than the answer is old', async ({ storage }) => {
      await createLocked(storage, 'a')
      await answer(storage, 'n:boxes', { at: 30 })
      const hot = await append(
        storage,
        ['a', 2],
        [blockingAskEvent('n:boxes', { runExpiresAt: 1000 })],
      )
      expect(hot).toMatchObject({ status: 'pending_at', scheduledAt: 1000 })
    })

    test('W10: a response that nobody asked for wakes nobody', async ({ storage }) => {
      await createLocked(storage, 'a')
      const blocked = await append(storage, ['a', 2], [blockingAskEvent('n:boxes')])
      await answer(storage, 'n:other')
      expect(await storage.findState(executionId('a'))).toEqual(blocked)
    })

    test('W11: of many sets asked, any answer wakes', async ({ storage }) => {
      await createLocked(storage, 'a')
      await append(storage, ['a', 2], [askEvent('n:a'), askEvent('n:b'), waitEvent()])
      await answer(storage, 'n:b', { at: 44 })
      expect(await stateOf(storage, 'a')).toMatchObject({ status: 'pending_at', scheduledAt: 44 })
    })

    test('W12: any kind of response answers: child, delay and message', async ({ storage }) => {
      const responses = {
        child: ['n:boxes', childResponse('child')],
        delay: ['n:timers', delayResponse('delay')],
        message: ['m:approve', message('approve', { payload: 1 })],
      } as const
      for (const [id, [set, response]] of Object.entries(responses)) {
        await createLocked(storage, id)
        await append(storage, [id, 2], [blockingAskEvent(set)])
        await accepted(storage.respond(responseCommand(id, response, 30)))
        expect(await stateOf(storage, id)).toMatchObject({ status: 'pending_at' })
        await append(storage, [id, 3], [pausedEvent])
      }
    })

    test('W24: of several answers that were there before, the first decides when', async ({
      storage,
    }) => {
      await createLocked(storage, 'a')
      await answer(storage, 'n:a', { at: 30 })
      await answer(storage, 'n:b', { at: 60 })
      const state = await append(storage, ['a', 2], [askEvent('n:b'), blockingAskEvent('n:a')])
      expect(state).toMatchObject({ status: 'pending_at', scheduledAt: 30 })
    })

    test('W13: the first answer decides when, not a later one', async ({ storage }) => {
      await createLocked(storage, 'a')
      await append(storage, ['a', 2], [askEvent('n:a'), askEvent('n:a'), waitEvent()])
      await answer(storage, 'n:a', { at: 30 })
      await answer(storage, 'n:a', { index: 2, at: 60 })
      expect(await stateOf(storage, 'a')).toMatchObject({ scheduledAt: 30 })
    })
  })

  describe('waiting: the k-th ask is answered by the k-th response', () => {
    test('W14: a response beyond the asks of its set waits for the next ask', async ({
      storage,
    }) => {
      await createLocked(storage, 'a')
      await answer(storage, 'n:a', { index: 1 })
      await answer(storage, 'n:a', { index: 2, at: 50 })
      const [first, second] = await inboxOf(storage, 'a')
      const seen = { seenCursor: first?.cursor ?? 0 }
      const blocked = await append(storage, ['a', 2], [askEvent('n:a'), waitEvent(seen)])
      expect(blocked.status).toBe('blocked')
      const woken = await append(storage, ['a', 4], [blockingAskEvent('n:a', seen)])
      expect(woken).toMatchObject({ status: 'pending_at', scheduledAt: 50 })
      expect(second?.ordinal).toBe(2)
    })

    test('W15: what the run has seen does not wake it again', async ({ storage }) => {
      await createLocked(storage, 'a')
      await append(storage, ['a', 2], [askEvent('n:a'), askEvent('n:b')])
      await answer(storage, 'n:a')
      const [first] = await inboxOf(storage, 'a')
      const seenCursor = first?.cursor ?? 0
      const before = await append(storage, ['a', 4], [waitEvent({ seenCursor: seenCursor - 1 })])
      expect(before.status).toBe('pending_at')
      const after = await append(storage, ['a', 5], [waitEvent({ seenCursor })])
      expect(after).toMatchObject({ status: 'blocked', seenCursor })
      await answer(storage, 'n:b')
      expect((await stateOf(storage, 'a')).status).toBe('pending_at')
    })

    test('W16: a wait blocks without a new ask', async ({ storage }) => {
      await createLocked(storage, 'a')
      expect((await append(storage, ['a', 2], [waitEvent()])).status).toBe('blocked')
      await answer(storage, 'n:a')
      expect((await stateOf(storage, 'a')).status).toBe('blocked')
    })

    test('W17: a look that found something counts as an ask', async ({ storage }) => {
      await createLocked(storage, 'a')
      await answer(storage, 'n:a', { index: 1, at: 30 })
      await append(storage, ['a', 2], [tryEvent('found', 'n:a')])
      const [first] = await inboxOf(storage, 'a')
      const seen = { seenCursor: first?.cursor ?? 0 }
      const blocked = await append(storage, ['a', 3], [blockingAskEvent('n:a', seen)])
      expect(blocked.status).toBe('blocked')
      await answer(storage, 'n:a', { index: 2, at: 50 })
      expect(await stateOf(storage, 'a')).toMatchObject({ status: 'pending_at', scheduledAt: 50 })
    })

    test('W18: a look that found nothing, and one ask too many, count for nothing', async ({
      storage,
    }) => {
      await createLocked(storage, 'a')
      const tooMany = {
        type: 'join_next_too_many',
        seq: 5,
        joinSetId: tryEvent('pending').joinSetId,
      }
      const looks = [tryEvent('pending'), tryEvent('all_processed'), tooMany as never]
      await append(storage, ['a', 2], [...looks, waitEvent()])
      await answer(storage, 'n:boxes')
      expect((await stateOf(storage, 'a')).status).toBe('blocked')
      expect((await storage.findWaits(executionId('a'))).asks).toEqual([])
    })

    test('W19: a withdrawn ask swallows no response; the next ask gets it', async ({ storage }) => {
      await createLocked(storage, 'a')
      await append(storage, ['a', 2], [askEvent('n:a'), withdrawEvent('n:a'), waitEvent()])
      await answer(storage, 'n:a', { at: 30 })
      expect((await stateOf(storage, 'a')).status).toBe('blocked')
      const state = await append(storage, ['a', 5], [blockingAskEvent('n:a')])
      expect(state).toMatchObject({ status: 'pending_at', scheduledAt: 30 })
    })
  })

  describe('waiting: with a pause', () => {
    test('W20: paused and unpaused, it waits as before', async ({ storage }) => {
      await createLocked(storage, 'a')
      const blocked = await append(storage, ['a', 2], [blockingAskEvent()])
      const command = { executionId: executionId('a'), createdAt: 20 }
      const paused = await accepted(storage.pause(command))
      expect(paused).toEqual({ ...blocked, version: 3, paused: true })
      expect(await accepted(storage.unpause(command))).toEqual({ ...blocked, version: 4 })
    })

    test('W21: a response wakes a paused one, which stays paused', async ({ storage }) => {
      await createLocked(storage, 'a')
      await append(storage, ['a', 2], [blockingAskEvent()])
      const command = { executionId: executionId('a'), createdAt: 20 }
      await accepted(storage.pause(command))
      await answer(storage, 'n:boxes', { at: 30 })
      const woken = await stateOf(storage, 'a')
      expect(woken).toMatchObject({ status: 'pending_at', scheduledAt: 30, paused: true })
      expect(await lockAt(storage, 100)).toEqual([])
      await accepted(storage.unpause(command))
      expect(await lockAt(storage, 100)).toEqual(['a'])
    })

    test('W22: a run may block although it was paused meanwhile', async ({ storage }) => {
      await createWorkflow(storage, 'a', { paused: true })
      const state = await append(storage, ['a', 2], [blockingAskEvent()])
      expect(state).toMatchObject({ status: 'blocked', paused: true })
    })
  })

  describe('waiting: no wake-up is lost', () => {
    for (const order of ['ask first', 'answer first'] as const) {
      test(`W23: an ask and its answer at the same moment, ${order}`, async ({ storage }) => {
        const ids = Array.from({ length: 20 }, (_, index) => `e${index}`)
        for (const id of ids) await createLocked(storage, id)
        await Promise.all(
          ids.map(async (id) => {
            const ask = (): unknown =>
              storage.append(appendRequest([id, 2], [blockingAskEvent('m:go')]))
            const tell = (): unknown => storage.respond(responseCommand(id, message('go')))
            const [first, second] = order === 'ask first' ? [ask, tell] : [tell, ask]
            await Promise.all([first(), second()])
          }),
        )
        for (const id of ids) expect((await stateOf(storage, id)).status).toBe('pending_at')
      })
    }
  })
}
