/** What a new state has to tell. */

import { describe, expect, test } from 'vitest'
import { decideCreated } from '../../../src/model/decide.ts'
import type { ExecutionEvent } from '../../../src/model/event.ts'
import { foldHistory } from '../../../src/model/fold.ts'
import { latestNotices, noticesOf } from '../../../src/storage/notice.ts'
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

describe('latestNotices()', () => {
  const pending = decideCreated(executionId('a'), createdEvent(), 5)
  const other = decideCreated(executionId('b'), createdEvent(), 5)

  test('nothing comes of nothing', () => {
    expect(latestNotices([])).toEqual([])
  })

  test('of each execution its last state remains, in the order of last changes', () => {
    const paused = { ...pending, paused: true }
    const told = latestNotices([pending, other, paused].flatMap(noticesOf))
    expect(told).toEqual([other, paused].flatMap(noticesOf))
  })

  test('two executions due at once are two facts', () => {
    const told = latestNotices([pending, other].flatMap(noticesOf))
    expect(told.filter(({ topic }) => topic === 'pending')).toHaveLength(2)
  })

  test('an instant for the timers watcher remains once, and is not lost with its state', () => {
    const cancelling = { ...pending, cancelling: true }
    const timer = { topic: 'timer', dueAt: 9 } as const
    const told = latestNotices([timer, ...noticesOf(cancelling), timer, ...noticesOf(cancelling)])
    expect(told).toEqual([
      { topic: 'execution', state: cancelling },
      timer,
      { topic: 'timer', dueAt: 5 },
    ])
  })
})
