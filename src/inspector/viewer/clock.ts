/** The browser's clock and timers: the one file of the viewer that touches them. */

/** By how much the server's clock is ahead of the browser's. */
let ahead = 0

/** Remembers what time it is where the executions run. */
export function setServerTime(now: number): void {
  // oxlint-disable-next-line no-restricted-globals -- the one place that reads the browser's clock
  ahead = now - Date.now()
}

/** The time where the executions run. */
export function serverNow(): number {
  // oxlint-disable-next-line no-restricted-globals -- the one place that reads the browser's clock
  return Date.now() + ahead
}

/** A clock for lengths of time: it never goes back. */
export function ticks(): number {
  // oxlint-disable-next-line no-restricted-globals -- the one place that reads the browser's clock
  return performance.now()
}

/** Calls back once, later; gives what ends the wait. */
export function after(delay: number, callback: () => void): () => void {
  // oxlint-disable-next-line no-restricted-globals -- the one place that sets timers
  const timer = setTimeout(callback, delay)
  return () => {
    clearTimeout(timer)
  }
}

/** Calls back again and again; gives what ends it. */
export function every(interval: number, callback: () => void): () => void {
  // oxlint-disable-next-line no-restricted-globals -- the one place that sets timers
  const timer = setInterval(callback, interval)
  return () => {
    clearInterval(timer)
  }
}

const two = (value: number): string => String(value).padStart(2, '0')

/** An instant by the reader's own calendar: `2026-03-01 08:30:00.123`. */
export function formatInstant(instant: number): string {
  // oxlint-disable-next-line no-restricted-globals -- a calendar, not a clock
  const date = new Date(instant)
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
  return `${day} ${formatTime(instant)}`
}

/** The time of day of an instant: `08:30:00.123`. */
export function formatTime(instant: number): string {
  // oxlint-disable-next-line no-restricted-globals -- a calendar, not a clock
  const date = new Date(instant)
  const clock = [date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(':')
  return `${clock}.${String(date.getMilliseconds()).padStart(3, '0')}`
}

/** The instant that an input of type `datetime-local` holds; `undefined` while it holds none. */
export function parseLocal(text: string): number | undefined {
  // oxlint-disable-next-line no-restricted-globals -- a calendar, not a clock
  const instant = new Date(text).getTime()
  return Number.isNaN(instant) ? undefined : instant
}
