/** How an execution ends, as users see it and as it is stored. */

import type { Json } from '../base/json.ts'

/** Why the engine gave up. */
export type FailureKind = 'timed_out' | 'nondeterminism_detected' | 'cancelled' | 'uncategorized'

/** All kinds of failure, for checks. */
export const failureKinds: readonly FailureKind[] = [
  'timed_out',
  'nondeterminism_detected',
  'cancelled',
  'uncategorized',
]

/** The engine gave up: the function did not get to say yes or no. */
export interface ExecutionFailure {
  /** Which outcome it is. */
  readonly type: 'execution_failure'
  /** Why. */
  readonly kind: FailureKind
  /** One sentence, when there is one. */
  readonly reason?: string
  /** Longer text, usually a stack; cut at `limits.errorDetailBytes`. */
  readonly detail?: string
}

/** The end of an execution: a value, the function's own "no", or a failure of the engine. */
export type Outcome<Output = unknown, Failure = unknown> =
  | { readonly type: 'ok'; readonly value: Output }
  | { readonly type: 'err'; readonly value: Failure }
  | ExecutionFailure

/** An error as data: what is kept of something thrown. A type, so that it counts as JSON. */
export type StoredError = {
  /** Name of its class. */
  readonly name: string
  /** Its message. */
  readonly message: string
  /** Its code, as the errors of Node have one. */
  readonly code?: string | number
  /** Its stack, cut at `limits.errorDetailBytes`. */
  readonly stack?: string
  /** What caused it. */
  readonly cause?: StoredError
  /** The parts of an `AggregateError`. */
  readonly errors?: readonly StoredError[]
}

/** A failure as it is stored: with the error behind it, when user code threw one. */
export interface StoredFailure extends ExecutionFailure {
  /** What was thrown. */
  readonly error?: StoredError
}

/** An outcome as it is stored: values in the codec's form, an absent value is `undefined`. */
export type StoredOutcome =
  | { readonly type: 'ok'; readonly value?: Json }
  | { readonly type: 'err'; readonly value?: Json }
  | StoredFailure
