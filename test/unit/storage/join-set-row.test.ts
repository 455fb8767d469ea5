/** The counters of join sets: what counts as an ask. */

import { describe, expect, test } from 'vitest'
import {
  countResponseCall,
  firstAnswerCall,
  joinSetCalls,
  parseCounts,
} from '../../../src/storage/join-set-row.ts'
import {
  askEvent,
  blockingAskEvent,
  joinSetEvent,
  openedSet,
  sampleEvents,
  tryEvent,
  withdrawEvent,
} from '../../support/storage/events.ts'
import { executionId, joinSet } from '../../support/storage/ids.ts'

const a = executionId('a')

describe('joinSetCalls()', () => {
  test.each([askEvent('n:x'), blockingAskEvent('n:x'), tryEvent('found', 'n:x')])(
    '$type counts up',
    (event) => {
      expect(joinSetCalls(a, event)).toMatchObject([
        { statement: { name: 'count-ask' }, values: ['a', 'n:x'] },
      ])
    },
  )

  test('a withdrawal counts down', () => {
    expect(joinSetCalls(a, withdrawEvent('n:x'))).toMatchObject([
      { statement: { name: 'withdraw-ask' }, values: ['a', 'n:x'] },
    ])
  })

  test.each(['cancel', 'await', 'abandon'] as const)('a set that says %s keeps it', (onClose) => {
    expect(joinSetCalls(a, openedSet('n:x', onClose))).toMatchObject([
      { statement: { name: 'keep-on-close' }, values: ['a', 'n:x', onClose] },
    ])
  })

  test('nothing else changes a row', () => {
    expect(joinSetCalls(a, joinSetEvent('n:x'))).toEqual([])
    const counted = new Set<string>(['join_next', 'join_next_withdraw', 'join_set_create'])
    const others = sampleEvents.filter(({ type }) => !counted.has(type))
    expect(others.flatMap((event) => joinSetCalls(a, event))).toEqual([])
    expect(joinSetCalls(a, tryEvent('all_processed'))).toEqual([])
  })
})

test('countResponseCall() and firstAnswerCall() name execution, set and cursor', () => {
  expect(countResponseCall(a, joinSet('n:x')).values).toEqual(['a', 'n:x'])
  expect(firstAnswerCall(a, 7).values).toEqual(['a', 7])
})

describe('parseCounts()', () => {
  test('asks and responses', () => {
    expect(parseCounts({ asks: 2, responses: '3' })).toEqual({ asks: 2, responses: 3 })
  })

  test.each([{ asks: 1 }, { responses: 1 }, { asks: 'x', responses: 1 }])(
    '%o is corrupt',
    (row) => {
      expect(() => parseCounts(row)).toThrow(expect.objectContaining({ code: 'storage_corrupt' }))
    },
  )
})
