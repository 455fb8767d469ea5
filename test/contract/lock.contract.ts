/** Rules of locking: what a poll takes, in which order, and what it leaves to others. */

import { describe, expect } from 'vitest'
import {
  corruptDueTime,
  corruptState,
  forwardState,
  repairState,
  rewindState,
} from '../support/storage/corrupt.ts'
import {
  charge,
  checkout,
  failedEvent,
  joinSetEvent,
  lockedEvent,
  retryFive,
  timedOutEvent,
  unlockedEvent,
} from '../support/storage/events.ts'
import { executionId, executorId, runId } from '../support/storage/ids.ts'
import { appendRequest, lockRequest, lockTarget } from '../support/storage/requests.ts'
import { accepted, refused } from '../support/storage/results.ts'
import {
  append,
  createActivity,
  createLocked,
  createWorkflow,
  lockAt,
  stateOf,
} from '../support/storage/steps.ts'
import type { ContractTest } from './contract-test.ts'

const notYet = { kind: 'invalid', reason: 'not_yet_pending' }
const alreadyLocked = { kind: 'illegal_state', reason: 'already_locked' }
const other = { executorId: executorId(2), runId: runId(2) }

/** Declares the rules for one adapter. */
export function describeLocking(test: ContractTest): void {
  describe('locking: a poll', () => {
    test('L1: what is due is locked for a limited time', async ({ storage }) => {
      const before = await createActivity(storage, 'a')
      const { locked, setAside } = await storage.lockDue(() => lockRequest(20))
      expect(setAside).toEqual([])
      const event = lockedEvent({ lockExpiresAt: 1020, retry: retryFive })
      const { scheduledAt: _due, ...base } = before as typeof before & { scheduledAt: number }
      const state = {
        ...base,
        status: 'locked',
        version: 1,
        lockExpiresAt: 1020,
        lastLockVersion: 1,
        lastOwner: { executorId: executorId(), runId: runId() },
        retry: retryFive,
      }
      const created = await storage.findEvent(executionId('a'), 0)
      expect(locked).toEqual([{ state, created: created?.event, locked: event }])
      expect(await storage.findState(executionId('a'))).toEqual(state)
      const logged = await storage.findEvent(executionId('a'), 1)
      expect(logged).toEqual({ version: 1, createdAt: 20, event })
    })

    test('L2: nothing due, nothing locked', async ({ storage }) => {
      expect(await storage.lockDue(() => lockRequest(20))).toMatchObject({
        locked: [],
        setAside: [],
      })
      await createWorkflow(storage, 'a', { scheduledAt: 21 })
      expect(await lockAt(storage, 20)).toEqual([])
      expect(await lockAt(storage, 21)).toEqual(['a'])
    })

    test('L3: no targets, or a limit of none, lock nothing', async ({ storage }) => {
      await createWorkflow(storage, 'a')
      expect(await lockAt(storage, 20, { targets: [] })).toEqual([])
      expect(await lockAt(storage, 20, { limit: 0 })).toEqual([])
      expect(await lockAt(storage, 20, { targets: [lockTarget({ limit: 0 })] })).toEqual([])
    })

    test('L4: the earliest due comes first, ids decide among equals', async ({ storage }) => {
      await createWorkflow(storage, 'late', { scheduledAt: 30 })
      await createWorkflow(storage, 'z', { scheduledAt: 10 })
      await createWorkflow(storage, 'y', { scheduledAt: 10 })
      await createWorkflow(storage, 'first', { scheduledAt: 5 })
      expect(await lockAt(storage, 100)).toEqual(['first', 'y', 'z', 'late'])
    })

    test('L5: functions are merged in order of due time: none starves another', async ({
      storage,
    }) => {
      for (const at of [1, 3, 5]) await createWorkflow(storage, `w${at}`, { scheduledAt: at })
      for (const at of [2, 4, 6]) await createActivity(storage, `a${at}`, { scheduledAt: at })
      expect(await lockAt(storage, 100, { limit: 4 })).toEqual(['w1', 'a2', 'w3', 'a4'])
      expect(await lockAt(storage, 100, { limit: 4 })).toEqual(['w5', 'a6'])
    })

    test('L6: among equals, functions take turns in the order of the poll', async ({ storage }) => {
      await createActivity(storage, 'a')
      await createWorkflow(storage, 'w')
      expect(await lockAt(storage, 100, { limit: 1 })).toEqual(['w'])
    })

    test('L7: the limit of a function holds besides the limit of the poll', async ({ storage }) => {
      for (const id of ['w1', 'w2', 'w3']) await createWorkflow(storage, id)
      await createActivity(storage, 'a1', { scheduledAt: 9 })
      const targets = [lockTarget({ limit: 2 }), lockTarget({ function: charge })]
      expect(await lockAt(storage, 100, { targets })).toEqual(['w1', 'w2', 'a1'])
    })

    test('L8: retry and expiry come from each function', async ({ storage }) => {
      await createWorkflow(storage, 'w')
      await createActivity(storage, 'a')
      const retry = { maxRetries: 9, backoff: 7, maxBackoff: 70, jitter: 0.5 }
      const targets = [
        lockTarget({ lockExpiry: 10 }),
        lockTarget({ function: charge, lockExpiry: 20, retry }),
      ]
      await lockAt(storage, 100, { targets })
      expect(await stateOf(storage, 'w')).toMatchObject({ lockExpiresAt: 110 })
      expect(await stateOf(storage, 'a')).toMatchObject({ lockExpiresAt: 120, retry })
    })

    test('L9: other functions, and other kinds of the same name, are not touched', async ({
      storage,
    }) => {
      await createWorkflow(storage, 'a', { function: { ...checkout, name: 'other' } })
      await createWorkflow(storage, 'b', { function: { ...checkout, kind: 'machine' } })
      expect(await lockAt(storage, 100)).toEqual([])
    })

    test('L10: simultaneous polls never lock the same execution', async ({ storage }) => {
      const ids = Array.from({ length: 30 }, (_, index) => `e${index}`)
      for (const id of ids) await createWorkflow(storage, id)
      const polls = await Promise.all(
        [1, 2, 3, 4].map((index) =>
          lockAt(storage, 100, { limit: 10, executorId: executorId(index), runId: runId(index) }),
        ),
      )
      const locked = polls.flat()
      expect([...new Set(locked)].sort()).toEqual([...ids].sort())
      expect(locked).toHaveLength(30)
    })
  })

  describe('locking: expired is not free', () => {
    test('L11: polls find nothing before, at and after the expiry', async ({ storage }) => {
      await createLocked(storage, 'a')
      for (const at of [1004, 1005, 1006, 90_000]) {
        expect(await lockAt(storage, at, other)).toEqual([])
      }
    })

    test('L12: the same run may extend its lock, even after it expired', async ({ storage }) => {
      await createLocked(storage, 'a')
      const lock = lockedEvent({ lockExpiresAt: 3000 })
      const state = await append(storage, ['a', 2, { at: 2000 }], [lock])
      expect(state).toMatchObject({
        status: 'locked',
        version: 2,
        lastLockVersion: 2,
        lockExpiresAt: 3000,
      })
    })

    test('L13: another executor, or another run, may not', async ({ storage }) => {
      await createLocked(storage, 'a')
      const owners = [{ executorId: executorId(2) }, { runId: runId(2) }, other]
      for (const owner of owners) {
        const lock = lockedEvent({ ...owner, lockExpiresAt: 3000 })
        const answer = storage.append(appendRequest(['a', 2, { at: 2000 }], [lock]))
        expect(await refused(answer)).toEqual(alreadyLocked)
      }
    })

    test('L14: a lock must end after it begins', async ({ storage }) => {
      await createWorkflow(storage, 'a')
      const lock = lockedEvent({ lockExpiresAt: 20 })
      const answer = storage.append(appendRequest(['a', 1, { at: 20 }], [lock]))
      expect(await refused(answer)).toEqual({ kind: 'invalid', reason: 'expiry_not_after_lock' })
    })
  })

  describe('locking: backoff', () => {
    const backoffs = {
      unlocked: unlockedEvent(500),
      temporarily_failed: failedEvent(500),
      temporarily_timed_out: timedOutEvent(500),
    }
    for (const [name, event] of Object.entries(backoffs)) {
      test(`L15: after ${name}, nobody locks before the instant it names`, async ({ storage }) => {
        await createLocked(storage, 'a')
        await append(storage, ['a', 2], [event])
        const early = lockedEvent({ ...other, lockExpiresAt: 9000 })
        const answer = storage.append(appendRequest(['a', 3, { at: 499 }], [early]))
        expect(await refused(answer)).toEqual(notYet)
        expect(await lockAt(storage, 499, other)).toEqual([])
        expect(await lockAt(storage, 500, other)).toEqual(['a'])
      })
    }

    test('L16: the run that held the lock last may take it back early', async ({ storage }) => {
      await createLocked(storage, 'a')
      await append(storage, ['a', 2], [unlockedEvent(500)])
      const lock = lockedEvent({ lockExpiresAt: 9000 })
      const state = await append(storage, ['a', 3, { at: 100 }], [lock])
      expect(state).toMatchObject({ status: 'locked', version: 3 })
    })

    test('L17: polls do not: they take only what is due', async ({ storage }) => {
      await createLocked(storage, 'a')
      await append(storage, ['a', 2], [unlockedEvent(500)])
      expect(await lockAt(storage, 499)).toEqual([])
    })

    test('L18: progress is measured from the last lock, extensions included', async ({
      storage,
    }) => {
      await createLocked(storage, 'a')
      const batch = [joinSetEvent(), lockedEvent({ lockExpiresAt: 2000 }), joinSetEvent('n:b', 2)]
      const state = await append(storage, ['a', 2], batch)
      expect(state).toMatchObject({ status: 'locked', version: 4, lastLockVersion: 3 })
    })
  })

  describe('locking: when to look again', () => {
    test('L24: at the earliest due time of the functions asked for', async ({ storage }) => {
      expect(await storage.findNextDue([lockTarget()])).toBeUndefined()
      await createWorkflow(storage, 'a', { scheduledAt: 70 })
      await createActivity(storage, 'b', { scheduledAt: 30 })
      expect(await storage.findNextDue([lockTarget()])).toBe(70)
      const targets = [lockTarget(), lockTarget({ function: charge })]
      expect(await storage.findNextDue(targets)).toBe(30)
      expect(await storage.findNextDue([])).toBeUndefined()
    })

    test('L25: what is locked, paused or finished is not waited for', async ({ storage }) => {
      await createLocked(storage, 'a')
      await createWorkflow(storage, 'b', { paused: true })
      expect(await storage.findNextDue([lockTarget()])).toBeUndefined()
    })
  })

  describe('locking: poison', () => {
    test('L26: a row that cannot be read is set aside, and blocks nobody', async ({
      storage,
      opened,
    }) => {
      for (const [index, id] of ['a', 'bad', 'c'].entries()) {
        await createWorkflow(storage, id, { scheduledAt: index })
      }
      await corruptState(opened, 'bad')
      const batch = await storage.lockDue(() => lockRequest(20))
      expect(batch.locked.map(({ state }) => state.executionId)).toEqual(['a', 'c'])
      expect(batch.setAside).toMatchObject([{ executionId: 'bad' }])
      expect(batch.setAside[0]?.reason).toContain('failures')
      await repairState(opened, 'bad')
      const report = await storage.findReport(executionId('bad'))
      expect(report?.setAside).toBe(batch.setAside[0]?.reason)
    })

    test('L28: a due time that cannot be read is no different', async ({ storage, opened }) => {
      await createWorkflow(storage, 'bad')
      await createWorkflow(storage, 'good')
      await corruptDueTime(opened, 'bad')
      const batch = await storage.lockDue(() => lockRequest(20))
      expect(batch.locked.map(({ state }) => state.executionId)).toEqual(['good'])
      expect(batch.setAside).toMatchObject([{ executionId: 'bad' }])
      expect(await storage.findNextDue([lockTarget()])).toBeUndefined()
    })

    test('L29: a row that is behind its log is set aside, and the others are locked', async ({
      storage,
      opened,
    }) => {
      await createWorkflow(storage, 'behind', { paused: true })
      await accepted(storage.unpause({ executionId: executionId('behind'), createdAt: 5 }))
      await createWorkflow(storage, 'good')
      await rewindState(opened, 'behind')
      const batch = await storage.lockDue(() => lockRequest(20))
      expect(batch.locked.map(({ state }) => state.executionId)).toEqual(['good'])
      expect(batch.setAside).toMatchObject([{ executionId: 'behind' }])
      await forwardState(opened, 'behind')
    })

    test('L27: it is looked at once: the next poll does not see it', async ({
      storage,
      opened,
    }) => {
      await createWorkflow(storage, 'bad')
      await createWorkflow(storage, 'good', { scheduledAt: 9 })
      await corruptState(opened, 'bad')
      expect((await storage.lockDue(() => lockRequest(20, { limit: 1 }))).setAside).toHaveLength(1)
      const next = await storage.lockDue(() => lockRequest(20, { limit: 1 }))
      expect(next).toMatchObject({ setAside: [], locked: [{ state: { executionId: 'good' } }] })
      expect(await storage.findNextDue([lockTarget()])).toBeUndefined()
    })
  })
}
