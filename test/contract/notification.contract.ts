/** Rules of the notice board: told after the commit, never of a refusal. */

import { describe, expect } from 'vitest'
import { foreignPollInterval } from '../../src/storage/notifications.ts'
import type { Storage } from '../../src/storage/storage.ts'
import {
  blockingAskEvent,
  cancelledEvent,
  delayEvent,
  finishedEvent,
  joinSetEvent,
  unlockedEvent,
} from '../support/storage/events.ts'
import { childOf, delayOf, executionId } from '../support/storage/ids.ts'
import {
  activityRequest,
  appendRequest,
  childResponse,
  createRequest,
  responseCommand,
} from '../support/storage/requests.ts'
import { accepted, refused } from '../support/storage/results.ts'
import {
  append,
  createActivity,
  createLocked,
  createWorkflow,
  lockAt,
} from '../support/storage/steps.ts'
import type { ContractTest } from './contract-test.ts'

/** Everything the board says of workflow `checkout`, activity `charge` and these executions. */
function listen(storage: Storage, ...ids: readonly string[]): string[] {
  const told: string[] = []
  const { notifications } = storage
  notifications.onPending('workflow', 'checkout', (dueAt) => {
    told.push(`checkout due ${dueAt}`)
  })
  notifications.onPending('activity', 'charge', (dueAt) => {
    told.push(`charge due ${dueAt}`)
  })
  notifications.onTimer((dueAt) => {
    told.push(`timer ${dueAt}`)
  })
  for (const id of ids) {
    notifications.onExecution(executionId(id), (state) => {
      told.push(`${id} ${state?.status} v${state?.version}`)
    })
  }
  return told
}

/**
 * Whoever waits for work may be told before the commit, so the order of what is told of one commit
 * is nobody's business.
 */
function expectTold(told: readonly string[], expected: readonly string[]): void {
  expect(told.toSorted()).toEqual(expected.toSorted())
}

/** Declares the rules for one adapter. */
export function describeNotifying(test: ContractTest): void {
  describe('notifying: what is told', () => {
    test('N1: a creation tells when it is due, also in the future', async ({ storage }) => {
      const told = listen(storage, 'a')
      await createWorkflow(storage, 'a', { scheduledAt: 900 })
      expectTold(told, ['a pending_at v0', 'checkout due 900'])
    })

    test('N2: created paused, there is nothing to do for executors', async ({ storage }) => {
      const told = listen(storage, 'a')
      await createWorkflow(storage, 'a', { paused: true })
      expect(told).toEqual(['a pending_at v1'])
    })

    test('N3: of many created, those that were accepted are told of', async ({ storage }) => {
      await createWorkflow(storage, 'a')
      const told = listen(storage, 'a', 'b')
      await storage.createMany([createRequest('a'), activityRequest('b')])
      expectTold(told, ['b pending_at v0', 'charge due 0'])
    })

    test('N4: locking, unlocking and finishing tell the new state', async ({ storage }) => {
      await createWorkflow(storage, 'a')
      const told = listen(storage, 'a')
      await lockAt(storage, 5)
      await append(storage, ['a', 2], [unlockedEvent(50)])
      await append(storage, ['a', 3], [finishedEvent()])
      expectTold(told, ['a locked v1', 'a pending_at v2', 'checkout due 50', 'a finished v3'])
    })

    test('N5: a batch tells its last state only', async ({ storage }) => {
      await createLocked(storage, 'a')
      const told = listen(storage, 'a')
      await append(storage, ['a', 2], [joinSetEvent(), unlockedEvent(70), finishedEvent()])
      expect(told).toEqual(['a finished v4'])
    })

    test('N6: children and delays that come into being are told of', async ({ storage }) => {
      await createLocked(storage, 'a')
      const told = listen(storage, 'a', childOf('a'))
      const creations = [activityRequest(childOf('a'))]
      await append(storage, ['a', 2, { creations }], [delayEvent('a', 77)])
      expectTold(told, ['a locked v2', 'timer 77', `${childOf('a')} pending_at v0`, 'charge due 0'])
    })

    test('N7: a child that ends wakes its parent', async ({ storage }) => {
      await createLocked(storage, 'a')
      await append(storage, ['a', 2], [blockingAskEvent()])
      await createActivity(storage, childOf('a'))
      const told = listen(storage, 'a', childOf('a'))
      await append(storage, [childOf('a'), 1, { at: 40 }], [finishedEvent()])
      expectTold(told, [`${childOf('a')} finished v1`, 'a pending_at v2', 'checkout due 40'])
    })

    test('N8: every response is told of, also one that wakes nobody', async ({ storage }) => {
      await createLocked(storage, 'a')
      const told = listen(storage, 'a')
      await accepted(storage.respond(responseCommand('a', childResponse('a'))))
      expect(told).toEqual(['a locked v1'])
    })

    test('N9: a cancellation wakes the timers watcher, pause and unpause their listeners', async ({
      storage,
    }) => {
      await createWorkflow(storage, 'a', { scheduledAt: 9 })
      const told = listen(storage, 'a')
      const command = { executionId: executionId('a'), createdAt: 20 }
      await accepted(storage.pause(command))
      await accepted(storage.unpause(command))
      await accepted(storage.cancel(command))
      await append(storage, ['a', 4], [cancelledEvent()])
      expectTold(
        told.map((text) => text.replace(/^timer .*/, 'timer')),
        [
          'a pending_at v1',
          'a pending_at v2',
          'checkout due 9',
          'a pending_at v3',
          'timer',
          'a finished v4',
        ],
      )
    })

    test('N10: a delay that is let go, or has ended, is told of', async ({ storage }) => {
      await createLocked(storage, 'a')
      await append(storage, ['a', 2], [delayEvent('a', 50, { paused: true })])
      const told = listen(storage, 'a')
      const delayId = delayOf('a')
      await accepted(storage.setDelayPause({ delayId, paused: true }))
      await accepted(storage.setDelayPause({ delayId, paused: false }))
      await accepted(storage.endDelay({ delayId, createdAt: 50, result: 'ok' }))
      expectTold(told, ['timer 50', 'a locked v2'])
    })
  })

  describe('notifying: when', () => {
    test('N11: what was told can be read: it is committed', async ({ storage }) => {
      const reads: Promise<unknown>[] = []
      storage.notifications.onExecution(executionId('a'), (state) => {
        reads.push(storage.findState(executionId('a')).then((read) => expect(read).toEqual(state)))
      })
      await createWorkflow(storage, 'a')
      await Promise.all(reads)
      await lockAt(storage, 5)
      await Promise.all(reads)
      await append(storage, ['a', 2], [finishedEvent()])
      await Promise.all(reads)
      expect(reads).toHaveLength(3)
    })

    test('N12: it is told before the answer is', async ({ storage }) => {
      const order: string[] = []
      storage.notifications.onExecution(executionId('a'), () => {
        order.push('told')
      })
      await storage.create(createRequest('a'))
      order.push('answered')
      expect(order).toEqual(['told', 'answered'])
    })

    test('N13: a refusal tells nothing, however far the transaction had come', async ({
      storage,
    }) => {
      await createLocked(storage, 'a')
      await createActivity(storage, childOf('a'))
      await createActivity(storage, childOf('gone'))
      const told = listen(storage, 'a', childOf('a'), childOf('gone'), 'b')
      const creations = [createRequest('b'), activityRequest(childOf('a'))]
      await refused(storage.append(appendRequest(['a', 2, { creations }], [delayEvent('a', 5)])))
      await refused(storage.append(appendRequest([childOf('gone'), 1], [finishedEvent()])))
      await refused(storage.create(createRequest('a')))
      expect(told).toEqual([])
    })

    test('N14: what changes nothing tells nothing', async ({ storage }) => {
      await createActivity(storage, 'a')
      const command = { executionId: executionId('a'), createdAt: 20 }
      const outcome = { type: 'ok' } as const
      await accepted(storage.complete({ ...command, outcome }))
      const told = listen(storage, 'a')
      await accepted(storage.complete({ ...command, outcome }))
      await accepted(storage.cancel(command))
      expect(told).toEqual([])
    })

    test('N15: who no longer listens hears nothing', async ({ storage }) => {
      const told: unknown[] = []
      const stop = storage.notifications.onExecution(executionId('a'), (state) => {
        told.push(state)
      })
      stop()
      stop()
      await createWorkflow(storage, 'a')
      expect(told).toEqual([])
    })
  })

  describe('notifying: commits of others', () => {
    test('N16: a commit through another connection wakes everybody who listens', async ({
      storage,
      opened,
      skip,
    }) => {
      const { openAnother, scheduler } = opened
      if (openAnother === undefined) return skip('a database in memory is nobody else’s')
      const another = await openAnother()
      await scheduler.advance(foreignPollInterval)
      const told = listen(storage, 'b')
      await scheduler.advance(foreignPollInterval)
      told.length = 0
      await scheduler.advance(foreignPollInterval)
      expect(told).toEqual([])
      await createWorkflow(another.storage, 'a')
      await scheduler.advance(foreignPollInterval)
      expect([...told].sort()).toEqual([
        'b undefined vundefined',
        'charge due undefined',
        'checkout due undefined',
        'timer undefined',
      ])
      expect(await lockAt(storage, 5)).toEqual(['a'])
      await another.storage.close()
    })

    test('N17: one’s own commits are not foreign', async ({ storage, opened }) => {
      const told = listen(storage, 'b')
      await opened.scheduler.advance(foreignPollInterval)
      told.length = 0
      await createWorkflow(storage, 'a', { paused: true })
      await opened.scheduler.advance(2 * foreignPollInterval)
      expect(told).toEqual([])
    })
  })
}
