import { afterEach, beforeEach, describe, expect, it, test, vi } from 'vitest'
import { isSteleError } from '../../../src/base/error.ts'
import {
  addDuration,
  backgroundScheduler,
  formatInstant,
  lastInstant,
  parseDuration,
  parseInstant,
  readInstant,
  systemClock,
  systemScheduler,
} from '../../../src/base/time.ts'
import { eventLoopTurn } from '../../support/test-time.ts'
import { thrownBy } from './thrown-by.ts'

function isRefused(action: () => unknown): boolean {
  return isSteleError(thrownBy(action), 'invalid_option')
}

const cyclic: { self?: unknown } = {}
cyclic.self = cyclic

describe('durations', () => {
  it.each([
    [0, 0],
    [1500, 1500],
    [1.5, 2],
    [0.4, 0],
    [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
    ['0s', 0],
    ['1ms', 1],
    ['30s', 30_000],
    ['2sec', 2000],
    ['1 second', 1000],
    ['2 seconds', 2000],
    ['5m', 300_000],
    ['5 min', 300_000],
    ['1 minute', 60_000],
    ['10 minutes', 600_000],
    ['1h', 3_600_000],
    ['1 hour', 3_600_000],
    ['36 hours', 129_600_000],
    ['1d', 86_400_000],
    ['1 day', 86_400_000],
    ['3 days', 259_200_000],
    ['1w', 604_800_000],
    ['1 week', 604_800_000],
    ['2 weeks', 1_209_600_000],
    ['1.5s', 1500],
    ['.5s', 500],
    ['05s', 5000],
    ['0.0004s', 0],
    ['0.0006s', 1],
  ])('duration: %j is %d ms', (duration, milliseconds) => {
    expect(parseDuration(duration)).toBe(milliseconds)
  })

  it.each([
    '',
    ' ',
    's',
    '5',
    '-5s',
    '+5s',
    '1e3s',
    '0x10s',
    '  5 s',
    '5 s ',
    '5  s',
    '5\ts',
    '5\ns',
    '5s\n',
    '5 S',
    '5Min',
    '5.s',
    '1.2.3s',
    '1,5s',
    '1_000s',
    '٥s',
    '5 fortnights',
    '5 constructor',
    '1h30m',
    'Infinity s',
    'NaNs',
    '99999999999999999999w',
    -1,
    -0.4,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    Number.NEGATIVE_INFINITY,
    Number.MAX_SAFE_INTEGER + 1,
    1e300,
  ])('duration: %j is refused', (duration) => {
    expect(isRefused(() => parseDuration(duration))).toBe(true)
  })

  it.each<[string, unknown]>([
    ['1n', 1n],
    ['Symbol(s)', Symbol('s')],
    ['null', null],
    ['undefined', undefined],
    ['true', true],
    ['A function', () => '5s'],
    ['An array', ['5s']],
    ['An object', Object.create(null)],
    ['An object', cyclic],
  ])('duration: %s is refused in words', (shown, duration) => {
    expect(thrownBy(() => parseDuration(duration as never))).toMatchObject({
      code: 'invalid_option',
      message: expect.stringContaining(`${shown} is not a duration. Write milliseconds`),
    })
    expect(JSON.stringify(thrownBy(() => parseDuration(duration as never)))).toContain('duration')
  })

  it('duration: the refusal shows the text and how to write one', () => {
    expect(() => parseDuration('5  s')).toThrow(
      '"5  s" is not a duration. Write milliseconds, or a text such as',
    )
  })
})

describe('instants', () => {
  it('instant: a date or milliseconds, rounded', () => {
    expect(parseInstant(new Date(1234))).toBe(1234)
    expect(parseInstant(1234.6)).toBe(1235)
    expect(parseInstant(-5)).toBe(-5)
    expect(parseInstant(lastInstant)).toBe(lastInstant)
  })

  it.each([
    new Date(Number.NaN),
    Number.NaN,
    Number.POSITIVE_INFINITY,
    lastInstant + 1,
    -lastInstant - 1,
  ])('instant: %s is refused', (instant) => {
    expect(isRefused(() => parseInstant(instant))).toBe(true)
  })

  it.each<[string, unknown]>([
    ['1n', 1n],
    ['Symbol(s)', Symbol('s')],
    ['null', null],
    ['undefined', undefined],
    ['"2030-01-01"', '2030-01-01'],
    ['An array', [5]],
    ['An object', Object.create(null)],
    ['An object', cyclic],
    ['An object', { getTime: 5 }],
    ['An invalid Date', new Date(Number.NaN)],
    ['An invalid Date', { getTime: () => 'x' }],
    ['An invalid Date', { getTime: () => 5n }],
    [
      'An invalid Date',
      {
        getTime: () => {
          throw new Error('hands off')
        },
      },
    ],
  ])('instant: %s is refused in words', (shown, instant) => {
    expect(thrownBy(() => parseInstant(instant as never))).toMatchObject({
      code: 'invalid_option',
      message: `${shown} is not an instant. Pass a valid Date, or milliseconds since 1970.`,
    })
  })

  it('instant: a sum is held within what a date can show', () => {
    expect(addDuration(1000, 500)).toBe(1500)
    expect(addDuration(lastInstant - 1, 500)).toBe(lastInstant)
    expect(addDuration(0, Number.MAX_SAFE_INTEGER)).toBe(lastInstant)
    expect(Number.isNaN(new Date(addDuration(0, Number.MAX_SAFE_INTEGER)).getTime())).toBe(false)
  })
})

describe('system clock and scheduler', () => {
  beforeEach(() => {
    vi.useFakeTimers({ now: 5000 })
  })

  afterEach(() => {
    vi.useRealTimers()
  })

  const longest = 2 ** 31 - 1

  it('clock: says what the system says', () => {
    expect(systemClock.now()).toBe(5000)
    vi.setSystemTime(4000)
    expect(systemClock.now()).toBe(4000)
  })

  it('after: fires once, not before its time', () => {
    const fired = vi.fn()
    systemScheduler.after(100, fired)
    vi.advanceTimersByTime(99)
    expect(fired).not.toHaveBeenCalled()
    vi.advanceTimersByTime(1)
    expect(fired).toHaveBeenCalledTimes(1)
    vi.advanceTimersByTime(1000)
    expect(fired).toHaveBeenCalledTimes(1)
  })

  it.each([longest, longest + 1, 2 * longest, 3 * longest + 17])(
    'after: a wait of %d ms is kept, whatever the platform thinks of it',
    (delay) => {
      const asked = vi.spyOn(globalThis, 'setTimeout')
      const fired = vi.fn()
      systemScheduler.after(delay, fired)
      vi.advanceTimersByTime(delay - 1)
      expect(fired).not.toHaveBeenCalled()
      vi.advanceTimersByTime(1)
      expect(fired).toHaveBeenCalledTimes(1)
      for (const [, part] of asked.mock.calls) expect(part).toBeLessThanOrEqual(longest)
    },
  )

  it('after: in the background, a timer does not keep the process alive', () => {
    vi.useRealTimers()
    const timers = (): number =>
      process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
    const before = timers()
    const cancelBackground = backgroundScheduler.after(60_000, vi.fn())
    expect(timers()).toBe(before)
    const cancel = systemScheduler.after(60_000, vi.fn())
    expect(timers()).toBe(before + 1)
    cancelBackground()
    cancel()
  })

  it('after: an endless wait does not fire', () => {
    const fired = vi.fn()
    const cancel = systemScheduler.after(Number.POSITIVE_INFINITY, fired)
    vi.advanceTimersByTime(5 * longest)
    expect(fired).not.toHaveBeenCalled()
    cancel()
    expect(vi.getTimerCount()).toBe(0)
  })

  it.each([0, -1])('after: %d fires in the next turn', (delay) => {
    const fired = vi.fn()
    systemScheduler.after(delay, fired)
    expect(fired).not.toHaveBeenCalled()
    vi.advanceTimersByTime(1)
    expect(fired).toHaveBeenCalledTimes(1)
  })

  it('cancel: ends the wait, in its first part and in a later one', () => {
    const fired = vi.fn()
    systemScheduler.after(100, fired)()
    const cancel = systemScheduler.after(2 * longest, fired)
    vi.advanceTimersByTime(longest + 1)
    cancel()
    vi.advanceTimersByTime(2 * longest)
    expect(fired).not.toHaveBeenCalled()
    expect(vi.getTimerCount()).toBe(0)
  })

  it('cancel: harmless when late or twice', () => {
    const fired = vi.fn()
    const cancel = systemScheduler.after(1, fired)
    vi.advanceTimersByTime(1)
    cancel()
    cancel()
    expect(fired).toHaveBeenCalledTimes(1)
  })

  it('soon: after this turn', () => {
    const fired = vi.fn()
    systemScheduler.soon(fired)
    expect(fired).not.toHaveBeenCalled()
    vi.advanceTimersByTime(0)
    expect(fired).toHaveBeenCalledTimes(1)
  })
})

/** What happened until the event loop has turned once. */
async function untilNextTurn(act: (note: (what: string) => void) => void): Promise<string[]> {
  const seen: string[] = []
  act((what) => seen.push(what))
  await eventLoopTurn()
  return seen
}

/** A promise that takes this many microtasks to settle. */
async function chain(length: number): Promise<void> {
  for (let link = 0; link < length; link += 1) await Promise.resolve()
}

describe('quiet', () => {
  it('onQuiet: once, after every promise that settles by itself, and within the turn', async () => {
    const seen = await untilNextTurn((note) => {
      setImmediate(note, 'turn')
      systemScheduler.onQuiet(() => note('quiet'))
      void chain(1000).then(() => note('chain'))
      note('now')
    })
    expect(seen).toEqual(['now', 'chain', 'quiet', 'turn'])
  })

  it('onQuiet: asked for from within a promise, it waits for the others all the same', async () => {
    const seen = await untilNextTurn((note) => {
      void chain(3).then(() => systemScheduler.onQuiet(() => note('quiet')))
      void chain(500).then(() => note('chain'))
    })
    expect(seen).toEqual(['chain', 'quiet'])
  })

  it('onQuiet: promises that a quiet callback starts are waited for by the next one', async () => {
    const seen = await untilNextTurn((note) => {
      systemScheduler.onQuiet(() => {
        note('first')
        void chain(500).then(() => note('chain'))
        systemScheduler.onQuiet(() => note('second'))
      })
    })
    expect(seen).toEqual(['first', 'chain', 'second'])
  })

  it('onQuiet: callbacks run in the order in which they were asked for', async () => {
    const seen = await untilNextTurn((note) => {
      for (const name of ['a', 'b', 'c']) systemScheduler.onQuiet(() => note(name))
    })
    expect(seen).toEqual(['a', 'b', 'c'])
  })

  it('onQuiet: asked for from a next tick, a chain of promises still goes before it', async () => {
    const seen = await untilNextTurn((note) => {
      process.nextTick(() => {
        systemScheduler.onQuiet(() => note('quiet'))
        void chain(500).then(() => note('chain'))
      })
    })
    expect(seen).toEqual(['chain', 'quiet'])
  })
})

describe('the texts of instants', () => {
  test('an instant is written as ISO, and read back', () => {
    const instant = Date.UTC(2026, 2, 1, 8, 30, 5, 7)
    expect(formatInstant(instant)).toBe('2026-03-01T08:30:05.007Z')
    expect(readInstant(formatInstant(instant))).toBe(instant)
  })

  test.each([
    ['2026-03-01', Date.UTC(2026, 2, 1)],
    ['2026-03-01T08:30', Date.UTC(2026, 2, 1, 8, 30)],
    ['2026-03-01 08:30:05', Date.UTC(2026, 2, 1, 8, 30, 5)],
    ['2026-03-01T08:30:05.5+02:00', Date.UTC(2026, 2, 1, 6, 30, 5, 500)],
  ])('%s is read; without a zone it is UTC', (text, instant) => {
    expect(readInstant(text)).toBe(instant)
  })

  test.each(['', '2026', '2026-3-1', '2026-02-30T99:00', 'March 1', '2026-03-01T08'])(
    '%j is none',
    (text) => {
      expect(readInstant(text)).toBeUndefined()
    },
  )
})
