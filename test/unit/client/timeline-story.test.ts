import { describe, expect, it } from 'vitest'
import { tellStory } from '../../../src/client/timeline-story.ts'
import type { ExecutionEvent } from '../../../src/model/event.ts'
import { type TreeParts, treeOf } from '../../support/execution-trees.ts'
import {
  askEvent,
  blockingAskEvent,
  cancelledEvent,
  cancelRequestedEvent,
  childEvent,
  createdEvent,
  delayEvent,
  failedEvent,
  finishedEvent,
  lockedEvent,
  pausedEvent,
  timedOutEvent,
  tryEvent,
  unlockedEvent,
  unpausedEvent,
  waitEvent,
  withdrawEvent,
} from '../../support/storage/events.ts'
import { executorId, runId } from '../../support/storage/ids.ts'
import { childResponse, delayResponse, message } from '../../support/storage/requests.ts'

const created = createdEvent({ scheduledAt: 0 })
const locked = lockedEvent({ lockExpiresAt: 10_000 })

/** The story as texts: `running 10-20`, `failed@20`. */
function tell(parts: TreeParts, until = 0, lastLocks = new Map<string, number>()) {
  const { stretches, marks, outcome, end } = tellStory(treeOf('p', parts), { until, lastLocks })
  return {
    stretches: stretches.map(({ doing, from, to }) => `${doing} ${from}-${to}`),
    marks: marks.map(({ kind, at }) => `${kind}@${at}`),
    outcome,
    end,
  }
}

describe('an execution that runs', () => {
  it('is due, runs, and ends', () => {
    const story = tell({
      events: [
        [0, created],
        [5, locked],
        [30, finishedEvent()],
      ],
    })
    expect(story).toEqual({
      stretches: ['queued 0-5', 'running 5-30'],
      marks: ['ok@30'],
      outcome: 'ok done',
      end: 'ok',
    })
  })

  it('is put off before it is due', () => {
    const later = createdEvent({ scheduledAt: 20 })
    const { stretches } = tell({
      events: [
        [0, later],
        [25, locked],
        [30, finishedEvent()],
      ],
    })
    expect(stretches).toEqual(['scheduled 0-20', 'queued 20-25', 'running 25-30'])
  })

  it('extends its lock without a gap', () => {
    const { stretches } = tell({
      events: [
        [0, created],
        [0, locked],
        [10, locked],
        [20, finishedEvent()],
      ],
    })
    expect(stretches).toEqual(['running 0-20'])
  })

  it('fails, waits, and runs again', () => {
    const again = { ...locked, runId: runId(2) }
    const { stretches, marks } = tell({
      events: [
        [0, created],
        [0, locked],
        [10, failedEvent(30)],
        [32, again],
        [40, finishedEvent()],
      ],
    })
    expect(stretches).toEqual(['running 0-10', 'backoff 10-30', 'queued 30-32', 'running 32-40'])
    expect(marks).toEqual(['failed@10', 'ok@40'])
  })

  it('times out while its owner lives', () => {
    const { stretches, marks } = tell({
      events: [
        [0, created],
        [0, lockedEvent({ lockExpiresAt: 50 })],
        [51, timedOutEvent(60)],
      ],
    })
    expect(stretches).toEqual(['running 0-51'])
    expect(marks).toEqual(['timed_out@51'])
  })

  it('gives no sign of life from its last event on, when its lock has to expire', () => {
    const lock = lockedEvent({ lockExpiresAt: 1_000 })
    const { stretches, marks } = tell({
      events: [
        [0, created],
        [0, lock],
        [200, askEvent()],
        [1_500, timedOutEvent(1_500)],
      ],
    })
    expect(stretches).toEqual(['running 0-200', 'silent 200-1500'])
    expect(marks).toEqual([])
  })

  it('gives no sign of life when it would have extended its lock once more', () => {
    const lock = (until: number) => lockedEvent({ lockExpiresAt: until })
    const { stretches } = tell({
      events: [
        [0, created],
        [0, lock(300)],
        [100, lock(400)],
        [401, timedOutEvent(500)],
      ],
    })
    expect(stretches).toEqual(['running 0-100', 'silent 100-401'])
  })

  it('times out at the end of a lock that was extended up to its limit', () => {
    const lock = (until: number) => lockedEvent({ lockExpiresAt: until })
    const { stretches } = tell({
      events: [
        [0, created],
        [0, lock(300)],
        [100, lock(350)],
        [351, timedOutEvent(500)],
      ],
    })
    expect(stretches).toEqual(['running 0-351'])
  })

  it.each([
    ['never again', 0, ['running 0-0', 'silent 0-301']],
    ['elsewhere', 400, ['running 0-301']],
  ])('was taken over by somebody else, and its owner is heard of %s', (_, heardAt, expected) => {
    const first = lockedEvent({ lockExpiresAt: 300 })
    const next = lockedEvent({ executorId: executorId(2), runId: runId(2), lockExpiresAt: 900 })
    const lastLocks = new Map([[executorId(), heardAt]])
    const events: TreeParts['events'] = [
      [0, created],
      [0, first],
      [301, timedOutEvent(400)],
      [400, next],
    ]
    const { stretches } = tell({ events }, 500, lastLocks)
    expect(stretches.slice(0, -2)).toEqual(expected)
  })

  it('gives its lock back', () => {
    const { stretches } = tell(
      {
        events: [
          [0, created],
          [0, locked],
          [10, unlockedEvent(30)],
        ],
      },
      40,
    )
    expect(stretches).toEqual(['running 0-10', 'scheduled 10-30', 'queued 30-40'])
  })

  it('marks steps, and attempts of steps', () => {
    const step = { type: 'step_finished', seq: 1, name: 's', afterCursor: 0 } as const
    const failed = { type: 'step_failed', seq: 1, name: 's', attempt: 1, dueAt: 9 } as const
    const { marks } = tell({
      events: [
        [0, created],
        [0, locked],
        [5, { ...failed, reason: 'no' }],
        [9, { ...step, outcome: { type: 'ok' } }],
      ],
    })
    expect(marks).toEqual(['step_failed@5', 'step@9'])
  })
})

describe('an execution that waits', () => {
  const begin: TreeParts['events'] = [
    [0, created],
    [0, locked],
  ]

  it.each<[string, string, readonly ExecutionEvent[]]>([
    ['children', 'children', [childEvent('p'), blockingAskEvent()]],
    ['a delay', 'sleep', [delayEvent('p', 50), blockingAskEvent('n:timers')]],
    ['a message', 'message', [blockingAskEvent('m:approve')]],
    [
      'a message or a time',
      'message',
      [askEvent('m:approve'), delayEvent('p', 50), blockingAskEvent('n:timers')],
    ],
    [
      'a child or a time',
      'children',
      [childEvent('p'), askEvent(), delayEvent('p', 50), blockingAskEvent('n:timers')],
    ],
    [
      'the next attempt of a step',
      'backoff',
      [delayEvent('p', 50, { set: 'o:retry-1-1' }), blockingAskEvent('o:retry-1-1')],
    ],
    [
      'what a withdrawn ask left',
      'sleep',
      [askEvent('m:approve'), withdrawEvent('m:approve'), blockingAskEvent('n:timers')],
    ],
  ])('for %s: %s', (_, expected, waits) => {
    const events = [...begin, ...waits.map((event) => [10, event] as const)]
    const { stretches, outcome } = tell({ events }, 40)
    expect(stretches).toEqual(['running 0-10', `${expected} 10-40`])
    expect(outcome).not.toBe('is due')
  })

  it('until the response that answers its ask', () => {
    const { stretches } = tell({
      events: [
        ...begin,
        [10, childEvent('p')],
        [10, blockingAskEvent()],
        [35, locked],
        [40, finishedEvent()],
      ],
      responses: [
        [12, message('other')],
        [30, childResponse('p')],
      ],
    })
    expect(stretches).toEqual(['running 0-10', 'children 10-30', 'queued 30-35', 'running 35-40'])
  })

  it('not at all, when the response was there before', () => {
    const { stretches } = tell(
      { events: [...begin, [10, blockingAskEvent()]], responses: [[8, childResponse('p')]] },
      20,
    )
    expect(stretches).toEqual(['running 0-10', 'queued 10-20'])
  })

  it('for the second of two, once the first was taken', () => {
    const { stretches } = tell(
      {
        events: [
          ...begin,
          [10, childEvent('p')],
          [10, tryEvent('found')],
          [10, waitEvent({ seenCursor: 1 })],
        ],
        responses: [[8, childResponse('p')]],
      },
      20,
    )
    expect(stretches).toEqual(['running 0-10', 'sleep 10-20'])
  })

  it('marks messages as they come', () => {
    const { marks } = tell({
      events: begin,
      responses: [
        [7, message('approve')],
        [9, delayResponse('p')],
      ],
    })
    expect(marks).toEqual(['message@7'])
  })
})

describe('an execution that is held', () => {
  it('goes on with what a pause interrupted', () => {
    const { stretches } = tell(
      {
        events: [
          [0, created],
          [0, locked],
          [10, delayEvent('p', 90)],
          [10, blockingAskEvent('n:timers')],
          [20, pausedEvent],
          [30, unpausedEvent],
        ],
      },
      40,
    )
    expect(stretches).toEqual(['running 0-10', 'sleep 10-20', 'paused 20-30', 'sleep 30-40'])
  })

  it('says why it is paused', () => {
    const reason = 'version 3 differs'
    const events: TreeParts['events'] = [
      [0, created],
      [9, { type: 'paused', reason }],
    ]
    expect(tell({ events }, 20)).toMatchObject({ outcome: `is paused: ${reason}`, end: 'open' })
  })

  it('is being cancelled until it ends', () => {
    const { stretches, marks, end } = tell({
      events: [
        [0, created],
        [0, locked],
        [10, cancelRequestedEvent],
        [20, cancelledEvent()],
      ],
    })
    expect(stretches).toEqual(['running 0-10', 'cancelling 10-20'])
    expect([marks, end]).toEqual([['cancelled@20'], 'cancelled'])
  })
})

describe('the end in a few words', () => {
  it.each([
    [{ type: 'ok', value: { receipt: 'R-1', at: 3 } }, 'ok R-1'],
    [{ type: 'ok', value: 42 }, 'ok 42'],
    [{ type: 'ok' }, 'ok'],
    [{ type: 'ok', value: { nested: {} } }, 'ok'],
    [{ type: 'err', value: { code: 'declined' } }, 'err declined'],
    [{ type: 'execution_failure', kind: 'timed_out' }, 'timed out'],
    [{ type: 'execution_failure', kind: 'cancelled', reason: 'why' }, 'cancelled: why'],
    [{ type: 'execution_failure', kind: 'uncategorized' }, 'failed'],
    [{ type: 'execution_failure', kind: 'uncategorized', reason: 'workflow trap: no' }, 'no'],
  ] as const)('%j: %s', (outcome, expected) => {
    expect(
      tell({
        events: [
          [0, created],
          [9, finishedEvent(outcome)],
        ],
      }).outcome,
    ).toBe(expected)
  })
})

describe('an execution without a log', () => {
  it('is known by its beginning and end', () => {
    const item = { createdAt: 5, finishedAt: 9, outcomeType: 'ok', status: 'finished' } as const
    expect(tell({ item })).toEqual({
      stretches: ['unknown 5-9'],
      marks: ['ok@9'],
      outcome: 'ok',
      end: 'ok',
    })
  })

  it('says how it failed, or where it is', () => {
    const failed = { outcomeType: 'execution_failure', failureKind: 'timed_out' } as const
    expect(tell({ item: failed })).toMatchObject({ outcome: 'timed out', end: 'err' })
    const cancelled = { ...failed, failureKind: 'cancelled' }
    expect(tell({ item: cancelled })).toMatchObject({ outcome: 'cancelled', end: 'cancelled' })
    expect(tell({ item: { status: 'blocked' } })).toMatchObject({ outcome: 'blocked', end: 'open' })
  })
})
