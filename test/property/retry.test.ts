/** What holds for every retry policy, however odd. */

import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { backoffExpiry, backoffLimit, decideRetry } from '../../src/model/retry.ts'

const seed = 20_260_330
const numRuns = 300

const hour = 3_600_000
const policies = fc.record(
  {
    maxRetries: fc.oneof(fc.nat(12), fc.constant(null)),
    backoff: fc.oneof(
      fc.integer({ min: 1, max: hour }),
      fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
    ),
    maxBackoff: fc.integer({ min: 1, max: 48 * hour }),
    jitter: fc.double({ min: 0, max: 1, noNaN: true }),
  },
  { requiredKeys: ['maxRetries', 'backoff'] },
)
const steady = policies.map(({ jitter: _jitter, ...policy }) => policy)
const instants = fc.integer({ min: 0, max: 4_102_444_800_000 })
const failures = fc.oneof(fc.nat(40), fc.nat())
const ids = fc.string({ maxLength: 20 })
const attempts = fc.record({
  executionId: ids,
  failures,
  failedAt: instants,
  retry: policies,
})

describe(`retry (seed ${seed})`, () => {
  it('doubling: each wait is twice the last one, until a cap', () => {
    fc.assert(
      fc.property(steady, fc.nat(31), (retry, count) => {
        const wait = (n: number): number =>
          backoffExpiry({ executionId: 'E', failures: n, failedAt: 0, retry })
        const cap = Math.min(retry.maxBackoff ?? backoffLimit, backoffLimit)
        expect(wait(0)).toBe(Math.min(retry.backoff, cap))
        expect(wait(count + 1)).toBe(Math.min(2 * wait(count), cap))
      }),
      { seed, numRuns },
    )
  })

  it('future: with a backoff the next attempt is strictly later, jitter or not', () => {
    fc.assert(
      fc.property(attempts, (attempt) => {
        const { failedAt, retry } = attempt
        const due = backoffExpiry(attempt)
        expect(due).toBeGreaterThan(failedAt)
        expect(Number.isSafeInteger(due)).toBe(true)
        expect(due - failedAt).toBeLessThanOrEqual(retry.maxBackoff ?? backoffLimit)
      }),
      { seed, numRuns },
    )
  })

  it('translation: shifting the failure shifts the next attempt, nothing else', () => {
    fc.assert(
      fc.property(attempts, instants, (attempt, otherInstant) => {
        const waitAt = (failedAt: number): number | undefined => {
          const due = decideRetry({ ...attempt, failedAt })
          return due === undefined ? undefined : due - failedAt
        }
        expect(waitAt(attempt.failedAt)).toBe(waitAt(otherInstant))
      }),
      { seed, numRuns },
    )
  })

  it('budget: there are exactly maxRetries + 1 attempts', () => {
    fc.assert(
      fc.property(policies, ids, (retry, executionId) => {
        fc.pre(retry.maxRetries !== null)
        let count = 1
        let due: number | undefined = 0
        while (count < 100) {
          due = decideRetry({ executionId, failures: count - 1, failedAt: due, retry })
          if (due === undefined) break
          count += 1
        }
        expect(count).toBe((retry.maxRetries ?? 0) + 1)
      }),
      { seed, numRuns },
    )
  })

  it('jitter: never lengthens, and shortens by its share at most', () => {
    fc.assert(
      fc.property(policies, failures, ids, (retry, count, executionId) => {
        const { jitter = 0, ...rest } = retry
        const base = { executionId, failures: count, failedAt: 0 }
        const full = backoffExpiry({ ...base, retry: rest })
        const spread = backoffExpiry({ ...base, retry })
        expect(spread).toBeLessThanOrEqual(full)
        expect(spread).toBeGreaterThanOrEqual(Math.floor(full * (1 - jitter)))
      }),
      { seed, numRuns },
    )
  })
})
