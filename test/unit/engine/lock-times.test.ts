/** A lock lasts the shorter of expiry and timeout, and is renewed at thirds of that. */

import { describe, expect, it } from 'vitest'
import { firstLockLength, renewalIntervalOf, timesOf } from '../../../src/engine/lock-times.ts'
import { activityFunction } from './builders.ts'

describe('lock times', () => {
  it.each([
    ['a short lock', { lockExpiry: 300, timeout: 1000 }, 300, 100],
    ['a short attempt', { lockExpiry: 30_000, timeout: 1000 }, 1000, 334],
    ['both the same', { lockExpiry: 1000, timeout: 1000 }, 1000, 334],
    ['the shortest', { lockExpiry: 1, timeout: 1 }, 1, 1],
  ] as const)('length: %s', (_, part, length, interval) => {
    const settings = activityFunction(part)
    expect([firstLockLength(settings), renewalIntervalOf(settings)]).toEqual([length, interval])
    expect(timesOf(5000 + length, settings)).toEqual({
      lockedAt: 5000,
      deadline: 5000 + part.timeout,
    })
  })
})
