/**
 * The timers watcher: frees expired locks, fires due delays, carries cancellations down; then
 * waits for the next one. Pure: timers, notices and I/O come in as events.
 */

import { setup } from 'xstate'

/** What can happen to the watcher. */
export type TimersWatcherEvent =
  /** Everything that had expired is done. */
  | { readonly type: 'caught_up' }
  /** As much was done as fits into one tick; there is more. */
  | { readonly type: 'more_expired' }
  /** The storage failed. */
  | { readonly type: 'tick_failed' }
  /** A notice, a due time or the end of a pause. */
  | { readonly type: 'timer_due' }
  /** No new ticks from here on. */
  | { readonly type: 'close' }

/** The machine of the timers watcher. */
export const timersWatcherMachine = setup({
  types: { events: {} as TimersWatcherEvent },
  actions: {
    /** Handles what has expired, once. */
    tick: () => undefined,
    /** Arms the timer for the next due time. */
    wait: () => undefined,
    /** Lets go of timers and listeners. */
    release: () => undefined,
  },
}).createMachine({
  id: 'timers_watcher',
  initial: 'watching',
  states: {
    watching: {
      initial: 'ticking',
      on: { close: 'closed' },
      states: {
        /** Entered by `timer_due`, `more_expired`; left by the result of the tick. */
        ticking: {
          entry: 'tick',
          on: {
            more_expired: { target: 'ticking', reenter: true },
            caught_up: 'waiting',
            tick_failed: 'waiting',
          },
        },
        /** Entered by `caught_up`, `tick_failed`; left by `timer_due`. */
        waiting: {
          entry: 'wait',
          on: { timer_due: 'ticking' },
        },
      },
    },
    /** Entered by `close`. */
    closed: { type: 'final', entry: 'release' },
  },
})
