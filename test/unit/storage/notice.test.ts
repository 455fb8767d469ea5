/** What a new state has to tell. */

import { describe, expect, test } from 'vitest'
import type { ExecutionEvent } from '../../../src/model/event.ts'
import { foldHistory } from '../../../src/model/fold.ts'
import { noticesOf } from '../../../src/storage/notice.ts'
import {
  blockingAskEvent,
  cancelRequestedEvent,
  createdEvent,
  finishedEvent,
  lockedEvent,
  pausedEvent,
} from '../../support/storage/events.ts'
import { executionId } from '../../support/storage/ids.ts'

function topicsAfter(...events: readonly ExecutionEvent[]): readonly unknown[] {
  const created = createdEvent()
  const state = foldHistory({
    executionId: executionId('a'),
    events: [created, ...events].map((event, version) => ({ version, createdAt: 5, event })),
    responses: [],
  })
  const [first, ...rest] = noticesOf(state)
  expect(first).toEqual({ topic: 'execution', state })
  return rest
}

describe('noticesOf()', () => {
  test('a pending execution is told to the executors of its function', () => {
    const due = { topic: 'pending', kind: 'workflow', name: 'checkout', dueAt: 0 }
    expect(topicsAfter()).toEqual([due])
  })

  test.each([
    ['paused', pausedEvent],
    ['locked', lockedEvent()],
    ['blocked', blockingAskEvent()],
    ['finished', finishedEvent()],
  ])('one that is %s has nothing for executors', (_, event) => {
    expect(topicsAfter(event)).toEqual([])
  })

  test('a cancelling one is told to the timers watcher', () => {
    expect(topicsAfter(cancelRequestedEvent)).toEqual([{ topic: 'timer', dueAt: 5 }])
  })
})
