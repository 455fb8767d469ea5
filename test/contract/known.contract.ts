/** Rules of appending with a state that the writer knows: it saves a read and changes nothing else. */

import { describe, expect } from 'vitest'
import type { LockedState } from '../../src/model/state.ts'
import type { Storage } from '../../src/storage/storage.ts'
import {
  askEvent,
  blockingAskEvent,
  failedEvent,
  finishedEvent,
  joinSetEvent,
  lockedEvent,
  timedOutEvent,
  waitEvent,
} from '../support/storage/events.ts'
import { executionId } from '../support/storage/ids.ts'
import {
  activityRequest,
  appendRequest,
  childResponse,
  createRequest,
  lockRequest,
  responseCommand,
} from '../support/storage/requests.ts'
import { accepted, refused } from '../support/storage/results.ts'
import { append, inboxOf, typesOf } from '../support/storage/steps.ts'
import type { ContractTest } from './contract-test.ts'

/** Locks the one execution that is due, and gives its state as the lock left it. */
async function lockKnown(storage: Storage): Promise<LockedState> {
  const { locked } = await storage.lockDue(() => lockRequest(5))
  const [known] = locked
  if (known === undefined) return expect.unreachable('nothing was locked')
  return known.state
}

/** Declares the rules for one adapter. */
export function describeKnown(test: ContractTest): void {
  describe('append: with a known state', () => {
    test('K1: it comes to the same as without', async ({ storage }) => {
      await storage.create(createRequest('a'))
      const known = await lockKnown(storage)
      const events = [joinSetEvent(), askEvent(), failedEvent(50)]
      const state = await accepted(storage.append({ ...appendRequest(['a', 2], events), known }))
      expect(state).toMatchObject({ status: 'pending_at', version: 4, failures: 1 })
      expect(await storage.findState(executionId('a'))).toEqual(state)
    })

    test('K2: what happened meanwhile is found out, and decides', async ({ storage }) => {
      await storage.create(createRequest('a'))
      const known = await lockKnown(storage)
      await append(storage, ['a', 2], [timedOutEvent(1000)])
      const late = storage.append({ ...appendRequest(['a', 2], [finishedEvent()]), known })
      expect(await refused(late)).toEqual({ kind: 'version_conflict', expected: 3, requested: 2 })
      expect(await typesOf(storage, 'a')).toEqual(['created', 'locked', 'temporarily_timed_out'])
    })

    test('K3: an end meanwhile closes the log', async ({ storage }) => {
      await storage.create(activityRequest('a'))
      const known = await lockKnown(storage)
      await accepted(storage.cancel({ executionId: executionId('a'), createdAt: 20 }))
      const late = storage.append({ ...appendRequest(['a', 2], [finishedEvent()]), known })
      expect(await refused(late)).toEqual({ kind: 'already_finished', version: 2 })
    })

    test('K4: a lock that was lost is not extended', async ({ storage }) => {
      await storage.create(createRequest('a'))
      const known = await lockKnown(storage)
      await append(storage, ['a', 2], [timedOutEvent(9000)])
      const extension = appendRequest(
        ['a', 2, { at: 3000 }],
        [lockedEvent({ lockExpiresAt: 4000 })],
      )
      const late = storage.append({ ...extension, known })
      expect(await refused(late)).toEqual({ kind: 'version_conflict', expected: 3, requested: 2 })
    })

    test('K5: asks of a refused append are not counted', async ({ storage }) => {
      await storage.create(createRequest('a'))
      const known = await lockKnown(storage)
      await append(storage, ['a', 2], [joinSetEvent()])
      await refused(storage.append({ ...appendRequest(['a', 2], [askEvent()]), known }))
      expect((await storage.findWaits(executionId('a'))).asks).toEqual([])
      const blocked = await append(storage, ['a', 3], [waitEvent()])
      await accepted(storage.respond(responseCommand('a', childResponse('a'))))
      expect(await storage.findState(executionId('a'))).toEqual(blocked)
    })

    test('K6: responses that arrived meanwhile are seen by a wait', async ({ storage }) => {
      await storage.create(createRequest('a'))
      const known = await lockKnown(storage)
      await accepted(storage.respond(responseCommand('a', childResponse('a'), 30)))
      const wait = appendRequest(['a', 2], [joinSetEvent(), blockingAskEvent()])
      const state = await accepted(storage.append({ ...wait, known }))
      expect(state).toMatchObject({ status: 'pending_at', scheduledAt: 30, version: 3 })
      expect(await inboxOf(storage, 'a')).toHaveLength(1)
    })

    test('K7: the execution is gone', async ({ storage }) => {
      await storage.create(createRequest('a'))
      const known = { ...(await lockKnown(storage)), executionId: executionId('b') }
      const late = storage.append({ ...appendRequest(['b', 2], [joinSetEvent()]), known })
      expect(await refused(late)).toEqual({ kind: 'not_found', id: 'b' })
    })

    test('K9: a refusal is the row’s, never that of an outdated state', async ({ storage }) => {
      await storage.create(createRequest('a'))
      const known = await lockKnown(storage)
      await append(storage, ['a', 2], [joinSetEvent()])
      const stale = storage.append({ ...appendRequest(['a', 9], [joinSetEvent()]), known })
      expect(await refused(stale)).toEqual({ kind: 'version_conflict', expected: 3, requested: 9 })
      const next = storage.append({ ...appendRequest(['a', 3], [joinSetEvent()]), known })
      expect(await accepted(next)).toMatchObject({ version: 3 })
    })

    test('K10: what is taken is refused, and rolled back, all the same', async ({ storage }) => {
      await storage.create(createRequest('a'))
      const known = await lockKnown(storage)
      const creations = [createRequest('a')]
      const answer = storage.append({
        ...appendRequest(['a', 2, { creations }], [joinSetEvent()]),
        known,
      })
      expect(await refused(answer)).toEqual({ kind: 'taken', what: 'execution', id: 'a' })
      expect(await typesOf(storage, 'a')).toEqual(['created', 'locked'])
    })

    test('K8: an empty batch is refused', async ({ storage }) => {
      await storage.create(createRequest('a'))
      const known = await lockKnown(storage)
      const refusal = await refused(storage.append({ ...appendRequest(['a', 2], []), known }))
      expect(refusal).toEqual({ kind: 'invalid', reason: 'empty_batch' })
    })
  })
}
