/** When a failed attempt may be repeated, and after how long. Saturates instead of overflowing. */

import { hashText } from '../base/hash.ts'
import { addDuration, type Instant, type Milliseconds } from '../base/time.ts'

/** How failed attempts of a function are repeated. */
export interface RetryPolicy {
  /** Repetitions after the first attempt; `null` means for ever. */
  readonly maxRetries: number | null
  /** Wait before the first repetition; doubles with each. */
  readonly backoff: Milliseconds
  /** The wait never grows beyond this. */
  readonly maxBackoff?: Milliseconds
  /** Share of the wait, 0 to 1, that is spread over executions: deterministic, from the id. */
  readonly jitter?: number
}

/** Longest backoff: any longer one is cut to 100 years. */
export const backoffLimit: Milliseconds = 100 * 365 * 24 * 60 * 60 * 1000

/** The exponent saturates here, as in the original. */
const exponentMax = 32

/** One repetition to decide: whose, and the how-manieth failure in a row of the whole log. */
export interface FailedAttempt {
  /** Whose attempt failed; seeds the jitter. */
  readonly executionId: string
  /** Failures and timeouts counted before this one. */
  readonly failures: number
  readonly retry: RetryPolicy
  /** When the attempt ended. */
  readonly failedAt: Instant
}

/** The instant of the next attempt, or `undefined` when the budget is used up. */
export function decideRetry(attempt: FailedAttempt): Instant | undefined {
  const { maxRetries } = attempt.retry
  if (maxRetries !== null && attempt.failures + 1 > maxRetries) return undefined
  return backoffExpiry(attempt)
}

/** The instant at which the backoff of this attempt ends, whatever the budget says. */
export function backoffExpiry(attempt: FailedAttempt): Instant {
  return addDuration(attempt.failedAt, backoffOf(attempt))
}

function backoffOf({ executionId, failures, retry }: FailedAttempt): Milliseconds {
  const doubled = retry.backoff * 2 ** Math.min(failures, exponentMax)
  const full = Math.min(doubled, retry.maxBackoff ?? backoffLimit, backoffLimit)
  if (retry.jitter === undefined || retry.jitter === 0) return full
  const spread = hashText(executionId, failures) / 2 ** 32
  // A wait never shrinks to none: the next attempt is strictly later than the failed one.
  return Math.max(Math.min(full, 1), Math.round(full * (1 - retry.jitter * spread)))
}
