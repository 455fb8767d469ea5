/** Timers by due time, and in the order in which they were set where that is the same. */

import type { Instant } from '../base/time.ts'

/** What the heap orders. */
export interface Timed {
  readonly dueAt: Instant
  /** Rises with each timer that is set. */
  readonly seq: number
}

/** The earliest first. */
export interface TimerHeap<Timer extends Timed> {
  readonly push: (timer: Timer) => void
  readonly peek: () => Timer | undefined
  readonly pop: () => Timer | undefined
  readonly size: () => number
}

/** An empty heap: a binary one, in an array. */
export function createTimerHeap<Timer extends Timed>(): TimerHeap<Timer> {
  const heap: Timer[] = []
  return {
    push: (timer) => {
      heap.push(timer)
      siftUp(heap)
    },
    peek: () => heap[0],
    pop: () => {
      const [first] = heap
      const last = heap.pop()
      if (last !== undefined && heap.length > 0) {
        heap[0] = last
        siftDown(heap)
      }
      return first
    },
    size: () => heap.length,
  }
}

function isBefore(left: Timed | undefined, right: Timed | undefined): boolean {
  if (left === undefined || right === undefined) return left !== undefined
  return left.dueAt === right.dueAt ? left.seq < right.seq : left.dueAt < right.dueAt
}

/** Changes places; false when the second is not before the first. */
function swapIfBefore(heap: Timed[], upper: number, lower: number): boolean {
  const [above, below] = [heap[upper], heap[lower]]
  if (above === undefined || below === undefined || !isBefore(below, above)) return false
  heap[upper] = below
  heap[lower] = above
  return true
}

function siftUp(heap: Timed[]): void {
  let place = heap.length - 1
  while (place > 0) {
    const parent = (place - 1) >> 1
    if (!swapIfBefore(heap, parent, place)) return
    place = parent
  }
}

function siftDown(heap: Timed[]): void {
  let place = 0
  for (;;) {
    const left = 2 * place + 1
    const child = isBefore(heap[left + 1], heap[left]) ? left + 1 : left
    if (!swapIfBefore(heap, place, child)) return
    place = child
  }
}
