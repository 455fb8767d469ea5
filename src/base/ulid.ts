/** ULIDs from our own clock and randomness: sorted by time, rising within a millisecond. */

import { monotonicFactory, ulid } from 'ulid'
import type { Random } from './random.ts'
import type { Clock, Instant } from './time.ts'

/** Makes a new ULID: 26 characters of Crockford's base 32. */
export type MintUlid = () => string

/** A source of ULIDs that never repeats or falls within one process. */
export function createUlids(clock: Clock, random: Random): MintUlid {
  const mint = monotonicFactory(random.next)
  return () => mint(timeOf(clock.now()))
}

/** The ULID of an instant, as this randomness makes it; the same for the same draws. */
export function ulidAt(instant: Instant, random: Random): string {
  return ulid(timeOf(instant), random.next)
}

/** The package takes no time, and zero, for a wish to ask the system's clock. */
function timeOf(instant: Instant): number {
  return Math.max(1, instant)
}
