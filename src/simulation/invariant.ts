/** What must hold: the face of an invariant, and what it sees. */

import type { Instant } from '../base/time.ts'
import type { LoggedEvent } from '../model/event.ts'
import type { ExecutionState } from '../model/state.ts'
import type { ListedResponse } from '../storage/read.ts'
import type { LedgerEntry } from './ledger.ts'

/** Log, inbox and state of one execution, as the store had them after the last commit. */
export interface ExecutionView {
  /** The state row. */
  readonly state: ExecutionState
  /** The log, from `created` on. */
  readonly events: readonly LoggedEvent[]
  /** The inbox, in the order of cursors. */
  readonly responses: readonly ListedResponse[]
}

/** One event that a commit has added, between the states before and after it. */
export interface EventStep {
  /** The event in its place. */
  readonly entry: LoggedEvent
  /** Absent before `created`. */
  readonly before: ExecutionState | undefined
  /** What log and inbox amount to with it. */
  readonly after: ExecutionState
}

/** What a commit did to one execution. */
export interface ExecutionChange {
  /** Whose it is. */
  readonly executionId: string
  /** Events that it has added. */
  readonly steps: readonly EventStep[]
  /** Responses that it has added. */
  readonly responses: readonly ListedResponse[]
  /** What log and inbox amount to; `execution.state` is the row. */
  readonly folded: ExecutionState
  /** Log, inbox and state after it. */
  readonly execution: ExecutionView
}

/** A delay that has neither fired nor been cancelled. */
export interface OpenDelay {
  /** The delay. */
  readonly delayId: string
  /** Who asked for it. */
  /** Who asked for it. */
  readonly executionId: string
}

/** What an invariant sees. */
export interface InvariantView {
  /** True time. */
  readonly now: Instant
  /** Who has committed; `world` at the end. */
  readonly process: string
  /** What the commit did; nothing at the end. */
  readonly changes: readonly ExecutionChange[]
  /** Every execution, by id. */
  readonly executions: ReadonlyMap<string, ExecutionView>
  /** Every delay that is still to fire, read when asked for. */
  readonly openDelays: () => readonly OpenDelay[]
  /** What has happened outside of the crash domain. */
  readonly ledger: readonly LedgerEntry[]
}

/** Something that must hold. */
export interface Invariant {
  /** A name for reports, and for shrinking: smaller cases must fail in the same invariant. */
  readonly name: string
  /** Looked at after each commit (the default), or when everything has come to rest. */
  readonly every?: 'commit' | 'end' | undefined
  /** A sentence about what is wrong, or nothing. */
  readonly check: (view: InvariantView) => string | undefined
}
