/** The inbox of an execution: what others tell it. Ordered by cursor, kept for ever. */

import type { Json } from '../base/json.ts'
import type { Instant } from '../base/time.ts'
import type { Cursor, Version } from './event.ts'
import type { DelayId, ExecutionId } from './ids.ts'
import type { JoinSetId } from './join-set.ts'

/** A child ended. Its outcome is read from the child's log, at `finishedVersion`. */
export interface ChildFinishedResponse {
  /** Which response it is. */
  readonly type: 'child_finished'
  /** The join set that the child belongs to. */
  readonly joinSetId: JoinSetId
  /** The child. */
  readonly childExecutionId: ExecutionId
  /** Version of the child's last event. */
  readonly finishedVersion: Version
}

/** A delay fired, or was cancelled. */
export interface DelayFinishedResponse {
  /** Which response it is. */
  readonly type: 'delay_finished'
  /** The join set that the delay belongs to. */
  readonly joinSetId: JoinSetId
  /** The delay. */
  readonly delayId: DelayId
  /** Whether it fired. */
  readonly result: 'ok' | 'cancelled'
}

/** Somebody sent a message; the join set is its channel. */
export interface MessageResponse {
  /** Which response it is. */
  readonly type: 'message'
  /** The channel. */
  readonly joinSetId: JoinSetId
  /** Deduplicates within the channel. */
  readonly messageId?: string
  /** What was sent, in stored form; absent means `undefined`. */
  readonly payload?: Json
}

/** Everything that can arrive in an inbox. */
export type ExecutionResponse = ChildFinishedResponse | DelayFinishedResponse | MessageResponse

/** All names of responses. */
export const responseTypes = ['child_finished', 'delay_finished', 'message'] as const

/** A response in its place. */
export interface LoggedResponse {
  readonly cursor: Cursor
  readonly createdAt: Instant
  /** Position within its join set, from 1: the k-th response answers the k-th ask. */
  readonly ordinal: number
  /** Version of the log when the response arrived; gives log and inbox one common order. */
  readonly afterVersion: Version
  readonly response: ExecutionResponse
}
