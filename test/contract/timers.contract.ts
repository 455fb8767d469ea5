/** Rules of the timers watcher's queries: what has expired, what is due, when to look again. */

import { describe, expect } from 'vitest'
import type { Storage } from '../../src/storage/storage.ts'
import { corruptState, repairState } from '../support/storage/corrupt.ts'
import {
  delayEvent,
  failedEvent,
  finishedEvent,
  joinSetEvent,
  lockedEvent,
  openedSet,
} from '../support/storage/events.ts'
import { childOf, delayOf, executionId } from '../support/storage/ids.ts'
import { createRequest, lockRequest, lockTarget } from '../support/storage/requests.ts'
import { accepted } from '../support/storage/results.ts'
import {
  append,
  createActivity,
  createLocked,
  createWorkflow,
  lockAt,
  stateOf,
} from '../support/storage/steps.ts'
import type { ContractTest } from './contract-test.ts'

const expiredAt = (locksExpiredBy: number) => ({ locksExpiredBy, delaysDueBy: 0, limit: 100 })
const dueAt = (delaysDueBy: number) => ({ locksExpiredBy: 0, delaysDueBy, limit: 100 })

/** Declares the rules for one adapter. */
export function describeTimers(test: ContractTest): void {
  describe('timers: expired locks', () => {
    test('T1: a lock is found at its expiry, not before', async ({ storage }) => {
      const locked = await createLocked(storage, 'a')
      expect((await storage.findExpired(expiredAt(1004))).locks).toEqual([])
      expect((await storage.findExpired(expiredAt(1005))).locks).toEqual([locked])
      expect(locked).toMatchObject({ failures: 0, lastLockVersion: 1, version: 1 })
    })

    test('T2: it says whether the run made progress', async ({ storage }) => {
      await createLocked(storage, 'a')
      await append(storage, ['a', 2], [joinSetEvent()])
      const { locks } = await storage.findExpired(expiredAt(2000))
      expect(locks).toMatchObject([{ lastLockVersion: 1, version: 2 }])
    })

    test('T3: an extended lock expires later', async ({ storage }) => {
      await createLocked(storage, 'a')
      await append(storage, ['a', 2], [lockedEvent({ lockExpiresAt: 3000 })])
      expect((await storage.findExpired(expiredAt(2999))).locks).toEqual([])
      expect((await storage.findExpired(expiredAt(3000))).locks).toHaveLength(1)
    })

    test('T4: the longest expired come first, up to the limit', async ({ storage }) => {
      for (const [id, lockExpiry] of [
        ['c', 30],
        ['a', 10],
        ['b2', 20],
        ['b1', 20],
      ] as const) {
        await createWorkflow(storage, id)
        await lockAt(storage, 5, { targets: [lockTarget({ lockExpiry })] })
      }
      const { locks } = await storage.findExpired({ ...expiredAt(100), limit: 3 })
      expect(locks.map(({ executionId: id }) => id)).toEqual(['a', 'b1', 'b2'])
    })

    test('T5: what was given back has no lock to expire', async ({ storage }) => {
      await createLocked(storage, 'a')
      await append(storage, ['a', 2], [failedEvent(50)])
      expect((await storage.findExpired(expiredAt(9000))).locks).toEqual([])
    })

    test('T6: a cancelling one is carried down, not timed out', async ({ storage }) => {
      await createLocked(storage, 'a')
      await accepted(storage.cancel({ executionId: executionId('a'), createdAt: 20 }))
      const expired = await storage.findExpired(expiredAt(9000))
      expect(expired.locks).toEqual([])
      expect(expired.cancelling).toEqual([await stateOf(storage, 'a')])
    })

    test('T7: cancelling ones come by id, up to the limit', async ({ storage }) => {
      for (const id of ['c', 'a', 'b']) {
        await createWorkflow(storage, id)
        await accepted(storage.cancel({ executionId: executionId(id), createdAt: 20 }))
      }
      const { cancelling } = await storage.findExpired({ ...expiredAt(0), limit: 2 })
      expect(cancelling.map(({ executionId: id }) => id)).toEqual(['a', 'b'])
    })

    test('T8: a very long backoff poisons no query', async ({ storage }) => {
      const backoff = 3_153_600_000_000
      await createWorkflow(storage, 'a')
      const retry = { maxRetries: null, backoff }
      await lockAt(storage, 5, { targets: [lockTarget({ retry })] })
      const { locks } = await storage.findExpired(expiredAt(9000))
      expect(locks).toMatchObject([{ retry: { backoff } }])
    })
  })

  describe('timers: due delays', () => {
    test('T9: a delay is due at its instant, not before', async ({ storage }) => {
      await createLocked(storage, 'a')
      await append(storage, ['a', 2], [delayEvent('a', 50)])
      expect((await storage.findExpired(dueAt(49))).delays).toEqual([])
      expect((await storage.findExpired(dueAt(50))).delays).toEqual([{ delayId: delayOf('a') }])
    })

    test('T10: the earliest come first, up to the limit', async ({ storage }) => {
      await createLocked(storage, 'a')
      const dues = [30, 10, 20, 10]
      const delays = dues.map((due, index) => delayEvent('a', due, { index: index + 1 }))
      await append(storage, ['a', 2], delays)
      const { delays: found } = await storage.findExpired({ ...dueAt(100), limit: 3 })
      const ids = [2, 4, 3].map((index) => ({ delayId: delayOf('a', 'n:timers', index) }))
      expect(found).toEqual(ids)
    })

    test('T11: an ended delay is no longer due', async ({ storage }) => {
      await createLocked(storage, 'a')
      await append(storage, ['a', 2], [delayEvent('a', 50)])
      await accepted(storage.endDelay({ delayId: delayOf('a'), createdAt: 50, result: 'ok' }))
      expect((await storage.findExpired(dueAt(100))).delays).toEqual([])
    })
  })

  describe('timers: when to look again', () => {
    test('T12: at the earliest expiry, and at the earliest delay', async ({ storage }) => {
      const never = { lockExpiresAt: undefined, delayDueAt: undefined }
      expect(await storage.findNextTimers()).toEqual(never)
      await createLocked(storage, 'a')
      await append(storage, ['a', 2], [delayEvent('a', 70), delayEvent('a', 60, { index: 2 })])
      await createWorkflow(storage, 'b')
      await lockAt(storage, 5, { targets: [lockTarget({ lockExpiry: 90 })] })
      expect(await storage.findNextTimers()).toEqual({ lockExpiresAt: 95, delayDueAt: 60 })
    })

    test('T13: a delay that is held back is not waited for', async ({ storage }) => {
      await createLocked(storage, 'a')
      await append(storage, ['a', 2], [delayEvent('a', 50, { paused: true })])
      expect(await storage.findNextTimers()).toMatchObject({ delayDueAt: undefined })
    })
  })

  describe('timers: cancelling ones that can only wait', () => {
    async function cancelling(storage: Storage, limit = 10): Promise<readonly string[]> {
      const expired = await storage.findExpired({ ...expiredAt(0), limit })
      return expired.cancelling.map(({ executionId: id }) => id)
    }

    /** Cancelled workflows with a child each in a set that says what becomes of it. */
    async function cancelParents(storage: Storage, onClose: 'await' | 'abandon', ids: string[]) {
      for (const id of ids) {
        await createWorkflow(storage, id)
        await append(storage, [id, 1], [openedSet('n:set', onClose)])
        await createActivity(storage, childOf(id, 'n:set'))
        await accepted(storage.cancel({ executionId: executionId(id), createdAt: 20 }))
      }
    }

    test('T15: they do not come up, and crowd nobody out', async ({ storage }) => {
      await cancelParents(storage, 'await', ['a', 'b', 'c'])
      await createWorkflow(storage, 'd')
      await accepted(storage.cancel({ executionId: executionId('d'), createdAt: 20 }))
      expect(await cancelling(storage, 2)).toEqual(['d'])
    })

    test('T16: the end of the last child brings one up, and tells the watcher', async ({
      storage,
    }) => {
      await cancelParents(storage, 'await', ['a'])
      await createWorkflow(storage, childOf('a'))
      await accepted(storage.cancel({ executionId: childOf('a'), createdAt: 20 }))
      await accepted(storage.closeCancelled({ executionId: childOf('a'), createdAt: 30 }))
      expect(await cancelling(storage)).toEqual([])
      let told = 0
      storage.notifications.onTimer(() => {
        told += 1
      })
      await append(storage, [childOf('a', 'n:set'), 1], [finishedEvent()])
      expect(told).toBe(1)
      expect(await cancelling(storage)).toEqual(['a'])
    })

    test('T17: one with abandoned children alone comes up, to finish', async ({ storage }) => {
      await cancelParents(storage, 'abandon', ['a'])
      expect(await cancelling(storage)).toEqual(['a'])
    })

    test('T18: one with awaited children comes up while a child or a delay is to be cancelled', async ({
      storage,
    }) => {
      await cancelParents(storage, 'await', ['a', 'b'])
      await createActivity(storage, childOf('a'))
      expect(await cancelling(storage)).toEqual(['a'])
      await accepted(storage.closeCancelled({ executionId: executionId('a'), createdAt: 30 }))
      expect(await cancelling(storage)).toEqual([])
      await createWorkflow(storage, 'd')
      await append(storage, ['d', 1], [openedSet('n:set', 'await'), delayEvent('d', 900)])
      await createActivity(storage, childOf('d', 'n:set'))
      await accepted(storage.cancel({ executionId: executionId('d'), createdAt: 20 }))
      expect(await cancelling(storage)).toEqual(['d'])
      await accepted(storage.closeCancelled({ executionId: executionId('d'), createdAt: 30 }))
      expect(await cancelling(storage)).toEqual([])
    })

    test('T19: those whose children are being carried down come up when these have ended', async ({
      storage,
    }) => {
      await createWorkflow(storage, 'a')
      await createWorkflow(storage, childOf('a'))
      await accepted(storage.cancel({ executionId: executionId('a'), createdAt: 20 }))
      await accepted(storage.closeCancelled({ executionId: executionId('a'), createdAt: 30 }))
      expect(await cancelling(storage)).toEqual([childOf('a')])
      await accepted(storage.closeCancelled({ executionId: childOf('a'), createdAt: 30 }))
      expect(await cancelling(storage)).toEqual(['a'])
    })
  })

  describe('timers: poison', () => {
    test('T14: a row that cannot be read is named, and blocks nobody', async ({
      storage,
      opened,
    }) => {
      await storage.createMany(['a', 'bad', 'c'].map((id) => createRequest(id)))
      await storage.lockDue(() => lockRequest(5))
      await corruptState(opened, 'bad')
      const expired = await storage.findExpired(expiredAt(2000))
      expect(expired.locks.map(({ executionId: id }) => id)).toEqual(['a', 'c'])
      expect(expired.poison).toMatchObject([{ executionId: 'bad' }])
      await repairState(opened, 'bad')
    })
  })
}
