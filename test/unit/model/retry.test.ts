import { describe, expect, it } from 'vitest'
import { lastInstant } from '../../../src/base/time.ts'
import {
  backoffExpiry,
  backoffLimit,
  decideRetry,
  type FailedAttempt,
  type RetryPolicy,
} from '../../../src/model/retry.ts'

function attempt(retry: Partial<RetryPolicy>, fields: Partial<FailedAttempt> = {}): FailedAttempt {
  return {
    executionId: 'E_1',
    failures: 0,
    failedAt: 1000,
    retry: { maxRetries: 5, backoff: 100, ...retry },
    ...fields,
  }
}

function waitAfter(failures: number, retry: Partial<RetryPolicy>): number | undefined {
  const due = decideRetry(attempt(retry, { failures }))
  return due === undefined ? undefined : due - 1000
}

function waits(retry: Partial<RetryPolicy>, count: number): readonly (number | undefined)[] {
  return Array.from({ length: count }, (_, failures) => waitAfter(failures, retry))
}

describe('retry', () => {
  it('backoff: b, 2b, 4b, … as long as there are retries', () => {
    expect(waits({}, 7)).toEqual([100, 200, 400, 800, 1600, undefined, undefined])
  })

  it('budget: r retries make r + 1 runs', () => {
    expect(waits({ maxRetries: 0 }, 1)).toEqual([undefined])
    expect(waits({ maxRetries: 1 }, 2)).toEqual([100, undefined])
  })

  it('budget: null means for ever', () => {
    expect(waitAfter(1_000_000, { maxRetries: null })).toBe(100 * 2 ** 32)
  })

  it('backoff: none stays none', () => {
    expect(waits({ backoff: 0, maxRetries: 3 }, 4)).toEqual([0, 0, 0, undefined])
    expect(waitAfter(1000, { backoff: 0, maxRetries: null, jitter: 1 })).toBe(0)
  })

  it('cap: the wait stops growing at maxBackoff', () => {
    expect(waits({ maxBackoff: 450 }, 5)).toEqual([100, 200, 400, 450, 450])
    expect(waitAfter(0, { maxBackoff: 30 })).toBe(30)
  })

  it('saturation: the exponent at 32, the wait at 100 years, the instant at the last one', () => {
    const forEver = { maxRetries: null, backoff: 1 } as const
    expect(waitAfter(31, forEver)).toBe(2 ** 31)
    expect(waitAfter(32, forEver)).toBe(2 ** 32)
    expect(waitAfter(33, forEver)).toBe(2 ** 32)
    expect(waitAfter(5000, forEver)).toBe(2 ** 32)
    expect(waitAfter(0, { backoff: Number.MAX_SAFE_INTEGER })).toBe(backoffLimit)
    expect(waitAfter(0, { backoff: 1e300, maxBackoff: 1e300 })).toBe(backoffLimit)
    expect(decideRetry(attempt({ backoff: 1e9 }, { failedAt: lastInstant - 5 }))).toBe(lastInstant)
  })

  it('jitter: shortens by at most its share, the same for the same execution and attempt', () => {
    const spread = Array.from({ length: 200 }, (_, index) =>
      backoffExpiry(attempt({ backoff: 1000, jitter: 0.5 }, { executionId: `E_${index}` })),
    ).map((due) => due - 1000)
    expect(Math.min(...spread)).toBeGreaterThanOrEqual(500)
    expect(Math.max(...spread)).toBeLessThanOrEqual(1000)
    expect(new Set(spread).size).toBeGreaterThan(100)
    const one = attempt({ backoff: 1000, jitter: 0.5 })
    expect(backoffExpiry(one)).toBe(backoffExpiry(one))
  })

  it('jitter: attempts of one execution are spread differently', () => {
    const shares = [0, 1, 2, 3].map((failures) => {
      const due = backoffExpiry(attempt({ backoff: 1 << 20, jitter: 1 }, { failures }))
      return (due - 1000) / 2 ** failures
    })
    expect(new Set(shares).size).toBe(4)
  })

  it('jitter: none and zero are alike', () => {
    expect(waitAfter(3, { jitter: 0 })).toBe(waitAfter(3, {}))
  })

  it('jitter: never shortens a wait to none', () => {
    const dues = Array.from({ length: 100 }, (_, index) =>
      backoffExpiry(attempt({ backoff: 1, jitter: 1 }, { executionId: `E_${index}` })),
    )
    expect(new Set(dues)).toEqual(new Set([1001]))
  })

  it('expiry: the instant does not ask for the budget', () => {
    expect(backoffExpiry(attempt({ maxRetries: 0 }, { failures: 2 }))).toBe(1400)
  })
})
