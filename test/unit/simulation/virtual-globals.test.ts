import { promisify } from 'node:util'
import { afterEach, describe, expect, it } from 'vitest'
import { createRandom } from '../../../src/base/random.ts'
import { createKernel, type Kernel, type Life } from '../../../src/simulation/kernel.ts'
import { createVirtualGlobals } from '../../../src/simulation/virtual-globals.ts'
import { thrownBy } from '../base/thrown-by.ts'

const start = Date.UTC(2000, 0, 1)
const keys = [
  'Date',
  'setTimeout',
  'setInterval',
  'setImmediate',
  'clearTimeout',
  'clearInterval',
  'clearImmediate',
  'fetch',
] as const
const descriptors = (): unknown[] => [
  ...keys.map((key) => Object.getOwnPropertyDescriptor(globalThis, key)),
  Object.getOwnPropertyDescriptor(Math, 'random'),
  Object.getOwnPropertyDescriptor(Date.prototype, 'constructor'),
]
const real = descriptors()

let uninstall: () => void = () => undefined

afterEach(() => {
  uninstall()
  uninstall = () => undefined
  expect(descriptors()).toEqual(real)
})

interface Place {
  readonly kernel: Kernel
  readonly life: Life
  /** Simulated time since the beginning. */
  readonly now: () => number
  /** Runs code as a step, and whatever follows from it. */
  readonly play: (code: () => unknown) => Promise<void>
}

function install(skew = 0): Place {
  const kernel = createKernel({
    start,
    pick: () => 0,
    skewOf: () => skew,
    putOff: () => 'now',
    beforeStep: () => undefined,
    onThrow: (_, cause) => {
      throw cause
    },
  })
  const random = createRandom(1)
  const globals = createVirtualGlobals(() => {
    const life = kernel.current()
    return life === undefined ? undefined : { life, random }
  })
  globals.install()
  uninstall = globals.uninstall
  const life = kernel.createLife('a')
  const play = async (code: () => unknown): Promise<void> => {
    life.scheduler.soon(() => void code())
    await kernel.run({ isDone: () => false, steps: 1_000, until: start + 1e9 })
  }
  return { kernel, life, play, now: () => kernel.now() - start }
}

describe('within a step', () => {
  it('the clock is that of the process', async () => {
    const { play } = install(250)
    const seen: unknown[] = []
    await play(() => {
      seen.push(Date.now(), new Date().getTime(), new Date(5).getTime())
      seen.push(Date().startsWith('Sat Jan 01 2000') || Date().startsWith('Fri Dec 31 1999'))
    })
    expect(seen).toEqual([start + 250, start + 250, 5, true])
  })

  it('a date is still a date', async () => {
    const { play } = install()
    let made: unknown
    await play(() => {
      made = new Date()
    })
    expect(made).toBeInstanceOf(Date)
  })

  it('random numbers follow from the seed', async () => {
    const { play } = install()
    const seen: number[] = []
    await play(() => seen.push(Math.random(), Math.random()))
    const random = createRandom(1)
    expect(seen).toEqual([random.next(), random.next()])
  })

  it('setTimeout waits in simulated time, and hands its arguments on', async () => {
    const { play, now } = install()
    const seen: unknown[] = []
    await play(() => {
      setTimeout((...args: unknown[]) => seen.push([now(), ...args]), 86_400_000, 'x', 'y')
    })
    expect(seen).toEqual([[86_400_000, 'x', 'y']])
  })

  it.each([[-1], [0], [Number.NaN], [2 ** 31], [undefined]])(
    'a delay of %s is one millisecond, as in Node',
    async (delay) => {
      const { play, now } = install()
      const seen: number[] = []
      await play(() => {
        setTimeout(() => seen.push(now()), delay)
      })
      expect(seen).toEqual([1])
    },
  )

  it('clearTimeout and close end a timer', async () => {
    const { play } = install()
    const seen: string[] = []
    await play(() => {
      clearTimeout(setTimeout(() => seen.push('cleared'), 5))
      setTimeout(() => seen.push('closed'), 5).close()
      setTimeout(() => seen.push('kept'), 5)
    })
    expect(seen).toEqual(['kept'])
  })

  it('refresh begins the wait anew; ref and unref change nothing', async () => {
    const { play, now } = install()
    const seen: number[] = []
    await play(() => {
      const timer = setTimeout(() => seen.push(now()), 100)
      setTimeout(() => timer.refresh().unref().ref(), 60)
    })
    expect(seen).toEqual([160])
  })

  it('setInterval comes again until it is cleared, from within as well', async () => {
    const { play, now } = install()
    const seen: number[] = []
    await play(() => {
      const timer = setInterval(() => {
        seen.push(now())
        if (seen.length === 3) clearInterval(timer)
      }, 10)
    })
    expect(seen).toEqual([10, 20, 30])
  })

  it('setImmediate runs in a step of its own, unless it is cleared', async () => {
    const { play, kernel } = install()
    const seen: unknown[] = []
    await play(() => {
      const step = kernel.steps()
      setImmediate((word: string) => seen.push(word, kernel.steps() - step), 'later')
      clearImmediate(setImmediate(() => seen.push('cleared')))
    })
    expect(seen).toEqual(['later', 1])
  })

  it('promises of setTimeout and setImmediate wait in simulated time', async () => {
    const { play, now } = install()
    const seen: unknown[] = []
    await play(async () => {
      seen.push(await promisify(setTimeout)(3_000, 'slept'), now())
      seen.push(await promisify(setImmediate)('at once'), now())
    })
    expect(seen).toEqual(['slept', 3_000, 'at once', 3_000])
  })

  it('such a promise ends early when its signal says so', async () => {
    const { play, now } = install()
    const seen: unknown[] = []
    await play(async () => {
      const controller = new AbortController()
      setTimeout(() => controller.abort(), 50)
      const { signal } = controller
      const wait = promisify(setTimeout)(3_000, undefined, { signal })
      await wait.catch((cause: unknown) => seen.push(cause instanceof Error && cause.name, now()))
      const again = promisify(setTimeout)(3_000, undefined, { signal })
      await again.catch((cause: unknown) => seen.push(cause instanceof Error && cause.name, now()))
    })
    expect(seen).toEqual(['AbortError', 50, 'AbortError', 50])
  })

  it('a timer dies with its process', async () => {
    const { play, life } = install()
    const seen: string[] = []
    await play(() => {
      setTimeout(() => seen.push('dead'), 5)
      life.end()
    })
    expect(seen).toEqual([])
  })

  it.each<[string | URL | Request, string]>([
    ['https://bank.example/a', 'https://bank.example/a'],
    [new URL('https://bank.example/b'), 'https://bank.example/b'],
    [new Request('https://bank.example/c'), 'https://bank.example/c'],
  ])('fetch of %s is refused, by name', async (resource, shown) => {
    const { play } = install()
    let error: unknown
    await play(async () => {
      error = await thrownBy(() => fetch(resource))
    })
    expect(error).toMatchObject({
      code: 'outside_of_simulation',
      fields: { resource: shown },
      message: expect.stringContaining('simulated('),
    })
  })
})

describe('outside of steps', () => {
  it('clock and dice are the real ones while the others are in force', async () => {
    const { play } = install()
    await play(() => undefined)
    expect(Math.abs(Date.now() - new Date().getTime())).toBeLessThan(1_000)
    expect(Date.now()).toBeGreaterThan(Date.UTC(2020, 0, 1))
    expect(Math.random()).not.toBe(createRandom(1).next())
  })

  it('timers are the real ones, and can be cleared', async () => {
    install()
    const seen: string[] = []
    const timer = setTimeout(() => seen.push('cleared'), 0)
    clearTimeout(timer)
    await new Promise((resolve) => setImmediate(resolve))
    expect(typeof timer.hasRef()).toBe('boolean')
    expect(seen).toEqual([])
  })

  it('promises of timers are the real ones', async () => {
    install()
    expect(await promisify(setImmediate)('real')).toBe('real')
  })

  it('a twin that somebody kept lets the real one answer after all is put back', async () => {
    const { play } = install()
    const kept = { now: Date.now, random: Math.random }
    uninstall()
    uninstall = () => undefined
    await play(() => undefined)
    expect(kept.now()).toBeGreaterThan(Date.UTC(2020, 0, 1))
    expect(kept.random()).toBeLessThan(1)
  })
})
