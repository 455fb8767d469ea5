/**
 * One lock held by this process. Its states follow the log: the actor enters one only after the
 * event that says so has been committed. Pure: the engine reports what it did as events.
 */

import { setup } from 'xstate'

/** What can happen while a lock is held. */
export type LockedExecutionEvent =
  /** The worker was called. */
  | { readonly type: 'run' }
  /** The lock was extended: another `locked` event is in the log. */
  | { readonly type: 'extended' }
  /** History was appended by the run. */
  | { readonly type: 'appended' }
  /** The worker has answered; its result is on its way to the log. */
  | { readonly type: 'settle' }
  | { readonly type: 'temporarily_failed' }
  | { readonly type: 'temporarily_timed_out' }
  | { readonly type: 'unlocked' }
  | { readonly type: 'finished' }
  /** The run waits for a response: a blocking event is in the log. */
  | { readonly type: 'parked' }
  /** The run was given up until a person has looked at it. */
  | { readonly type: 'paused' }
  /** Somebody else wrote to the log: a cancellation, the timers watcher, another owner. */
  | { readonly type: 'superseded' }

/** The machine of every locked execution. */
export const lockedExecutionMachine = setup({
  types: { events: {} as LockedExecutionEvent },
}).createMachine({
  id: 'locked_execution',
  initial: 'locked',
  on: { superseded: '.superseded' },
  states: {
    /** Entered with the commit of `locked`; left by `run`. */
    locked: { on: { run: 'running' } },
    /** Entered by `run`; left by `settle`. */
    running: {
      on: {
        extended: { target: 'running', reenter: true },
        appended: { target: 'running', reenter: true },
        settle: 'settling',
      },
    },
    /** Entered by `settle`; left by the commit of the result. */
    settling: {
      on: {
        temporarily_failed: 'retrying',
        temporarily_timed_out: 'retrying',
        unlocked: 'unlocked',
        finished: 'finished',
        parked: 'parked',
        paused: 'paused',
      },
    },
    /** The log ends in `temporarily_failed` or `temporarily_timed_out`. */
    retrying: { type: 'final' },
    /** The log ends in `unlocked`. */
    unlocked: { type: 'final' },
    /** The log ends in a blocking event. */
    parked: { type: 'final' },
    /** The log ends in `paused`, with the reason. */
    paused: { type: 'final' },
    /** The log ends in `finished`. */
    finished: { type: 'final' },
    /** Whatever this run still does is refused by its version. */
    superseded: { type: 'final' },
  },
})
