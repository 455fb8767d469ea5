import { existsSync } from 'node:fs'
import { createEngine, defineActivity } from 'stele'
import { describe, expect, it, vi } from 'vitest'
import type { InspectionEvent } from 'xstate'
import { SteleError } from '../../../src/base/error.ts'
import type { Driver } from '../../../src/storage/driver.ts'
import { rejectionOf } from '../../support/storage/results.ts'
import { temporaryDirectory } from '../../support/storage/temporary-directory.ts'
import { createTestClock, createTestScheduler } from '../../support/test-time.ts'
import { openTestEngine, unhandledWhile } from './test-engine.ts'

const double = defineActivity({ name: 'double' }, (amount: number) => amount * 2)

function trap(): never {
  throw new Error('hands off')
}

const hostile = new Proxy({}, { get: trap, has: trap, ownKeys: trap, getPrototypeOf: trap })

describe('options', () => {
  const declared = defineActivity({ name: 'declared' })

  it.each<[string, object, string | undefined]>([
    ['an unknown key', { function: [] }, 'createEngine.function'],
    ['a repeated name', { functions: [double, double] }, 'functions[1]'],
    ['a declaration', { functions: [declared] }, 'functions[0]'],
    ['a plain function', { functions: [() => 1] }, 'functions[0]'],
    ['nothing as a function', { functions: [null] }, 'functions[0]'],
    ['a foreign object', { functions: [{ name: 'x', kind: 'activity' }] }, 'functions[0]'],
    ['no storage', { storage: undefined }, 'storage'],
    ['null as a storage', { storage: null }, 'storage'],
    ['an empty name', { storage: '' }, 'storage'],
    ['an object that opens nothing', { storage: {} }, 'storage'],
    ['a bad deployment', { deployment: 'a b' }, 'deployment'],
    ['null as a deployment', { deployment: null }, 'deployment'],
    ['a number as a deployment', { deployment: 5 }, 'deployment'],
    ['NaN as a deployment', { deployment: Number.NaN }, 'deployment'],
    ['a symbol as a deployment', { deployment: Symbol('s') }, 'deployment'],
    ['a bigint as a deployment', { deployment: 1n }, 'deployment'],
    ['null as functions', { functions: null }, 'functions'],
    ['a text as functions', { functions: 'double' }, 'functions'],
    ['an object as functions', { functions: { double } }, 'functions'],
    ['a hole among the functions', { functions: Object.assign([], { length: 1 }) }, 'functions[0]'],
    ['a hostile function', { functions: [hostile] }, 'functions[0]'],
    ['a hostile storage', { storage: hostile }, 'storage'],
    ['a list as executor', { executor: [] }, 'executor'],
    ['null as a clock', { clock: null }, 'clock'],
    ['a clock that cannot tell', { clock: {} }, 'clock.now'],
    ['a clock that tells nothing', { clock: { now: () => undefined } }, 'clock.now'],
    ['randomness without numbers', { random: {} }, 'random.next'],
    ['a scheduler without `after`', { scheduler: { soon: () => 1 } }, 'scheduler.after'],
    ['a scheduler without `soon`', { scheduler: { after: () => 1 } }, 'scheduler.soon'],
    ['null as a logger', { logger: null }, 'logger'],
    ['true as a logger', { logger: true }, 'logger'],
    ['a logger without `debug`', { logger: { info() {}, warn() {}, error() {} } }, 'logger.debug'],
    ['null as an observer', { inspect: null }, 'inspect'],
    ['an observer without `next`', { inspect: {} }, 'inspect.next'],
    ['null as a codec', { codec: null }, 'codec'],
    ['a codec without `encode`', { codec: { decode: () => 1 } }, 'codec.encode'],
    ['a codec without `decode`', { codec: { encode: () => 1 } }, 'codec.decode'],
    ['postgres, in this version', { storage: 'postgres://localhost/db' }, undefined],
  ])('refused: %s', async (_, options, option) => {
    const refused = createEngine({ storage: ':memory:', ...options } as never)
    await expect(refused).rejects.toMatchObject({
      code: 'invalid_option',
      fields: option === undefined ? {} : { option },
    })
  })

  it.each([undefined, null, [], 5, hostile])('refused: options that are none', async (options) => {
    await expect(createEngine(options as never)).rejects.toMatchObject({ code: 'invalid_option' })
  })

  it('clock: one that tells nothing leaves no database behind', async () => {
    using folder = temporaryDirectory()
    const storage = folder.file('none.db')
    const clock = { now: () => Number.NaN }
    const refused = createEngine({ storage, clock, deployment: 'd', logger: false })
    await expect(refused).rejects.toMatchObject({ code: 'invalid_option' })
    expect(existsSync(storage)).toBe(false)
  })

  it('clock: fractions are cut off', async () => {
    let now = 5.75
    await using engine = await createEngine({
      storage: ':memory:',
      clock: { now: () => now },
      logger: false,
    })
    const handle = await engine.submit(double, 1)
    expect(await handle.state()).toMatchObject({ scheduledAt: 5 })
    now = Number.NaN
    await expect(engine.submit(double, 1)).rejects.toMatchObject({
      code: 'invalid_option',
      fields: { option: 'clock.now' },
    })
    now = 6
    expect((await engine.list()).items).toHaveLength(1)
  })

  it('functions: by their names', async () => {
    await using world = await openTestEngine({ functions: [double, declared.stub()] })
    expect(Object.keys(world.engine.functions)).toEqual(['double', 'declared'])
    expect(world.engine.functions).toMatchObject({ double })
  })

  it('deployment: is recorded with what is created and locked', async () => {
    await using world = await openTestEngine({
      functions: [double],
      deployment: 'v1.2'.replace('.', '-'),
    })
    const handle = await world.engine.submit(double, 1)
    await world.settle()
    const { events } = await handle.log()
    expect(events).toMatchObject([{ deploymentId: 'v1-2' }, { deploymentId: 'v1-2' }, {}])
  })

  it('deployment: by default a new one', async () => {
    await using world = await openTestEngine()
    const handle = await world.engine.submit(double, 1)
    const { events } = await handle.log()
    expect(events).toMatchObject([{ deploymentId: expect.stringMatching(/^Dep_/) }])
  })
})

describe('start and stop', () => {
  it('client: without start nothing runs', async () => {
    await using world = await openTestEngine({ functions: [double], started: false })
    const handle = await world.engine.submit(double, 1)
    await world.advance(10_000)
    expect((await handle.state()).status).toBe('pending_at')
  })

  it('start: twice is once', async () => {
    await using world = await openTestEngine({ functions: [double], started: false })
    await Promise.all([world.engine.start(), world.engine.start()])
    await world.engine.start()
    await world.settle()
    expect(await world.storage.listExecutors(10)).toHaveLength(1)
  })

  it('start: that failed can be tried again', async () => {
    let broken = true
    const wrap = (driver: Driver): Driver => ({
      ...driver,
      write: (protocol) =>
        broken
          ? Promise.reject(new SteleError('storage_unavailable', 'Away.'))
          : driver.write(protocol),
    })
    await using world = await openTestEngine({ functions: [double], started: false, wrap })
    await expect(world.engine.start()).rejects.toMatchObject({ code: 'storage_unavailable' })
    broken = false
    await world.engine.start()
    const handle = await world.engine.submit(double, 2)
    await world.settle()
    expect(await handle.result({ timeout: 0 })).toBe(4)
  })

  it('stop: twice is once; afterwards everything says so', async () => {
    await using world = await openTestEngine({ functions: [double] })
    const { engine } = world
    const handle = await engine.submit(double, 1)
    await world.settle()
    await Promise.all([engine.stop(), engine.stop()])
    await engine.stop()
    const calls: readonly (() => Promise<unknown>)[] = [
      () => engine.start(),
      () => engine.submit(double, 1),
      () => engine.submitMany(double, [1]),
      () => engine.get('x'),
      () => engine.list(),
      () => engine.complete('x', { type: 'ok', value: 1 } as never),
      () => handle.result(),
      () => handle.outcome({ timeout: 0 }),
      () => handle.state(),
      () => handle.log(),
      () => handle.logs(),
      () => handle.cancel(),
      () => handle.pause(),
      () => handle.unpause(),
      () => handle.explain(),
    ]
    for (const call of calls) {
      await expect(call()).rejects.toMatchObject({ code: 'engine_stopped' })
    }
  })

  it('stop: before start, and during it', async () => {
    await using never = await openTestEngine({ functions: [double], started: false })
    await never.engine.stop()
    await expect(never.engine.start()).rejects.toMatchObject({ code: 'engine_stopped' })
    await using during = await openTestEngine({ functions: [double], started: false })
    const starting = during.engine.start()
    await Promise.all([starting, during.engine.stop()])
    await expect(during.engine.submit(double, 1)).rejects.toMatchObject({ code: 'engine_stopped' })
  })

  it('stop: a timeout that is no duration is refused, and the engine can still be stopped', async () => {
    await using world = await openTestEngine({ functions: [double] })
    await expect(world.engine.stop({ timeout: 'soon' as never })).rejects.toMatchObject({
      code: 'invalid_option',
    })
    await world.engine.submit(double, 1)
    await world.engine.stop()
  })

  it.each<[unknown]>([[null], [5], [[]], [{ timout: 5 }], [{ timeout: null }], [{ timeout: 1n }]])(
    'stop: options that are none are refused, and the engine goes on (%#)',
    async (options) => {
      await using world = await openTestEngine({ functions: [double] })
      await expect(world.engine.stop(options as never)).rejects.toMatchObject({
        code: 'invalid_option',
      })
      await world.engine.submit(double, 1)
    },
  )

  it('stop: no timer is left, neither after a run nor after a wait', async () => {
    const clock = createTestClock(1_000_000)
    const scheduler = createTestScheduler(clock, { soon: 'event_loop' })
    const noop = defineActivity({ name: 'noop' }, () => 'done')
    const engine = await createEngine({
      storage: ':memory:',
      functions: [noop],
      logger: false,
      clock,
      scheduler,
    })
    await engine.start()
    const handle = await engine.submit(noop)
    expect(await handle.result()).toBe('done')
    const later = await engine.submit(noop, undefined, { delay: '1 hour' })
    const refusal = rejectionOf(later.result({ timeout: '2 hours' }))
    await engine.stop()
    expect(await refusal).toMatchObject({ code: 'engine_stopped' })
    expect(scheduler.dueTimes()).toEqual([])
  })

  it('stop: lets handlers finish, takes no new work, and keeps nothing waiting', async () => {
    using folder = temporaryDirectory()
    const file = folder.file('stop.db')
    let finish: (value: string) => void = () => undefined
    const slow = defineActivity(
      { name: 'slow' },
      () =>
        new Promise<string>((resolve) => {
          finish = resolve
        }),
    )
    const first = await openTestEngine({ functions: [slow, double], file })
    const running = await first.engine.submit(slow)
    await first.settle()
    const stopped = first.engine.stop({ timeout: '1 minute' })
    const late = await first.engine.submit(double, 1)
    await first.advance(10_000)
    expect((await late.state()).status).toBe('pending_at')
    finish('finished')
    await first.settle()
    await stopped
    await using second = await openTestEngine({ file, started: false })
    const handle = await second.engine.get(running.id)
    expect(await handle.result({ timeout: 0 })).toBe('finished')
  })

  it('dispose: stops', async () => {
    const world = await openTestEngine({ functions: [double] })
    await world.engine[Symbol.asyncDispose]()
    await expect(world.engine.list()).rejects.toMatchObject({ code: 'engine_stopped' })
  })

  it('timers: none is left after a stop', async () => {
    const world = await openTestEngine({ functions: [double] })
    await world.engine.submit(double, 1)
    await world.settle()
    await world.stop()
    expect(world.dueTimes()).toEqual([])
  })
})

describe('inspect', () => {
  /** One execution that finishes, under an observer. */
  async function expectUnharmed(inspect: unknown) {
    const unhandled = await unhandledWhile(async () => {
      await using world = await openTestEngine({ functions: [double], inspect: inspect as never })
      const handle = await world.engine.submit(double, 4, { id: 'four' })
      await world.settle()
      expect(await handle.result({ timeout: 0 })).toBe(8)
      const next = await world.engine.submit(double, 1)
      await world.settle()
      expect(await next.result({ timeout: 0 })).toBe(2)
    })
    expect(unhandled).toEqual([])
  }

  it.each(['function', 'object'])(
    'observer: a %s sees executor and executions as actors',
    async (how) => {
      const seen: InspectionEvent[] = []
      const next = (event: InspectionEvent): void => {
        seen.push(event)
      }
      await expectUnharmed(how === 'function' ? next : { next })
      const actors = seen
        .filter(({ type }) => type === '@xstate.actor')
        .map(({ actorRef }) => actorRef)
      const executor = actors.find((ref) => 'id' in ref && String(ref.id).startsWith('Exr_'))
      const execution = actors.find((ref) => 'id' in ref && ref.id === 'four')
      expect(executor).toBeDefined()
      expect(execution).toMatchObject({ _parent: executor })
      const states = seen.flatMap((event) =>
        event.type === '@xstate.snapshot' && event.actorRef === execution
          ? [(event.snapshot as { readonly value?: unknown }).value]
          : [],
      )
      expect(states).toEqual(['locked', 'running', 'settling', 'finished'])
    },
  )

  it.each<[string, unknown]>([
    [
      'throws',
      () => {
        throw new Error('observer')
      },
    ],
    [
      'rejects',
      async () => {
        await Promise.resolve()
        throw new Error('observer')
      },
    ],
    [
      'is an object that throws',
      {
        next: () => {
          throw new Error('observer')
        },
      },
    ],
  ])('observer: one that %s hurts nobody', async (_, inspect) => {
    await expectUnharmed(inspect)
  })
})

describe('without an observer', () => {
  /** Inspection events that xstate completes and hands round while one execution runs. */
  async function inspectedBy(inspect: (() => void) | undefined): Promise<number> {
    await using world = await openTestEngine({
      functions: [double],
      ...(inspect === undefined ? {} : { inspect }),
    })
    const handRound = vi.spyOn(Set.prototype, 'forEach')
    try {
      const handle = await world.engine.submit(double, 4)
      await world.settle()
      expect(await handle.result({ timeout: 0 })).toBe(8)
      return handRound.mock.calls.length
    } finally {
      handRound.mockRestore()
    }
  }

  it('inspect: no inspection event is made when nobody looks', async () => {
    let seen = 0
    const look = (): void => {
      seen += 1
    }
    expect(await inspectedBy(look)).toBeGreaterThan(0)
    expect(seen).toBeGreaterThan(0)
    expect(await inspectedBy(undefined)).toBe(0)
  })
})

describe('faults of what the user gives', () => {
  it('logger: one that throws hurts nobody', async () => {
    const broken = (): void => {
      throw new Error('logger')
    }
    const logger = { debug: broken, info: broken, warn: broken, error: broken }
    await using world = await openTestEngine({ functions: [double], logger })
    const handle = await world.engine.submit(double, 4)
    await world.settle()
    expect(await handle.result({ timeout: 0 })).toBe(8)
  })

  it('codec: what it refuses to write is a refusal, what it refuses to read is an end', async () => {
    const codec = {
      encode: (value: unknown) => {
        if (value === 13) throw new Error('unlucky')
        return value as number
      },
      decode: (stored: unknown) => {
        if (stored === 7) throw new Error('unreadable')
        return stored
      },
    }
    const plus = defineActivity({ name: 'plus' }, (amount: number) => amount + 1)
    await using world = await openTestEngine({ functions: [plus], codec })
    await expect(world.engine.submit(plus, 13)).rejects.toMatchObject({
      code: 'value_not_storable',
      message: expect.stringContaining('unlucky'),
    })
    const unreadable = await world.engine.submit(plus, 7)
    const unwritable = await world.engine.submit(plus, 12)
    const fine = await world.engine.submit(plus, 1)
    await world.settle()
    expect(await unreadable.outcome()).toMatchObject({
      type: 'execution_failure',
      reason: 'the stored input cannot be read',
    })
    expect(await unwritable.outcome()).toMatchObject({
      type: 'execution_failure',
      reason: expect.stringContaining('result cannot be stored: unlucky'),
    })
    expect(await fine.result({ timeout: 0 })).toBe(2)
    await world.check()
  })
})

describe('locking strategies', () => {
  const old = defineActivity({ name: 'pack', version: '1' }, () => 'old')
  const today = defineActivity({ name: 'pack', version: '2' }, () => 'new')

  it.each([
    ['by_name', { status: 'finished' }, '2'],
    ['auto', { status: 'finished' }, '1'],
    ['by_version', { status: 'pending_at' }, undefined],
  ] as const)('%s: work of an older version', async (lockingStrategy, state, recorded) => {
    await using world = await openTestEngine({
      functions: [today],
      executor: { lockingStrategy },
    })
    const handle = await world.engine.submit(old)
    await world.advance(1_000)
    expect(await handle.state()).toMatchObject(state)
    const { events } = await handle.log()
    const locked = events.find((event) => event.type === 'locked')
    expect(locked?.type === 'locked' ? locked.functionVersion : undefined).toBe(recorded)
  })
})
