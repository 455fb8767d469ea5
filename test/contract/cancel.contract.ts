/** Rules of cancelling: activities end at once, what may have children is marked. */

import { describe, expect } from 'vitest'
import {
  blockingAskEvent,
  cancelledEvent,
  cancelRequestedEvent,
  failedEvent,
  finishedEvent,
  joinSetEvent,
} from '../support/storage/events.ts'
import { childOf, executionId } from '../support/storage/ids.ts'
import { appendRequest } from '../support/storage/requests.ts'
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
export function describeCancelling(test: ContractTest): void {
  describe('cancel: activities', () => {
    const states = {
      pending: async () => undefined,
      paused: async (storage) => {
        await accepted(storage.pause(at('a')))
      },
      locked: async (storage) => {
        await lockAt(storage, 5)
      },
      'in backoff': async (storage) => {
        await lockAt(storage, 5)
        await append(storage, ['a', 2], [failedEvent(500)])
      },
    } satisfies Record<string, (storage: Parameters<typeof lockAt>[0]) => Promise<void>>

    for (const [name, prepare] of Object.entries(states)) {
      test(`P9: an activity that is ${name} ends at once`, async ({ storage }) => {
        await createActivity(storage, 'a')
        await prepare(storage)
        const cancel = storage.cancel({ ...at('a', 30), reason: 'no longer wanted' })
        expect(await accepted(cancel)).toBe('cancelled')
        const report = await storage.findReport(executionId('a'))
        expect(report?.state).toMatchObject({ status: 'finished', finishedAt: 30 })
        expect(report?.lastEvent.event).toEqual({
          type: 'finished',
          outcome: { type: 'execution_failure', kind: 'cancelled', reason: 'no longer wanted' },
        })
      })
    }

    test('P10: cancelling twice is harmless', async ({ storage }) => {
      await createActivity(storage, 'a')
      expect(await accepted(storage.cancel(at('a')))).toBe('cancelled')
      expect(await accepted(storage.cancel(at('a')))).toBe('cancelled')
      expect(await typesOf(storage, 'a')).toEqual(['created', 'finished'])
    })

    test('P11: what has ended otherwise stays as it is', async ({ storage }) => {
      await createActivity(storage, 'a')
      const end = await append(storage, ['a', 1], [finishedEvent()])
      expect(await accepted(storage.cancel(at('a')))).toBe('already_finished')
      expect(await storage.findState(executionId('a'))).toEqual(end)
    })

    test('P12: a cancelled child tells its parent, in the same transaction', async ({
      storage,
    }) => {
      await createLocked(storage, 'p')
      await append(storage, ['p', 2], [blockingAskEvent()])
      await createActivity(storage, childOf('p'))
      await accepted(storage.cancel(at(childOf('p'), 30)))
      expect(await inboxOf(storage, 'p')).toMatchObject([
        { outcome: { type: 'execution_failure', kind: 'cancelled' } },
      ])
      expect(await stateOf(storage, 'p')).toMatchObject({ status: 'pending_at', scheduledAt: 30 })
    })

    test('P13: a late result of a cancelled run is refused', async ({ storage }) => {
      await createActivity(storage, 'a')
      await lockAt(storage, 5)
      await accepted(storage.cancel(at('a')))
      const late = storage.append(appendRequest(['a', 2], [finishedEvent()]))
      expect(await refused(late)).toEqual({ kind: 'already_finished', version: 2 })
    })
  })

  describe('cancel: workflows', () => {
    test('P14: a workflow is marked, for the timers watcher to carry it out', async ({
      storage,
    }) => {
      const before = await createLocked(storage, 'a')
      expect(await accepted(storage.cancel({ ...at('a'), reason: 'why' }))).toBe('cancelled')
      const after = { ...before, cancelling: true, version: 2 }
      expect(await storage.findState(executionId('a'))).toEqual(after)
      const event = await storage.findEvent(executionId('a'), 2)
      expect(event?.event).toEqual({ type: 'cancel_requested', reason: 'why' })
      const request = { locksExpiredBy: 0, delaysDueBy: 0, limit: 10 }
      expect(await storage.findExpired(request)).toMatchObject({ cancelling: [after] })
    })

    test('P15: cancelling twice is harmless, before and after the end', async ({ storage }) => {
      await createWorkflow(storage, 'a')
      expect(await accepted(storage.cancel(at('a')))).toBe('cancelled')
      expect(await accepted(storage.cancel(at('a')))).toBe('cancelled')
      expect(await typesOf(storage, 'a')).toEqual(['created', 'cancel_requested'])
      await append(storage, ['a', 2], [cancelledEvent()])
      expect(await accepted(storage.cancel(at('a')))).toBe('cancelled')
    })

    test('P16: pending, blocked and paused ones are marked as well', async ({ storage }) => {
      await createWorkflow(storage, 'pending')
      await createWorkflow(storage, 'paused', { paused: true })
      await createWorkflow(storage, 'blocked')
      await append(storage, ['blocked', 1], [blockingAskEvent()])
      for (const id of ['pending', 'paused', 'blocked']) {
        const before = await stateOf(storage, id)
        await accepted(storage.cancel(at(id)))
        const after = { ...before, cancelling: true, version: before.version + 1 }
        expect(await storage.findState(executionId(id))).toEqual(after)
      }
      expect(await lockAt(storage, 100)).toEqual([])
    })

    test('P17: no run may append after it, pause or complete', async ({ storage }) => {
      await createLocked(storage, 'a')
      await accepted(storage.cancel(at('a')))
      const illegal = { kind: 'illegal_state', reason: 'cancelling' }
      const late = storage.append(appendRequest(['a', 3], [joinSetEvent()]))
      expect(await refused(late)).toEqual(illegal)
      expect(await refused(storage.pause(at('a')))).toEqual(illegal)
      const complete = storage.complete({ ...at('a'), outcome: { type: 'ok', value: 1 } })
      expect(await refused(complete)).toEqual(illegal)
    })

    test('P18: a run that still believes in its version is refused', async ({ storage }) => {
      await createLocked(storage, 'a')
      await accepted(storage.cancel(at('a')))
      const late = storage.append(appendRequest(['a', 2], [joinSetEvent()]))
      expect(await refused(late)).toEqual({ kind: 'version_conflict', expected: 3, requested: 2 })
    })

    test('P19: machines are marked like workflows', async ({ storage }) => {
      await createWorkflow(storage, 'm', {
        function: { kind: 'machine', name: 'order', version: '1' },
      })
      await accepted(storage.cancel(at('m')))
      expect(await stateOf(storage, 'm')).toMatchObject({ cancelling: true })
      expect(cancelRequestedEvent.type).toBe((await typesOf(storage, 'm')).at(-1))
    })
  })
}
