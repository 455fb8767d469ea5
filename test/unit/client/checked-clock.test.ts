import { describe, expect, it } from 'vitest'
import { createCheckedClock, createSteadyClock } from '../../../src/client/checked-clock.ts'
import { thrownBy } from '../base/thrown-by.ts'

const lastTime = 2 ** 48 - 1

describe('createCheckedClock', () => {
  it.each([
    [0, 0],
    [1500, 1500],
    [1500.9, 1500],
    [lastTime, lastTime],
  ])('clock: %d is the instant %d', (given, instant) => {
    expect(createCheckedClock({ now: () => given }).now()).toBe(instant)
  })

  it.each<[string, unknown]>([
    ['NaN', Number.NaN],
    ['Infinity', Number.POSITIVE_INFINITY],
    ['undefined', undefined],
    ['1n', 1n],
    ['"5"', '5'],
    ['an object', new Date(5)],
    ['-1', -1],
    ['281474976710656', lastTime + 1],
  ])('clock: %s is no instant', (shown, given) => {
    const clock = createCheckedClock({ now: () => given as never })
    expect(thrownBy(() => clock.now())).toMatchObject({
      code: 'invalid_option',
      message: `clock.now must give milliseconds from 0 to 281474976710655, not ${shown}.`,
      fields: { option: 'clock.now' },
    })
  })

  it('clock: one that throws is the cause', () => {
    const cause = new Error('stopped')
    const clock = createCheckedClock({
      now: () => {
        throw cause
      },
    })
    expect(thrownBy(() => clock.now())).toMatchObject({ code: 'invalid_option', cause })
  })

  it('clock: is asked as what it is, with its own `this`', () => {
    class Steps {
      #present = 1

      now(): number {
        this.#present += 1
        return this.#present
      }
    }
    expect(createCheckedClock(new Steps()).now()).toBe(2)
  })
})

describe('createSteadyClock', () => {
  it('clock: stands still while it cannot tell the time', () => {
    let present = 5
    const clock = createSteadyClock(createCheckedClock({ now: () => present }))
    const seen = [5, Number.NaN, 7].map((next) => {
      present = next
      return clock.now()
    })
    expect(seen).toEqual([5, 5, 7])
  })

  it('clock: one that never could is refused at once', () => {
    const broken = createCheckedClock({ now: () => Number.NaN })
    expect(thrownBy(() => createSteadyClock(broken))).toMatchObject({ code: 'invalid_option' })
  })
})
