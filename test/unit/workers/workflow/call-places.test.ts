/** Places on the events of calls. */
import { describe, expect, test } from 'vitest'
import type { ExecutionEvent, SourcePlace } from '../../../../src/model/event.ts'
import { CallPlaces } from '../../../../src/workers/workflow/call-places.ts'
import { askEvent, joinSetEvent } from '../../../support/storage/events.ts'

/** Each look finds the next line. */
function lines(): { readonly find: () => SourcePlace; readonly looks: () => number } {
  let line = 0
  return {
    find: () => {
      line += 1
      return { file: 'order.ts', line, column: 1, hash: 'ab' }
    },
    looks: () => line,
  }
}

function lineOf(event: ExecutionEvent): number | undefined {
  return 'source' in event ? event.source?.line : undefined
}

const stepEnd = {
  type: 'step_finished',
  seq: 1,
  name: 's',
  outcome: { type: 'ok' },
  afterCursor: 0,
} as const

describe('calls', () => {
  test('one call may be several events: it is looked for once', () => {
    const { find, looks } = lines()
    const places = new CallPlaces(find)
    expect(lineOf(places.place(joinSetEvent('n:a', 1), true))).toBe(1)
    expect(lineOf(places.place(askEvent('n:a', 1), true))).toBe(1)
    expect(lineOf(places.place(askEvent('n:a', 2), true))).toBe(2)
    expect(looks()).toBe(2)
  })

  test('the event itself stays as it is', () => {
    const places = new CallPlaces(lines().find)
    const event = askEvent('n:a', 1)
    const { source, ...rest } = places.place(event, true) as typeof event
    expect(rest).toEqual(event)
    expect(source).toEqual({ file: 'order.ts', line: 1, column: 1, hash: 'ab' })
  })

  test('a change of the code has a place of its own, though it has the number before', () => {
    const places = new CallPlaces(lines().find)
    expect(lineOf(places.place(askEvent('n:a', 1), true))).toBe(1)
    expect(lineOf(places.place({ type: 'patched', seq: 1, patchId: 'p' }, true))).toBe(2)
  })

  test('nobody calls out of a turn, and what is no call has no place', () => {
    const { find, looks } = lines()
    const places = new CallPlaces(find)
    expect(lineOf(places.place(askEvent('n:a', 1), false))).toBeUndefined()
    expect(lineOf(places.place({ type: 'paused' }, true))).toBeUndefined()
    expect(looks()).toBe(0)
  })

  test("code that is nobody else's leaves the event without", () => {
    const places = new CallPlaces(() => undefined)
    places.addStep(1)
    expect(places.place(stepEnd, false)).toBe(stepEnd)
    expect(lineOf(places.place(askEvent('n:a', 2), true))).toBeUndefined()
  })
})

describe('steps', () => {
  test('what becomes of a step stands where it was called, and then it is forgotten', () => {
    const { find, looks } = lines()
    const places = new CallPlaces(find)
    places.addStep(1)
    expect(lineOf(places.place(joinSetEvent('o:retry-1-1', 1), false))).toBe(1)
    expect(lineOf(places.place(stepEnd, false))).toBe(1)
    expect(looks()).toBe(1)
    expect(lineOf(places.place(stepEnd, false))).toBeUndefined()
  })
})
