/** Rules of what is asked for from outside: pause, cancel, complete, and holding delays back. */

import { describe, expect } from 'vitest'
import {
  charge,
  delayEvent,
  failedEvent,
  finishedEvent,
  pausedEvent,
} from '../support/storage/events.ts'
import { childOf, delayOf, executionId } from '../support/storage/ids.ts'
import { appendRequest, lockRequest } from '../support/storage/requests.ts'
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

const at = (id: string, createdAt = 20) => ({ executionId: executionId(id), createdAt })

/** Declares the rules for one adapter. */
export function describeControl(test: ContractTest): void {
  describe('pause and unpause', () => {
    test('P1: the due time survives a pause', async ({ storage }) => {
      const before = await createWorkflow(storage, 'a', { scheduledAt: 15 })
      const paused = await accepted(storage.pause(at('a')))
      expect(paused).toEqual({ ...before, paused: true, version: 1 })
      expect(await lockAt(storage, 100)).toEqual([])
      expect(await accepted(storage.unpause(at('a')))).toEqual({ ...before, version: 2 })
      expect(await lockAt(storage, 100)).toEqual(['a'])
    })

    test('P2: pausing twice and unpausing twice are refused', async ({ storage }) => {
      await createWorkflow(storage, 'a')
      const notPaused = { kind: 'illegal_state', reason: 'not_paused' }
      expect(await refused(storage.unpause(at('a')))).toEqual(notPaused)
      await accepted(storage.pause(at('a')))
      const paused = { kind: 'illegal_state', reason: 'paused' }
      expect(await refused(storage.pause(at('a')))).toEqual(paused)
      await accepted(storage.unpause(at('a')))
      expect(await refused(storage.unpause(at('a')))).toEqual(notPaused)
    })

    test('P3: a finished execution is neither paused nor unpaused', async ({ storage }) => {
      await createWorkflow(storage, 'a')
      await append(storage, ['a', 1], [finishedEvent()])
      const finished = { kind: 'already_finished', version: 1 }
      expect(await refused(storage.pause(at('a')))).toEqual(finished)
      expect(await refused(storage.unpause(at('a')))).toEqual(finished)
    })

    test('P4: pausing a run of a workflow unlocks it in the same transaction', async ({
      storage,
    }) => {
      const { lastOwner } = await createLocked(storage, 'a')
      const state = await accepted(storage.pause(at('a', 50)))
      expect(state).toMatchObject({
        status: 'pending_at',
        scheduledAt: 50,
        paused: true,
        version: 3,
        lastOwner,
      })
      const unlocked = await storage.findEvent(executionId('a'), 2)
      expect(unlocked?.event).toEqual({ type: 'unlocked', dueAt: 50, reason: 'paused' })
      expect(await typesOf(storage, 'a')).toEqual(['created', 'locked', 'unlocked', 'paused'])
      const late = storage.append(appendRequest(['a', 2], [finishedEvent()]))
      expect(await refused(late)).toEqual({ kind: 'version_conflict', expected: 4, requested: 2 })
    })

    test('P5: a running activity cannot be paused, or two attempts could overlap', async ({
      storage,
    }) => {
      await createActivity(storage, 'a')
      await lockAt(storage, 5)
      const before = await stateOf(storage, 'a')
      const refusal = { kind: 'illegal_state', reason: 'locked' }
      expect(await refused(storage.pause(at('a')))).toEqual(refusal)
      expect(await storage.findState(executionId('a'))).toEqual(before)
    })

    test('P6: an activity in its backoff can be paused', async ({ storage }) => {
      await createActivity(storage, 'a')
      await lockAt(storage, 5)
      await append(storage, ['a', 2], [failedEvent(500)])
      const state = await accepted(storage.pause(at('a')))
      expect(state).toMatchObject({ paused: true, scheduledAt: 500, failures: 1 })
    })

    test('P7: paused cannot be appended to a locked execution', async ({ storage }) => {
      await createLocked(storage, 'a')
      const refusal = await refused(storage.append(appendRequest(['a', 2], [pausedEvent])))
      expect(refusal).toEqual({ kind: 'illegal_state', reason: 'locked' })
    })

    test('P8: nobody is there', async ({ storage }) => {
      const refusal = { kind: 'not_found', id: 'none' }
      expect(await refused(storage.pause(at('none')))).toEqual(refusal)
      expect(await refused(storage.unpause(at('none')))).toEqual(refusal)
      expect(await refused(storage.cancel(at('none')))).toEqual(refusal)
      const complete = storage.complete({ ...at('none'), outcome: { type: 'ok' } })
      expect(await refused(complete)).toEqual(refusal)
    })
  })

  describe('complete', () => {
    const outcome = { type: 'ok', value: { z: 1, a: [2] } } as const
    const same = { type: 'ok', value: { a: [2], z: 1 } } as const

    test('P20: a stub ends with the outcome it is given', async ({ storage }) => {
      await createActivity(storage, 'a')
      const state = await accepted(storage.complete({ ...at('a', 30), outcome }))
      expect(state).toMatchObject({ status: 'finished', version: 1, finishedAt: 30 })
      const event = await storage.findEvent(executionId('a'), 1)
      expect(JSON.stringify(event?.event)).toBe(JSON.stringify({ type: 'finished', outcome }))
    })

    test('P21: the same outcome again changes nothing, whatever the order of its keys', async ({
      storage,
    }) => {
      await createLocked(storage, 'p')
      await createActivity(storage, childOf('p'))
      const first = await accepted(storage.complete({ ...at(childOf('p')), outcome }))
      const again = await accepted(storage.complete({ ...at(childOf('p'), 99), outcome: same }))
      expect(again).toEqual(first)
      expect(await inboxOf(storage, 'p')).toHaveLength(1)
      expect(await typesOf(storage, childOf('p'))).toEqual(['created', 'finished'])
    })

    test('P22: another outcome is refused', async ({ storage }) => {
      await createActivity(storage, 'a')
      await accepted(storage.complete({ ...at('a'), outcome }))
      const others = [
        { type: 'ok', value: { z: 1, a: [3] } },
        { type: 'err', value: outcome.value },
        { type: 'ok' },
        { type: 'execution_failure', kind: 'cancelled' },
      ] as const
      for (const other of others) {
        const answer = storage.complete({ ...at('a'), outcome: other })
        expect(await refused(answer)).toEqual({ kind: 'already_finished', version: 1 })
      }
    })

    test('P23: it works at whatever version the log has reached', async ({ storage }) => {
      await createActivity(storage, 'a')
      await accepted(storage.pause(at('a')))
      await accepted(storage.unpause(at('a')))
      const state = await accepted(storage.complete({ ...at('a'), outcome }))
      expect(state.version).toBe(3)
      expect(await accepted(storage.complete({ ...at('a'), outcome }))).toEqual(state)
    })

    test('P24: a paused stub can be completed', async ({ storage }) => {
      await createActivity(storage, 'a', { paused: true })
      const state = await accepted(storage.complete({ ...at('a'), outcome }))
      expect(state).toMatchObject({ status: 'finished', version: 2 })
    })

    test('P25: a stub without a value equals one whose value is undefined', async ({ storage }) => {
      await createActivity(storage, 'a')
      const nothing = { type: 'ok', value: undefined } as never
      await accepted(storage.complete({ ...at('a'), outcome: { type: 'ok' } }))
      expect(await accepted(storage.complete({ ...at('a'), outcome: nothing }))).toMatchObject({
        version: 1,
      })
    })

    test('P26: what is changed after the call does not change the log', async ({ storage }) => {
      await createActivity(storage, 'a')
      const value = { total: 5 }
      const answer = storage.complete({ ...at('a'), outcome: { type: 'ok', value } })
      value.total = 6
      await answer
      const event = await storage.findEvent(executionId('a'), 1)
      expect(event?.event).toMatchObject({ outcome: { value: { total: 5 } } })
    })

    test('P34: what an executor has locked is no stub, running or not', async ({ storage }) => {
      await createLocked(storage, 'running')
      const refusal = { kind: 'illegal_state', reason: 'has_run' }
      expect(await refused(storage.complete({ ...at('running'), outcome }))).toEqual(refusal)
      await append(storage, ['running', 2], [{ type: 'unlocked', dueAt: 90, reason: 'later' }])
      expect(await refused(storage.complete({ ...at('running'), outcome }))).toEqual(refusal)
    })

    test('P27: a stub whose parent is missing cannot be completed', async ({ storage }) => {
      await createActivity(storage, childOf('gone'))
      const answer = storage.complete({ ...at(childOf('gone')), outcome })
      expect(await refused(answer)).toEqual({ kind: 'not_found', id: 'gone' })
      expect(await stateOf(storage, childOf('gone'))).toMatchObject({ version: 0 })
    })
  })

  describe('holding delays back', () => {
    test('P28: a held delay is not due; holding twice is harmless', async ({ storage }) => {
      await createLocked(storage, 'a')
      await append(storage, ['a', 2], [delayEvent('a', 50)])
      const due = { locksExpiredBy: 0, delaysDueBy: 100, limit: 10 }
      const hold = { delayId: delayOf('a'), paused: true }
      await accepted(storage.setDelayPause(hold))
      await accepted(storage.setDelayPause(hold))
      expect((await storage.findExpired(due)).delays).toEqual([])
      expect((await storage.findWaits(executionId('a'))).delays).toMatchObject([{ paused: true }])
    })

    test('P33: held after it came up as due, it does not fire', async ({ storage }) => {
      await createLocked(storage, 'a')
      await append(storage, ['a', 2], [delayEvent('a', 50)])
      await accepted(storage.setDelayPause({ delayId: delayOf('a'), paused: true }))
      const fire = { delayId: delayOf('a'), createdAt: 50, result: 'ok' } as const
      expect(await accepted(storage.endDelay(fire))).toBe('held')
      expect((await storage.findWaits(executionId('a'))).delays).toHaveLength(1)
      await accepted(storage.setDelayPause({ delayId: delayOf('a'), paused: false }))
      expect(await accepted(storage.endDelay(fire))).toBe('done')
    })

    test('P29: let go, it is due as before; letting go twice is harmless', async ({ storage }) => {
      await createLocked(storage, 'a')
      await append(storage, ['a', 2], [delayEvent('a', 50, { paused: true })])
      const due = { locksExpiredBy: 0, delaysDueBy: 100, limit: 10 }
      expect((await storage.findExpired(due)).delays).toEqual([])
      const release = { delayId: delayOf('a'), paused: false }
      await accepted(storage.setDelayPause(release))
      await accepted(storage.setDelayPause(release))
      expect((await storage.findExpired(due)).delays).toEqual([{ delayId: delayOf('a') }])
    })

    test('P30: it is no event', async ({ storage }) => {
      await createLocked(storage, 'a')
      await append(storage, ['a', 2], [delayEvent('a', 50)])
      await accepted(storage.setDelayPause({ delayId: delayOf('a'), paused: true }))
      expect(await stateOf(storage, 'a')).toMatchObject({ version: 2 })
    })

    test('P31: a delay that is unknown or has ended cannot be held', async ({ storage }) => {
      await createLocked(storage, 'a')
      await append(storage, ['a', 2], [delayEvent('a', 50)])
      await accepted(storage.endDelay({ delayId: delayOf('a'), createdAt: 50, result: 'ok' }))
      for (const delayId of [delayOf('a'), delayOf('a', 'n:timers', 9)]) {
        const answer = storage.setDelayPause({ delayId, paused: true })
        expect(await refused(answer)).toEqual({ kind: 'not_found', id: delayId })
      }
    })

    test('P32: a held delay can be cancelled', async ({ storage }) => {
      await createLocked(storage, 'a')
      await append(storage, ['a', 2], [delayEvent('a', 50, { paused: true })])
      const cancel = { delayId: delayOf('a'), createdAt: 20, result: 'cancelled' } as const
      expect(await accepted(storage.endDelay(cancel))).toBe('done')
    })

    test('P33: a poll finds nothing to lock in a paused or cancelling function', async ({
      storage,
    }) => {
      await createWorkflow(storage, 'a', { paused: true })
      await createWorkflow(storage, 'b')
      await accepted(storage.cancel(at('b')))
      await createWorkflow(storage, 'c', { function: charge })
      const batch = await storage.lockDue(() => lockRequest(50))
      expect(batch.locked.map(({ state }) => state.executionId)).toEqual(['c'])
      expect(batch.setAside).toEqual([])
    })
  })
}
