import { describe, expect, it } from 'vitest'
import { askOf, blockingOf, eventTypes, isHistoryEvent } from '../../../src/model/event.ts'
import { boxes, eventNames, events } from './builders.ts'

describe('events', () => {
  it('types: listed once each, and each has an example here', () => {
    const seen = new Set(eventNames.map((name) => events[name].type))
    expect([...seen].toSorted()).toEqual(eventTypes.toSorted())
    expect(new Set(eventTypes).size).toBe(eventTypes.length)
    expect(eventTypes.length).toBe(23)
  })

  it('history: what user code caused, and nothing else', () => {
    const history = eventTypes.filter((type) =>
      eventNames.some((name) => events[name].type === type && isHistoryEvent(events[name])),
    )
    expect(history).toEqual([
      'join_set_create',
      'join_set_request',
      'join_next',
      'join_next_try',
      'join_next_too_many',
      'join_next_withdraw',
      'wait',
      'step_finished',
      'step_failed',
      'schedule',
      'stub',
      'patched',
      'macrostep',
    ])
  })

  it('blocking: only a wait, and an ask with both of its fields', () => {
    const blocking = eventNames.filter((name) => blockingOf(events[name]) !== undefined)
    expect(blocking).toEqual(['join_next_waiting', 'wait'])
    expect(blockingOf(events.wait)).toEqual({ seenCursor: 6, runExpiresAt: 1700 })
    expect(blockingOf({ ...events.wait, seenCursor: 0, runExpiresAt: 0 })).toEqual({
      seenCursor: 0,
      runExpiresAt: 0,
    })
  })

  it('asks: an ask counts, a look that found counts, a withdrawn ask counts back', () => {
    const changes = eventNames.flatMap((name) => {
      const ask = askOf(events[name])
      return ask === undefined ? [] : [[name, ask.joinSetId, ask.change]]
    })
    expect(changes).toEqual([
      ['join_next', boxes, 1],
      ['join_next_half', boxes, 1],
      ['join_next_waiting', boxes, 1],
      ['join_next_try', boxes, 1],
      ['join_next_withdraw', boxes, -1],
    ])
  })

  it.each(['pending', 'all_processed'] as const)('asks: a look that gave %s is none', (outcome) => {
    expect(askOf({ ...events.join_next_try, outcome })).toBeUndefined()
  })
})
