/** Why the transition table, or a transaction, says no. Values, not exceptions. */

import type { Version } from './event.ts'

/** What the state of the execution forbids. */
export type IllegalReason =
  | 'already_locked'
  | 'not_locked'
  | 'blocked'
  | 'paused'
  | 'not_paused'
  | 'locked'
  | 'cancelling'
  | 'has_run'
  | 'finished'

/** What is wrong with a request in any state. */
export type InvalidReason =
  | 'created_by_append'
  | 'expiry_not_after_lock'
  | 'not_yet_pending'
  | 'empty_batch'
  | 'own_parent'
  | 'not_an_activity'

/** What is taken already. */
export type TakenWhat = 'execution' | 'child_response' | 'delay' | 'message'

/** Every expected refusal of a write. */
export type Refusal =
  /** No such execution, or delay. */
  | { readonly kind: 'not_found'; readonly id: string }
  | { readonly kind: 'already_finished'; readonly version: Version }
  | {
      readonly kind: 'version_conflict'
      /** The version the log would take next. */
      readonly expected: Version
      /** The version that was asked for. */
      readonly requested: Version
    }
  | { readonly kind: 'illegal_state'; readonly reason: IllegalReason }
  | { readonly kind: 'unlock_refused'; readonly state: 'pending' | 'blocked' | 'paused' }
  | { readonly kind: 'invalid'; readonly reason: InvalidReason }
  | { readonly kind: 'taken'; readonly what: TakenWhat; readonly id: string }

/** Shorthand for the most frequent refusal. */
export function illegal(reason: IllegalReason): Refusal {
  return { kind: 'illegal_state', reason }
}
