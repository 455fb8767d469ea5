/** The clock that a user gives, held to its word: an instant, or a typed error. */

import { SteleError } from '../base/error.ts'
import { invalidOption, showValue } from '../base/options.ts'
import type { Clock, Instant } from '../base/time.ts'

/** The last millisecond that fits into an id: the time of a ULID has 48 bits. */
const lastTime: Instant = 2 ** 48 - 1

/**
 * The same clock, whose fractions are cut off. Whatever else it says or throws is `invalid_option`:
 * an instant that is none must not reach a row.
 */
export function createCheckedClock(clock: Clock): Clock {
  return {
    now: () => {
      const instant: unknown = ask(clock)
      if (typeof instant === 'number' && instant >= 0 && instant <= lastTime) {
        return Math.floor(instant)
      }
      throw invalidOption(
        'clock.now',
        `must give milliseconds from 0 to ${lastTime}, not ${showValue(instant)}`,
      )
    },
  }
}

/**
 * For what runs by itself, where nobody could catch an error: a clock that fails stands still, and
 * goes on when it can tell the time again. Throws at once if it never could.
 */
export function createSteadyClock(clock: Clock): Clock {
  let last = clock.now()
  return {
    now: () => {
      try {
        last = clock.now()
      } catch {
        // Whoever calls the client is told.
      }
      return last
    },
  }
}

function ask(clock: Clock): unknown {
  try {
    return clock.now()
  } catch (cause) {
    const message = 'clock.now must give milliseconds; it throws. Give the engine another clock.'
    throw new SteleError('invalid_option', message, { fields: { option: 'clock.now' }, cause })
  }
}
