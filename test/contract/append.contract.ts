/** Rules of appending: versions, refusals, and all or nothing. */

import { describe, expect } from 'vitest'
import type { ExecutionEvent } from '../../src/model/event.ts'
import {
  failedEvent,
  finishedEvent,
  joinSetEvent,
  lockedEvent,
  pausedEvent,
  sampleEvents,
  tryEvent,
  unlockedEvent,
  unpausedEvent,
  upgradeEvent,
} from '../support/storage/events.ts'
import { executionId } from '../support/storage/ids.ts'
import { appendRequest, createRequest } from '../support/storage/requests.ts'
import { refused } from '../support/storage/results.ts'
import { append, createLocked, createWorkflow, stateOf, typesOf } from '../support/storage/steps.ts'
import type { ContractTest } from './contract-test.ts'

/** Declares the rules for one adapter. */
export function describeAppend(test: ContractTest): void {
  describe('append: the log', () => {
    // What each needs before it, so that the table accepts it.
    const preparations: Partial<Record<string, readonly ExecutionEvent[]>> = {
      unlocked: [lockedEvent({ lockExpiresAt: 1000 })],
      unpaused: [pausedEvent],
      join_next_withdraw: [tryEvent('found')],
    }

    for (const event of sampleEvents.filter(({ type }) => type !== 'created')) {
      const name = 'kind' in event ? `${event.type} (${event.kind})` : event.type
      test(`A1: ${name} reads as it was written`, async ({ storage }) => {
        const before = preparations[event.type] ?? []
        await createWorkflow(storage, 'p')
        if (before.length > 0) await append(storage, ['p', 1], before)
        const version = before.length + 1
        await append(storage, ['p', version, { at: 30 }], [event])
        const logged = await storage.findEvent(executionId('p'), version)
        expect(logged).toEqual({ version, createdAt: 30, event })
        expect(JSON.stringify(logged?.event)).toBe(JSON.stringify(event))
      })
    }

    test('A2: the order of attributes and the numbers of a value stay', async ({ storage }) => {
      const value = { b: 1, a: { z: 0.1, y: 1e300, x: '🦉' }, 10: 'ten', 9: [null, [], {}] }
      await createWorkflow(storage, 'a')
      await append(storage, ['a', 1], [finishedEvent({ type: 'ok', value })])
      const logged = await storage.findEvent(executionId('a'), 1)
      expect(JSON.stringify(logged?.event)).toBe(
        JSON.stringify({ type: 'finished', outcome: { type: 'ok', value } }),
      )
    })

    test('A3: what is changed after the call does not change the log', async ({ storage }) => {
      const value = { total: 5 }
      await createWorkflow(storage, 'a')
      const answer = storage.append(appendRequest(['a', 1], [finishedEvent({ type: 'ok', value })]))
      value.total = 6
      await answer
      const logged = await storage.findEvent(executionId('a'), 1)
      expect(logged?.event).toMatchObject({ outcome: { value: { total: 5 } } })
    })
  })

  describe('append: versions', () => {
    test('A4: the first event must carry the next version', async ({ storage }) => {
      await createWorkflow(storage, 'a')
      for (const requested of [0, 2, 99]) {
        const refusal = await refused(
          storage.append(appendRequest(['a', requested], [pausedEvent])),
        )
        expect(refusal).toEqual({ kind: 'version_conflict', expected: 1, requested })
      }
      expect(await typesOf(storage, 'a')).toEqual(['created'])
    })

    test('A5: a batch takes one version after the other', async ({ storage }) => {
      await createWorkflow(storage, 'a')
      const state = await append(storage, ['a', 1], [joinSetEvent(), pausedEvent, unpausedEvent])
      expect(state.version).toBe(3)
      expect(await typesOf(storage, 'a')).toEqual([
        'created',
        'join_set_create',
        'paused',
        'unpaused',
      ])
    })

    test('A6: of simultaneous appends of one version, exactly one is accepted', async ({
      storage,
    }) => {
      await createWorkflow(storage, 'a')
      const answers = await Promise.all(
        ['n:a', 'n:b', 'n:c'].map((set) =>
          storage.append(appendRequest(['a', 1], [joinSetEvent(set)])),
        ),
      )
      expect(answers.filter(({ ok }) => ok)).toHaveLength(1)
      expect(answers.flatMap((answer) => (answer.ok ? [] : [answer.error]))).toEqual([
        { kind: 'version_conflict', expected: 2, requested: 1 },
        { kind: 'version_conflict', expected: 2, requested: 1 },
      ])
    })

    test('A7: no such execution', async ({ storage }) => {
      const refusal = await refused(storage.append(appendRequest(['none', 1], [pausedEvent])))
      expect(refusal).toEqual({ kind: 'not_found', id: 'none' })
    })

    test('A8: an empty batch is refused', async ({ storage }) => {
      await createWorkflow(storage, 'a')
      const refusal = await refused(storage.append(appendRequest(['a', 1], [])))
      expect(refusal).toEqual({ kind: 'invalid', reason: 'empty_batch' })
    })

    test('A9: created cannot be appended', async ({ storage }) => {
      await createWorkflow(storage, 'a')
      const { event } = createRequest('a')
      const refusal = await refused(storage.append(appendRequest(['a', 1], [event])))
      expect(refusal).toEqual({ kind: 'invalid', reason: 'created_by_append' })
    })
  })

  describe('append: after the end', () => {
    test('A10: the next version stays that of the last event', async ({ storage }) => {
      await createWorkflow(storage, 'a')
      const state = await append(storage, ['a', 1, { at: 40 }], [finishedEvent()])
      expect(state).toMatchObject({ status: 'finished', version: 1, finishedAt: 40 })
      expect(await storage.findState(executionId('a'))).toEqual(state)
    })

    test('A11: whatever the version, the log is closed', async ({ storage }) => {
      await createWorkflow(storage, 'a')
      await append(storage, ['a', 1], [finishedEvent()])
      for (const version of [0, 1, 2, 9]) {
        const refusal = await refused(storage.append(appendRequest(['a', version], [pausedEvent])))
        expect(refusal).toEqual({ kind: 'already_finished', version: 1 })
      }
    })

    test('A12: a lock is refused by the state before the version is looked at', async ({
      storage,
    }) => {
      await createWorkflow(storage, 'a')
      await append(storage, ['a', 1], [finishedEvent()])
      const stale = storage.append(appendRequest(['a', 7], [lockedEvent()]))
      expect(await refused(stale)).toEqual({ kind: 'illegal_state', reason: 'finished' })
    })

    test('A13: nothing follows the end within a batch either', async ({ storage }) => {
      await createWorkflow(storage, 'a')
      const answer = storage.append(appendRequest(['a', 1], [finishedEvent(), pausedEvent]))
      expect(await refused(answer)).toEqual({ kind: 'already_finished', version: 1 })
      expect(await typesOf(storage, 'a')).toEqual(['created'])
    })

    test('A14: finishing ends a pause', async ({ storage }) => {
      await createWorkflow(storage, 'a', { paused: true })
      const state = await append(storage, ['a', 2], [finishedEvent({ type: 'err', value: 'no' })])
      expect(state).toMatchObject({ status: 'finished', outcomeType: 'err' })
      expect(state).not.toHaveProperty('paused')
    })
  })

  describe('append: unlocking', () => {
    test('A15: an unlocked execution is due when the event says; the owner is kept', async ({
      storage,
    }) => {
      const { lastOwner } = await createLocked(storage, 'a')
      const state = await append(storage, ['a', 2], [unlockedEvent(60)])
      expect(state).toMatchObject({ status: 'pending_at', scheduledAt: 60, lastOwner, failures: 0 })
    })

    test('A16: a pending execution may be unlocked to become due earlier, never later', async ({
      storage,
    }) => {
      await createWorkflow(storage, 'a', { scheduledAt: 100 })
      for (const dueAt of [100, 101]) {
        const refusal = await refused(
          storage.append(appendRequest(['a', 1], [unlockedEvent(dueAt)])),
        )
        expect(refusal).toEqual({ kind: 'unlock_refused', state: 'pending' })
      }
      const state = await append(storage, ['a', 1], [unlockedEvent(99)])
      expect(state).toMatchObject({ status: 'pending_at', scheduledAt: 99 })
    })

    test('A17: a paused execution cannot be unlocked', async ({ storage }) => {
      await createWorkflow(storage, 'a', { scheduledAt: 100, paused: true })
      const refusal = await refused(storage.append(appendRequest(['a', 2], [unlockedEvent(1)])))
      expect(refusal).toEqual({ kind: 'unlock_refused', state: 'paused' })
      expect(await stateOf(storage, 'a')).toMatchObject({ scheduledAt: 100, version: 1 })
    })

    test('A18: a failure is counted in every unfinished state, and keeps a pause', async ({
      storage,
    }) => {
      await createWorkflow(storage, 'a')
      const once = await append(storage, ['a', 1], [failedEvent(50)])
      expect(once).toMatchObject({ status: 'pending_at', scheduledAt: 50, failures: 1 })
      const twice = await append(storage, ['a', 2], [pausedEvent, failedEvent(70)])
      expect(twice).toMatchObject({ scheduledAt: 70, failures: 2, paused: true })
    })
  })

  describe('append: upgrades', () => {
    test('A19: a successful one takes the version and the deployment over', async ({ storage }) => {
      await createLocked(storage, 'a')
      await append(storage, ['a', 2], [upgradeEvent({ functionVersion: '3', result: 'failed' })])
      expect(await stateOf(storage, 'a')).toMatchObject({ incompatibleVersion: '3' })
      const { deploymentId } = upgradeEvent()
      const state = await append(storage, ['a', 3], [upgradeEvent()])
      expect(state).toMatchObject({ status: 'locked', deploymentId, function: { version: '2' } })
      expect(state).not.toHaveProperty('incompatibleVersion')
    })
  })
}
