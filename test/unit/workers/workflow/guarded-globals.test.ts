import { promisify } from 'node:util'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { isSteleError } from '../../../../src/base/error.ts'
import {
  createGuardedGlobals,
  type GlobalsScope,
} from '../../../../src/workers/workflow/guarded-globals.ts'
import type { Installable } from '../../../../src/workers/workflow/replaced-global.ts'
import { thrownBy } from '../../base/thrown-by.ts'

const instant = 1_000_000_000_000
const realDate = Date
const keys = ['Date', 'setTimeout', 'setInterval', 'setImmediate', 'fetch'] as const
const places = [
  ...keys.map((key) => [globalThis, key] as const),
  [Math, 'random'] as const,
  [Date.prototype, 'constructor'] as const,
  [Date, 'now'] as const,
]
const descriptors = (): unknown[] =>
  places.map(([owner, key]) => Object.getOwnPropertyDescriptor(owner, key))
const before = descriptors()

/** A copy of the package: its guarded globals, and code that counts as a workflow's. */
interface Copy extends Installable {
  readonly inside: <T>(fn: () => T, functionName?: string) => T
  readonly warnings: string[]
}

const copies: Copy[] = []

function createCopy(at = instant): Copy {
  let scope: GlobalsScope | undefined
  const within = <T>(next: GlobalsScope | undefined, fn: () => T): T => {
    const outer = scope
    scope = next
    try {
      return fn()
    } finally {
      scope = outer
    }
  }
  const warnings: string[] = []
  const leave = <T>(fn: () => T): T => within(undefined, fn)
  const { install, uninstall } = createGuardedGlobals({ current: () => scope, leave })
  const warn = (message: string): void => {
    warnings.push(`${scope === undefined ? 'outside' : 'inside'}: ${message}`)
  }
  const scopeOf = (functionName: string): GlobalsScope => ({
    functionName,
    now: () => at,
    random: () => 0.25,
    warn,
  })
  const inside: Copy['inside'] = (fn, functionName = 'order') => within(scopeOf(functionName), fn)
  const copy = { install, uninstall, inside, warnings }
  copies.push(copy)
  return copy
}

function installed(): Copy {
  const copy = createCopy()
  copy.install()
  return copy
}

afterEach(() => {
  vi.useRealTimers()
  for (const copy of copies.splice(0)) copy.uninstall()
  expect(descriptors()).toEqual(before)
  expect(Date).toBe(realDate)
})

describe('Date in a workflow', () => {
  it('guard: now, a new date and the text of today are those of the scope', () => {
    const { inside } = installed()
    expect(inside(() => Date.now())).toBe(instant)
    expect(inside(() => new Date().getTime())).toBe(instant)
    expect(inside(() => Date())).toBe(new realDate(instant).toString())
    expect(inside((): unknown => Reflect.construct(Date, []))).toEqual(new realDate(instant))
  })

  it('guard: outside they are the real ones', () => {
    installed()
    const start = realDate.now()
    const times = [Date.now(), new Date().getTime(), Date.parse(Date()) + 999]
    expect(times.every((time) => time >= start && time < start + 60_000)).toBe(true)
  })

  it.each<readonly [string, () => unknown]>([
    ['of milliseconds', () => new Date(5).getTime()],
    ['of undefined', () => new Date(undefined as never).getTime()],
    ['of a text', () => new Date('2024-02-03').getTime()],
    ['of parts', () => new Date(2024, 1, 3, 4, 5, 6, 7).getTime()],
    ['of a date', () => new Date(new Date(7)).getTime()],
    ['UTC', () => Date.UTC(2024, 1)],
    ['parse', () => Date.parse('2024-02-03')],
    ['name', () => [Date.name, Date.length, Date.now.name, Date.now.length]],
    ['own keys', () => Reflect.ownKeys(Date).filter((key) => typeof key === 'string')],
    ['prototype', () => Date.prototype === realDate.prototype],
    ['constructor', () => new Date(5).constructor === Date],
    ['instanceof', () => new Date(5) instanceof Date && new realDate(5) instanceof Date],
    ['instanceof, the other way', () => new Date() instanceof realDate],
    ['class', () => Object.prototype.toString.call(new Date())],
    ['copies', () => structuredClone(new Date(5)) instanceof Date],
  ])('guard: a date %s is unchanged', (_case, ask) => {
    const bare = ask()
    const { inside } = installed()
    expect(ask()).toEqual(bare)
    expect(inside(ask)).toEqual(bare)
  })

  it('guard: a subclass is one, with the time of the scope', () => {
    const { inside } = installed()
    class Day extends Date {
      get day(): number {
        return Math.floor(this.getTime() / 86_400_000)
      }
    }
    const day = inside(() => new Day())
    expect([day instanceof Day, day instanceof Date, day.day]).toEqual([true, true, 11_574])
    expect(new Day(5).getTime()).toBe(5)
    expect(Reflect.construct(Date, [5], Day)).toBeInstanceOf(Day)
  })
})

describe('Math.random in a workflow', () => {
  it('guard: is that of the scope, and outside the real one', () => {
    const { inside } = installed()
    expect(inside(() => Math.random())).toBe(0.25)
    expect(new Set([Math.random(), Math.random(), 0.25]).size).toBe(3)
    expect([Math.random.name, Math.random.length]).toEqual(['random', 0])
  })
})

describe('warnings', () => {
  it('guard: one for each function while installed, told outside the workflow', () => {
    const { inside, warnings, uninstall, install } = installed()
    const ask = (): unknown => [Date.now(), new Date(), Math.random()]
    for (const name of ['order', 'order', 'refund', 'order']) inside(ask, name)
    ask()
    expect(warnings).toEqual([
      expect.stringMatching(/^outside: The workflow order reads the clock.*`now\(\)`/),
      expect.stringMatching(/^outside: The workflow refund reads the clock.*`random\(\)`/),
    ])
    uninstall()
    install()
    inside(() => Math.random())
    expect(warnings.slice(2)).toEqual([expect.stringContaining('order draws random numbers')])
  })

  it('guard: what is not asked for the time does not warn', () => {
    const { inside, warnings } = installed()
    inside(() => [new Date(5), Date.UTC(2024, 1), Math.max(1, 2)])
    expect(warnings).toEqual([])
  })
})

describe('what a workflow must not call', () => {
  const calls: Readonly<Record<string, readonly [call: () => unknown, advice: RegExp]>> = {
    setTimeout: [() => setTimeout(() => undefined, 1), /`sleep`/],
    setInterval: [() => setInterval(() => undefined, 1), /`sleep`/],
    setImmediate: [() => setImmediate(() => undefined), /`step`/],
    fetch: [() => fetch('http://localhost'), /`step`.*activity/],
    'the promised setTimeout': [() => promisify(setTimeout)(1), /`sleep`/],
    'the promised setImmediate': [() => promisify(setImmediate)(1), /`step`/],
  }

  it.each(Object.entries(calls))(
    'guard: %s throws at once, and advises',
    (name, [call, advice]) => {
      const { inside } = installed()
      const error = thrownBy(() => inside(call))
      expect(isSteleError(error, 'forbidden_in_workflow')).toBe(true)
      expect(String(error)).toMatch(advice)
      expect(String(error)).toContain(`order called \`${name.split(' ').at(-1)}\``)
    },
  )

  it('guard: a promised timer taken outside throws inside', () => {
    const { inside } = installed()
    const later = promisify(setTimeout)
    expect(isSteleError(thrownBy(() => inside(() => later(1))))).toBe(true)
  })

  it('guard: outside timers run, also promised, and pass their arguments', async () => {
    installed()
    expect(await promisify(setTimeout)(1, 'late')).toBe('late')
    expect(await promisify(setImmediate)('soon')).toBe('soon')
    expect(await new Promise((resolve) => setTimeout(resolve, 1, 'given'))).toBe('given')
    const timer = setInterval(() => undefined, 1000)
    expect(timer.hasRef()).toBe(true)
    clearInterval(timer)
    await expect(fetch('not an address')).rejects.toThrow(TypeError)
    expect([setTimeout.name, fetch.name]).toEqual(['setTimeout', 'fetch'])
    expect(promisify(setTimeout)).toBe(promisify(setTimeout))
  })

  it('guard: microtasks, ticks and clones are left alone', () => {
    const left = (): unknown[] =>
      [
        [globalThis, 'queueMicrotask'] as const,
        [globalThis, 'structuredClone'] as const,
        [globalThis, 'clearTimeout'] as const,
        [process, 'nextTick'] as const,
      ].map(([owner, key]) => Object.getOwnPropertyDescriptor(owner, key))
    const bare = left()
    installed()
    expect(left()).toEqual(bare)
  })
})

describe('globals that others replace', () => {
  it('guard: a replacement stays, and ours below it passes through', () => {
    const { inside, uninstall, install } = installed()
    const ours = Date
    const theirs = class extends Date {}
    globalThis.Date = theirs as never
    expect(inside(() => new Date().getTime())).toBe(instant)
    uninstall()
    expect(Date).toBe(theirs)
    expect(inside(() => new Date().getTime())).not.toBe(instant)
    globalThis.Date = ours
    expect(new Date().constructor).toBe(Date)
    install()
    expect(Date).toBe(ours)
    expect(inside(() => Date.now())).toBe(instant)
  })

  it('guard: a stub put on ours stays in force', () => {
    const { uninstall, install } = installed()
    const stub = vi.spyOn(Date, 'now').mockReturnValue(5)
    uninstall()
    expect(Date.now()).toBe(5)
    stub.mockRestore()
    install()
  })

  it('guard: fake timers put on while installed are kept, and taken off after', () => {
    const { uninstall, install } = installed()
    vi.useFakeTimers({ now: 7 })
    uninstall()
    expect([Date.now(), new Date().getTime()]).toEqual([7, 7])
    vi.useRealTimers()
    expect(new Date().constructor).toBe(Date)
    expect(Date.now()).toBeGreaterThan(instant)
    install()
  })

  it('guard: fake timers of before are guarded, and come back', () => {
    vi.useFakeTimers({ now: 7 })
    const fake = Date
    const { inside, uninstall } = installed()
    let fired = 0
    setTimeout(() => (fired += 1), 10)
    vi.advanceTimersByTime(10)
    expect([fired, Date.now(), new Date().getTime()]).toEqual([1, 17, 17])
    expect(inside(() => [Date.now(), new Date().getTime()])).toEqual([instant, instant])
    expect([new Date() instanceof Date, new Date() instanceof realDate]).toEqual([true, true])
    uninstall()
    expect(Date).toBe(fake)
    vi.useRealTimers()
  })

  it('guard: fake timers of before may be taken off while installed', () => {
    vi.useFakeTimers({ now: 7 })
    const { uninstall } = installed()
    vi.useRealTimers()
    expect(Date).toBe(realDate)
    uninstall()
    expect(new Date().constructor).toBe(Date)
  })
})

describe('two copies of the package', () => {
  it.each([
    ['the first leaves first', [0, 1]],
    ['the second leaves first', [1, 0]],
  ])('guard: both work, and nothing is left when %s', (_case, order) => {
    const pair = [createCopy(1e12), createCopy(2e12)]
    for (const copy of pair) copy.install()
    const ask = (): unknown => [Date.now(), new Date().getTime()]
    expect(pair.map(({ inside }) => inside(ask))).toEqual([
      [1e12, 1e12],
      [2e12, 2e12],
    ])
    const errors = pair.map(({ inside }) => thrownBy(() => inside(() => fetch(''))))
    expect(errors.every((error) => isSteleError(error))).toBe(true)
    expect(new Date().constructor).toBe(Date)
    for (const index of order) pair[index]?.uninstall()
    expect(descriptors()).toEqual(before)
    expect(Date).toBe(realDate)
  })

  it('guard: however often they come and go, no more than one of each stands below', () => {
    const pair = [createCopy(1e12), createCopy(2e12)] as const
    pair[0].install()
    for (let round = 0; round < 20_000; round += 1) {
      pair[1 - (round % 2)]?.install()
      pair[round % 2]?.uninstall()
    }
    expect(pair[0].inside(() => Date.now())).toBe(1e12)
    expect(pair[1].inside(() => Date.now())).not.toBe(2e12)
  })
})
