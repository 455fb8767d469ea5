/**
 * An executor: polls for due executions while it has permits, waits when nothing is due, and
 * drains before it closes. Pure: timers, notices and I/O come in as events.
 */

import { setup } from 'xstate'

/** What can happen to an executor. */
export type ExecutorEvent =
  /** A poll locked everything it had permits for: more may be due. */
  | { readonly type: 'batch_locked' }
  /** A poll found less than it had permits for. */
  | { readonly type: 'nothing_due' }
  /** The storage failed. */
  | { readonly type: 'poll_failed' }
  /** There is no permit to poll with. */
  | { readonly type: 'permits_exhausted' }
  /** A notice, a due time or the end of a pause. */
  | { readonly type: 'work_due' }
  /** A run has given its permit back. */
  | { readonly type: 'permit_freed' }
  /** No new locks from here on. */
  | { readonly type: 'close' }
  /** The last run has ended. */
  | { readonly type: 'drained' }

/** The machine of every executor. */
export const executorMachine = setup({
  types: { events: {} as ExecutorEvent },
  actions: {
    /** Locks what is due, once. */
    poll: () => undefined,
    /** Arms the timer for the next due time. */
    wait: () => undefined,
    /** Says once that there are no permits left. */
    saturate: () => undefined,
    /** Reports `drained` as soon as nothing is held. */
    drain: () => undefined,
    /** Lets go of timers and listeners. */
    release: () => undefined,
  },
}).createMachine({
  id: 'executor',
  initial: 'polling',
  states: {
    polling: {
      initial: 'locking',
      on: { close: 'closing' },
      states: {
        /** Entered by `work_due`, `permit_freed`, `batch_locked`; left by the poll's result. */
        locking: {
          entry: 'poll',
          on: {
            batch_locked: { target: 'locking', reenter: true },
            nothing_due: 'waiting',
            poll_failed: 'waiting',
            permits_exhausted: '#executor.saturated',
          },
        },
        /** Entered by `nothing_due`, `poll_failed`; left by `work_due`. */
        waiting: {
          entry: 'wait',
          on: { work_due: 'locking' },
        },
      },
    },
    /** Entered by `permits_exhausted`; left by `permit_freed`. */
    saturated: {
      entry: 'saturate',
      on: { permit_freed: 'polling', close: 'closing' },
    },
    closing: {
      initial: 'draining',
      states: {
        /** Entered by `close`; left by `drained`. Late results of a poll are ignored. */
        draining: {
          entry: 'drain',
          on: { drained: '#executor.closed' },
        },
      },
    },
    /** Entered by `drained`. */
    closed: { type: 'final', entry: 'release' },
  },
})
