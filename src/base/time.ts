/**
 * Instants, durations, and the two ports through which the rest of the library meets time. The
 * only file that may touch the system's clock and timers: the simulator replaces both ports.
 */

import { SteleError } from './error.ts'
import { readMember, showSubject, showValue } from './options.ts'

/** Integer milliseconds since 1970 (UTC). */
export type Instant = number

/** Integer milliseconds, never negative. */
export type Milliseconds = number

/** Says what time it is, by the wall. Nothing may rely on it never going back. */
export interface Clock {
  /** The present instant. */
  readonly now: () => Instant
}

/** Ends a wait before its time; harmless when called late or twice. */
export type Cancel = () => void

/**
 * Why something runs later: `poll` only looks whether anything is due, `watch` whether others have
 * committed anything.
 */
export type Purpose = 'poll' | 'watch'

/** Runs things later. All waiting in the library goes through one of these. */
export interface Scheduler {
  /**
   * Calls back once, `delay` milliseconds from now at the earliest; any length is allowed. What
   * has a purpose may be put off while it would find nothing.
   */
  readonly after: (delay: Milliseconds, callback: () => void, purpose?: Purpose) => Cancel
  /** Calls back once, after what is queued in this turn of the event loop. */
  readonly soon: (callback: () => void) => void
  /** Calls back once, when every promise that can settle by itself has settled: nothing waits. */
  readonly onQuiet: (callback: () => void) => void
}

/** A unit in which a duration can be written. */
export type DurationUnit =
  | 'ms'
  | 's'
  | 'sec'
  | 'second'
  | 'seconds'
  | 'm'
  | 'min'
  | 'minute'
  | 'minutes'
  | 'h'
  | 'hour'
  | 'hours'
  | 'd'
  | 'day'
  | 'days'
  | 'w'
  | 'week'
  | 'weeks'

/** Milliseconds, or a text such as `'30s'` or `'3 days'`. */
export type Duration = number | `${number}${DurationUnit}` | `${number} ${DurationUnit}`

const second = 1000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour
const week = 7 * day

const unitLengths: Readonly<Record<DurationUnit, Milliseconds>> = {
  ms: 1,
  s: second,
  sec: second,
  second,
  seconds: second,
  m: minute,
  min: minute,
  minute,
  minutes: minute,
  h: hour,
  hour,
  hours: hour,
  d: day,
  day,
  days: day,
  w: week,
  week,
  weeks: week,
}

const durationText = /^(\d+(?:\.\d+)?|\.\d+) ?([a-z]+)$/

function isUnit(text: string): text is DurationUnit {
  return Object.hasOwn(unitLengths, text)
}

/**
 * Milliseconds of a duration, rounded to the nearest: 0.4 is 0. A text is digits, at most one
 * blank, and a unit; signs, exponents and other blanks are refused with `invalid_option`, as are
 * negative, infinite and unsafe numbers, and whatever is neither number nor text.
 */
export function parseDuration(duration: number | string): Milliseconds {
  const length = lengthOf(duration)
  const rounded = Math.round(length)
  if (Number.isSafeInteger(rounded) && rounded >= 0 && length >= 0) return rounded
  throw invalidDuration(duration)
}

/** Nothing else is asked for its text: a list of one duration is none. */
function lengthOf(duration: unknown): number {
  if (typeof duration === 'number') return duration
  if (typeof duration === 'string') return parseDurationText(duration)
  throw invalidDuration(duration)
}

function parseDurationText(text: string): number {
  const [, amount, unit] = durationText.exec(text) ?? []
  if (amount === undefined || unit === undefined || !isUnit(unit)) throw invalidDuration(text)
  return Number(amount) * unitLengths[unit]
}

function invalidDuration(duration: unknown): SteleError {
  const advice = "Write milliseconds, or a text such as '30s', '5 minutes' or '3 days'."
  const isPlain = typeof duration === 'string' || typeof duration === 'number'
  return new SteleError('invalid_option', `${showSubject(duration)} is not a duration. ${advice}`, {
    fields: { duration: isPlain ? duration : showValue(duration) },
  })
}

/** The last instant that can be stored and shown as a date. */
export const lastInstant: Instant = 8_640_000_000_000_000

/** Integer milliseconds of a date or a number; `invalid_option` when it is not an instant. */
export function parseInstant(instant: Date | number): Instant {
  const value = typeof instant === 'object' ? timeOf(instant) : instant
  if (Number.isFinite(value) && Math.abs(value) <= lastInstant) return Math.round(value)
  const shown =
    typeof readMember(instant, 'getTime') === 'function' ? 'An invalid Date' : showSubject(instant)
  throw new SteleError(
    'invalid_option',
    `${shown} is not an instant. Pass a valid Date, or milliseconds since 1970.`,
  )
}

/** An instant as people and programs read it: `2026-03-01T08:30:00.000Z`. */
export function formatInstant(instant: Instant): string {
  // oxlint-disable-next-line no-restricted-globals -- a calendar, not a clock
  return new Date(instant).toISOString()
}

const isoDate =
  /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?(?:Z|[+-]\d{2}:\d{2})?)?$/

/** The instant of an ISO date; without a zone it is UTC. `undefined` for any other text. */
export function readInstant(text: string): Instant | undefined {
  if (!isoDate.test(text)) return undefined
  const hasZone = text.length === 10 || /(?:Z|[+-]\d{2}:\d{2})$/.test(text)
  // oxlint-disable-next-line no-restricted-globals -- a calendar, not a clock
  const instant = new Date(hasZone ? text : `${text}Z`).getTime()
  return Number.isNaN(instant) ? undefined : instant
}

/** Asked of the method, not of the class: a date may come from another realm, or be no date. */
function timeOf(date: Date): number {
  try {
    return date.getTime()
  } catch {
    return Number.NaN
  }
}

/** `instant + duration`, held within what can be stored. */
export function addDuration(instant: Instant, duration: Milliseconds): Instant {
  return Math.min(instant + duration, lastInstant)
}

/** The wall clock of this machine. */
export const systemClock: Clock = {
  // oxlint-disable-next-line no-restricted-globals -- the one place that reads the system's clock
  now: () => Date.now(),
}

/** Longest delay that the platform's timers keep; longer ones would fire at once. */
const timerDelayMax: Milliseconds = 2 ** 31 - 1

/** The timers of this process. They keep the process alive. */
export const systemScheduler: Scheduler = createSystemScheduler((timer) => timer)

/** The same timers, except that a process which has nothing else to do ends without them. */
export const backgroundScheduler: Scheduler = createSystemScheduler((timer) => timer.unref())

function createSystemScheduler(set: (timer: NodeJS.Timeout) => NodeJS.Timeout): Scheduler {
  return {
    after: (delay, callback) => {
      let remaining = Math.max(0, delay)
      let timer: NodeJS.Timeout | undefined
      const arm = (): void => {
        const part = Math.min(remaining, timerDelayMax)
        remaining -= part
        // oxlint-disable-next-line no-restricted-globals -- the one place that sets timers
        timer = set(setTimeout(remaining > 0 ? arm : callback, part))
      }
      arm()
      return () => {
        clearTimeout(timer)
      }
    },
    soon: (callback) => {
      // oxlint-disable-next-line no-restricted-globals -- the one place that yields to the loop
      setImmediate(callback)
    },
    onQuiet: (callback) => {
      // Asked for from within a microtask, the next tick comes when no microtask is left.
      // oxlint-disable-next-line no-restricted-globals -- the one place that waits for promises
      queueMicrotask(() => {
        // oxlint-disable-next-line no-restricted-globals -- the same
        process.nextTick(callback)
      })
    },
  }
}
