/** Times for people: how long something took, when it was, and what `--since` means. */

import { invalidOption } from '../base/options.ts'
import {
  formatInstant,
  type Instant,
  type Milliseconds,
  parseDuration,
  readInstant,
} from '../base/time.ts'

const second = 1_000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour

/** Units with the one below each, largest first. */
const units = [
  { name: 'd', length: day, below: 'h', belowLength: hour },
  { name: 'h', length: hour, below: 'min', belowLength: minute },
  { name: 'min', length: minute, below: 's', belowLength: second },
] as const

/** `350 ms`, `2.4 s`, `3 min 20 s`, `2 d 4 h`. */
export function formatDuration(duration: Milliseconds): string {
  const length = Math.abs(Math.round(duration))
  const sign = duration < 0 ? '-' : ''
  const unit = units.find((candidate) => length >= candidate.length)
  if (unit === undefined) return sign + shortDuration(length)
  const whole = Math.floor(length / unit.length)
  const rest = Math.floor((length % unit.length) / unit.belowLength)
  const tail = rest === 0 ? '' : ` ${rest} ${unit.below}`
  return `${sign}${whole} ${unit.name}${tail}`
}

function shortDuration(length: Milliseconds): string {
  if (length < second) return `${length} ms`
  // Cut, not rounded: 59.99 s is not 60.0 s.
  return `${(Math.floor(length / 100) / 10).toFixed(1)} s`
}

/** `2026-03-01 08:30:00`, in UTC: for columns. */
export function formatSecond(instant: Instant): string {
  return formatInstant(instant).slice(0, 19).replace('T', ' ')
}

/** `3 min 20 s ago`, `in 2.4 s`. */
export function formatDistance(instant: Instant, now: Instant): string {
  const distance = instant - now
  return distance > 0 ? `in ${formatDuration(distance)}` : `${formatDuration(-distance)} ago`
}

/** An ISO date, or a duration: so long ago. Throws `invalid_option`. */
export function parseMoment(text: string, name: string, now: Instant): Instant {
  const instant = readInstant(text)
  if (instant !== undefined) return instant
  try {
    return now - parseDuration(text)
  } catch {
    throw invalidOption(
      name,
      `must be a date such as 2026-03-01 or 2026-03-01T08:30Z, or how long ago, such as '2h', ` +
        `not ${JSON.stringify(text)}`,
    )
  }
}
