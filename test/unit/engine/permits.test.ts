/** Permits are counted: never more than there are, never fewer than none. */

import { describe, expect, it } from 'vitest'
import { createPermits } from '../../../src/engine/permits.ts'

describe('permits', () => {
  it('reserve: gives what is wanted, as long as there is some', () => {
    const permits = createPermits({ total: 3, perFunction: new Map() })
    expect(permits.reserve(2)).toBe(2)
    expect(permits.reserve(2)).toBe(1)
    expect(permits.reserve(2)).toBe(0)
    expect(permits.free()).toBe(0)
  })

  it('reserve: a wish for none, or for less, takes nothing', () => {
    const permits = createPermits({ total: 3, perFunction: new Map() })
    expect([permits.reserve(0), permits.reserve(-1), permits.free()]).toEqual([0, 0, 3])
  })

  it('freeFor: a function without a limit of its own is never short', () => {
    const permits = createPermits({ total: 1, perFunction: new Map() })
    permits.reserve(1)
    permits.use('charge')
    expect(permits.freeFor('charge')).toBe(Number.POSITIVE_INFINITY)
  })

  it('freeFor: what runs counts against the limit of its function alone', () => {
    const limits = new Map([
      ['charge', 2],
      ['ship', 1],
    ])
    const permits = createPermits({ total: 9, perFunction: limits })
    permits.reserve(2)
    permits.use('charge')
    permits.use('charge')
    expect([permits.freeFor('charge'), permits.freeFor('ship')]).toEqual([0, 1])
    permits.release('charge')
    expect([permits.freeFor('charge'), permits.free()]).toEqual([1, 8])
  })

  it('giveBack: what was not used is free again, without a word', () => {
    const permits = createPermits({ total: 3, perFunction: new Map() })
    const heard: boolean[] = []
    permits.onFreed((wasExhausted) => heard.push(wasExhausted))
    permits.reserve(3)
    permits.giveBack(2)
    expect([permits.free(), heard]).toEqual([2, []])
  })

  it('onFreed: tells of each release, and whether its function was at its limit', () => {
    const permits = createPermits({ total: 3, perFunction: new Map([['charge', 2]]) })
    const heard: boolean[] = []
    const unlisten = permits.onFreed((wasExhausted) => heard.push(wasExhausted))
    permits.reserve(3)
    permits.use('charge')
    permits.use('charge')
    permits.use('ship')
    permits.release('ship')
    permits.release('charge')
    permits.release('charge')
    expect(heard).toEqual([false, true, false])
    unlisten()
    permits.reserve(1)
    permits.use('ship')
    permits.release('ship')
    expect(heard.length).toBe(3)
  })

  it('onFreed: a permit is free before anybody hears of it', () => {
    const permits = createPermits({ total: 1, perFunction: new Map([['charge', 1]]) })
    const seen: (readonly [number, number])[] = []
    permits.onFreed(() => seen.push([permits.free(), permits.freeFor('charge')]))
    permits.reserve(1)
    permits.use('charge')
    permits.release('charge')
    expect(seen).toEqual([[1, 1]])
  })

  it('twice: a permit given back twice is a bug, and is said', () => {
    const permits = createPermits({ total: 1, perFunction: new Map() })
    expect(() => {
      permits.giveBack(1)
    }).toThrow(/no permit is given back twice/)
    const others = createPermits({ total: 1, perFunction: new Map() })
    expect(() => {
      others.release('charge')
    }).toThrow(/no permit is given back twice/)
  })
})
