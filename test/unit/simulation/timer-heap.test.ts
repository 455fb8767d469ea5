import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createTimerHeap, type Timed } from '../../../src/simulation/timer-heap.ts'

const byTime = (left: Timed, right: Timed): number =>
  left.dueAt - right.dueAt || left.seq - right.seq

describe('the timer heap', () => {
  it('is empty at first', () => {
    const heap = createTimerHeap()
    expect([heap.size(), heap.peek(), heap.pop(), heap.size()]).toEqual([
      0,
      undefined,
      undefined,
      0,
    ])
  })

  it('shows the earliest and keeps it', () => {
    const heap = createTimerHeap()
    heap.push({ dueAt: 5, seq: 1 })
    heap.push({ dueAt: 3, seq: 2 })
    expect(heap.peek()).toEqual({ dueAt: 3, seq: 2 })
    expect(heap.size()).toBe(2)
  })

  it('gives timers by due time, and as they were set where that is the same', () => {
    // A model that sorts; undefined stands for a pop.
    const commands = fc.array(fc.option(fc.nat(5), { nil: undefined }), { maxLength: 60 })
    fc.assert(
      fc.property(commands, (asked) => {
        const heap = createTimerHeap()
        let model: Timed[] = []
        const given: unknown[] = []
        const wanted: unknown[] = []
        for (const [seq, dueAt] of asked.entries()) {
          if (dueAt === undefined) {
            given.push(heap.pop())
            wanted.push(model[0])
            model = model.slice(1)
          } else {
            heap.push({ dueAt, seq })
            model = [...model, { dueAt, seq }].toSorted(byTime)
          }
          given.push(heap.size(), heap.peek())
          wanted.push(model.length, model[0])
        }
        expect(given).toEqual(wanted)
      }),
    )
  })
})
