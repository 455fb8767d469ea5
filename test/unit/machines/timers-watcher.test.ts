/** The drawing of the timers watcher. */

import { describe, expect, it } from 'vitest'
import { timersWatcherMachine } from '../../../machines/timers-watcher.ts'
import { stateAfter, walk } from './walk.ts'

const ticking = { watching: 'ticking' }
const waiting = { watching: 'waiting' }

describe('timers watcher machine', () => {
  it('ticks: at its start, and again while there is more', () => {
    expect(walk(timersWatcherMachine, 'more_expired')).toEqual([
      [ticking, 'tick'],
      [ticking, 'tick'],
    ])
  })

  it.each(['caught_up', 'tick_failed'])('waits: after %s, until a timer is due', (type) => {
    expect(walk(timersWatcherMachine, type, 'timer_due').slice(1)).toEqual([
      [waiting, 'wait'],
      [ticking, 'tick'],
    ])
  })

  it.each([[[]], [['caught_up']]])('closes: at once, after %j', (before) => {
    expect(walk(timersWatcherMachine, ...before, 'close').at(-1)).toEqual(['closed', 'release'])
  })

  it('ticking: is not begun twice', () => {
    expect(walk(timersWatcherMachine, 'timer_due').at(-1)).toEqual([ticking])
    expect(stateAfter(timersWatcherMachine, 'caught_up', 'more_expired')).toEqual(waiting)
  })
})
