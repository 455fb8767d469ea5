/** How long a lock lasts, when it is renewed, and when the attempt under it has to end. */

import { addDuration, type Instant, type Milliseconds } from '../base/time.ts'
import type { EngineFunction } from './engine-function.ts'

/** When the lock began, and when the attempt's time is up. */
export function timesOf(
  lockExpiresAt: Instant,
  settings: EngineFunction,
): { lockedAt: Instant; deadline: Instant } {
  // The first lock lasts the shorter of the two, so its beginning can be read off its end.
  const lockedAt = lockExpiresAt - firstLockLength(settings)
  return { lockedAt, deadline: addDuration(lockedAt, settings.timeout) }
}

/** How long the first lock of a run lasts. */
export function firstLockLength({ lockExpiry, timeout }: EngineFunction): Milliseconds {
  return Math.min(lockExpiry, timeout)
}

/** Renewals happen this many times within a lock's life. */
const renewalsPerLock = 3

/** How long after a lock began, or was renewed, it is renewed; whole milliseconds. */
export function renewalIntervalOf(settings: EngineFunction): Milliseconds {
  return Math.ceil(firstLockLength(settings) / renewalsPerLock)
}
