import { expect, test } from 'vitest'
import {
  formatInstant,
  formatTime,
  parseLocal,
  serverNow,
  setServerTime,
} from '../../../../src/inspector/viewer/clock.ts'

test('the time is that of the server, whatever the browser thinks', () => {
  setServerTime(5_000)
  const now = serverNow()
  expect(now).toBeGreaterThanOrEqual(5_000)
  expect(now).toBeLessThan(60_000)
})

test('an instant is written by the calendar of the reader, and read back', () => {
  const instant = 1_796_066_434_678
  const text = formatInstant(instant)
  expect(text).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.678$/)
  expect(parseLocal(text.replace(' ', 'T'))).toBe(instant)
  expect(text.endsWith(formatTime(instant))).toBe(true)
})

test('a field that holds no instant gives none', () => {
  expect(parseLocal('')).toBeUndefined()
})
