import { ActivityError, defineActivity, err, PermanentError } from 'stele'
import { describe, expect, it } from 'vitest'
import { temporaryDirectory } from '../../../support/storage/temporary-directory.ts'
import { openTestEngine, typesOf, unhandledWhile } from '../../client/test-engine.ts'

const megabytes = 1024 * 1024

function cyclic(): object {
  const self: { again?: object } = {}
  self.again = self
  return self
}

function ownCause(): Error {
  const error = new Error('me')
  error.cause = error
  return error
}

function hostileProxy(): object {
  const refuse = (): never => {
    throw new Error('hands off')
  }
  const traps = ['get', 'has', 'ownKeys', 'getPrototypeOf', 'getOwnPropertyDescriptor'] as const
  return new Proxy({}, Object.fromEntries(traps.map((trap) => [trap, refuse])))
}

function revokedProxy(): object {
  const { proxy, revoke } = Proxy.revocable({}, {})
  revoke()
  return proxy
}

function causes(depth: number): Error {
  const cause = depth === 0 ? undefined : causes(depth - 1)
  return new Error(`cause ${depth}`, { cause })
}

/** Contains itself sixteen times: its parts have 16 ** 8 parts of parts. */
function nestedInItself(): AggregateError {
  const parts: unknown[] = []
  const error = new AggregateError(parts, 'all at once')
  error.errors.push(...Array.from({ length: 16 }, () => error))
  return error
}

/** What `err(…)` gives in another copy of the package, with a value that cannot be read. */
function unreadableErr(): object {
  return {
    '~err': true,
    permanent: false,
    get value() {
      throw new Error('hands off')
    },
  }
}

function unreadableActivityError(): Error {
  const error = new ActivityError('why')
  return Object.defineProperty(error, 'value', {
    get: () => {
      throw new Error('hands off')
    },
  })
}

/** An error as another copy of the package makes it: the same registered mark, another class. */
function foreign(mark: string, fields: object): Error {
  const error = Object.assign(new Error('from the other copy'), fields)
  return Object.defineProperty(error, Symbol.for(mark), { value: true })
}

const trap = (reason: unknown) => ({ type: 'execution_failure', kind: 'uncategorized', reason })

const thrown: readonly (readonly [string, () => unknown, object])[] = [
  ['undefined', () => undefined, trap('activity trap: undefined')],
  ['null', () => null, trap('activity trap: null')],
  ['a string', () => 'no', trap('activity trap: no')],
  ['a symbol', () => Symbol('no'), trap('activity trap: Symbol(no)')],
  ['an object', () => ({ a: 1 }), trap('activity trap: {"a":1}')],
  ['a function', () => () => 1, trap(expect.stringContaining('activity trap: '))],
  ['a frozen error', () => Object.freeze(new Error('cold')), trap('activity trap: cold')],
  ['a cyclic object', cyclic, trap('activity trap: a value that cannot be shown')],
  ['a hostile proxy', hostileProxy, trap('activity trap: a value that cannot be shown')],
  ['a revoked proxy', revokedProxy, trap('activity trap: a value that cannot be shown')],
  ['an error that is its own cause', ownCause, trap('activity trap: me')],
  [
    'an error of 10 MB',
    () => new Error('x'.repeat(10 * megabytes)),
    trap(expect.stringMatching(/^activity trap: x+… \[cut, \d+ bytes in all\]$/)),
  ],
  [
    'an error with a getter that throws',
    () =>
      Object.defineProperty(new Error('x'), 'message', {
        get: () => {
          throw new Error('not for you')
        },
      }),
    trap(expect.stringContaining('activity trap: ')),
  ],
  [
    'an error whose parts are a revoked proxy',
    () => Object.assign(new Error('parts'), { errors: revokedProxy() }),
    trap('activity trap: parts'),
  ],
  [
    'an error whose parts cannot be copied',
    () => Object.assign(new Error('parts'), { errors: Object.assign([1], { slice: 7 }) }),
    trap('activity trap: parts'),
  ],
  [
    'an error whose code is no number',
    () => Object.assign(new Error('nan'), { code: NaN }),
    trap('activity trap: nan'),
  ],
  ['a cause chain of 20', () => causes(20), trap('activity trap: cause 20')],
  [
    'an AggregateError',
    () => new AggregateError([new Error('a'), 'b'], 'both'),
    trap('activity trap: both'),
  ],
  ['an AggregateError within itself', nestedInItself, trap('activity trap: all at once')],
  ['an ActivityError', () => new ActivityError({ code: 4 }), { type: 'err', value: { code: 4 } }],
  [
    'an ActivityError that cannot be stored',
    () => new ActivityError({ f: () => 1 }),
    trap(expect.stringContaining('error.f cannot be stored')),
  ],
  [
    'an ActivityError that cannot be read',
    unreadableActivityError,
    trap('the error cannot be stored: hands off'),
  ],
  [
    'an ActivityError of another copy',
    () => foreign('stele.activity_error', { value: 5, permanent: false }),
    { type: 'err', value: 5 },
  ],
  ['a PermanentError', () => new PermanentError('never'), trap('activity trap: never')],
  [
    'a PermanentError of another copy',
    () => foreign('stele.permanent_error', {}),
    trap('activity trap: from the other copy'),
  ],
]

const ok = (value: unknown) => ({ type: 'ok', value })

const returned: readonly (readonly [string, () => unknown, object])[] = [
  ['undefined', () => undefined, ok(undefined)],
  ['null', () => null, ok(null)],
  ['a frozen object', () => Object.freeze({ a: Object.freeze([1]) }), ok({ a: [1] })],
  ['a cyclic object', cyclic, ok(cyclic())],
  ['a proxy', () => new Proxy({ a: 1 }, {}), ok({ a: 1 })],
  ['a hostile proxy', hostileProxy, trap(expect.stringContaining('result cannot be stored'))],
  ['a revoked proxy', revokedProxy, trap(expect.stringContaining('result cannot be stored'))],
  ['a function', () => () => 1, trap(expect.stringContaining('result cannot be stored'))],
  [
    'an object with a function',
    () => ({ items: [{ f: () => 1 }] }),
    trap(expect.stringContaining('result.items[0].f cannot be stored')),
  ],
  [
    'a getter that throws',
    () => ({
      deep: {
        get it() {
          throw new Error('hands off')
        },
      },
    }),
    trap(expect.stringContaining('result.deep.it cannot be stored: hands off')),
  ],
  [
    'an unreadable `then`',
    () => ({
      // oxlint-disable-next-line unicorn/no-thenable -- the case is about it
      get then() {
        throw new Error('hands off')
      },
    }),
    trap(expect.stringContaining('hands off')),
  ],
  [
    'an error',
    () => new TypeError('as a value'),
    ok(
      expect.objectContaining({
        name: 'TypeError',
        message: 'as a value',
      }),
    ),
  ],
  [
    'more than the limit',
    () => 'x'.repeat(3 * megabytes),
    trap(expect.stringContaining('result takes 3145730 bytes in stored form')),
  ],
  ['err()', () => err({ code: 4 }), { type: 'err', value: { code: 4 } }],
  ['err() with nothing', () => err(undefined), { type: 'err', value: undefined }],
  [
    'err() that cannot be stored',
    () => err({ socket: Symbol('s') }),
    trap(expect.stringContaining('error.socket cannot be stored')),
  ],
  ['err() that cannot be read', unreadableErr, trap('the error cannot be stored: hands off')],
]

function oddActivity(handler: () => unknown) {
  return defineActivity({ name: 'odd', retry: { maxRetries: 0 } }, () => handler())
}

const next = defineActivity({ name: 'next' }, (word: string) => word.toUpperCase())

async function outcomeOf(handler: () => unknown): Promise<unknown> {
  const odd = oddActivity(handler)
  let outcome: unknown
  const unhandled = await unhandledWhile(async () => {
    await using world = await openTestEngine({ functions: [odd, next] })
    const handle = await world.engine.submit(odd)
    await world.settle()
    expect(await typesOf(handle)).toEqual(['created', 'locked', 'finished'])
    const following = await world.engine.submit(next, 'and on')
    await world.settle()
    expect(await following.result({ timeout: 0 })).toBe('AND ON')
    await world.check()
    outcome = await handle.outcome({ timeout: 0 })
  })
  expect(unhandled).toEqual([])
  return outcome
}

describe('whatever a handler does ends in one event', () => {
  it.each(thrown)('throws: %s', async (_, make, expected) => {
    const sync = await outcomeOf(() => {
      throw make()
    })
    expect(sync).toMatchObject(expected)
  })

  it.each(thrown)('rejects: %s', async (_, make, expected) => {
    const rejected = await outcomeOf(async () => {
      await Promise.resolve()
      throw make()
    })
    expect(rejected).toMatchObject(expected)
  })

  it.each(returned)('returns: %s', async (_, make, expected) => {
    expect(await outcomeOf(make)).toMatchObject(expected)
  })
})

describe('promises that are no promises', () => {
  it('thenable: one that throws is a rejection', async () => {
    const outcome = await outcomeOf(() => ({
      // oxlint-disable-next-line unicorn/no-thenable -- the point of the test
      then: () => {
        throw new Error('broken promise')
      },
    }))
    expect(outcome).toMatchObject(trap('activity trap: broken promise'))
  })

  it('thenable: one that resolves twice has resolved once', async () => {
    const outcome = await outcomeOf(() => ({
      // oxlint-disable-next-line unicorn/no-thenable -- the point of the test
      then: (resolve: (value: string) => void, reject: (reason: Error) => void) => {
        resolve('first')
        resolve('second')
        reject(new Error('third'))
      },
    }))
    expect(outcome).toEqual(ok('first'))
  })

  it('thenable: one that never resolves runs into its timeout, and others go on', async () => {
    const stuck = defineActivity(
      { name: 'stuck', timeout: '1 minute', retry: { maxRetries: 1, backoff: 10 } },
      // oxlint-disable-next-line unicorn/no-thenable -- the point of the test
      () => ({ then: () => undefined }),
    )
    await using world = await openTestEngine({ functions: [stuck, next] })
    const handle = await world.engine.submit(stuck)
    await world.advance(60_000)
    const types = await typesOf(handle)
    expect(types.slice(-2)).toEqual(['locked', 'temporarily_timed_out'])
    const following = await world.engine.submit(next, 'and on')
    await world.settle()
    expect(await following.result({ timeout: 0 })).toBe('AND ON')
    await world.advance(60_010)
    expect(await handle.outcome({ timeout: 0 })).toEqual({
      type: 'execution_failure',
      kind: 'timed_out',
    })
    await world.check()
  })
})

describe('results', () => {
  it('result: is taken when the handler returns; what it does to the object later is its own', async () => {
    const shared = { items: ['a'] }
    const keep = defineActivity({ name: 'keep' }, () => {
      queueMicrotask(() => shared.items.push('late'))
      return shared
    })
    await using world = await openTestEngine({ functions: [keep] })
    const handle = await world.engine.submit(keep)
    await world.settle()
    expect(shared.items).toEqual(['a', 'late'])
    expect(await handle.result({ timeout: 0 })).toEqual({ items: ['a'] })
  })

  it('result: a proxy that changes its mind is read while it can still be refused', async () => {
    let reads = 0
    const moody = new Proxy(
      { answer: 1 },
      {
        get: (target, key): unknown => {
          reads += 1
          return reads > 4 ? 1n : Reflect.get(target, key)
        },
      },
    )
    const ask = defineActivity({ name: 'ask', retry: { maxRetries: 0 } }, () => moody)
    await using world = await openTestEngine({ functions: [ask] })
    const handle = await world.engine.submit(ask)
    await world.settle()
    expect((await handle.state()).status).toBe('finished')
    await world.check()
  })

  it('err: is retried while retries last, then final with the last value', async () => {
    const decline = defineActivity(
      { name: 'decline', retry: { maxRetries: 2, backoff: 100 } },
      (_: null, { attempt }) => err({ attempt }),
    )
    await using world = await openTestEngine({ functions: [decline] })
    const handle = await world.engine.submit(decline, null)
    await world.advance(1_000)
    const { events } = await handle.log()
    expect(events.filter(({ type }) => type === 'temporarily_failed')).toMatchObject([
      { reason: 'activity returned error', value: { attempt: 1 } },
      { reason: 'activity returned error', value: { attempt: 2 } },
    ])
    expect(await handle.outcome()).toEqual({ type: 'err', value: { attempt: 3 } })
    expect(await handle.state()).toMatchObject({ status: 'finished', attempt: 3 })
    await world.check()
  })

  it.each([
    ['err', () => err('no', { permanent: true }), { type: 'err', value: 'no' }],
    [
      'ActivityError',
      () => {
        throw new ActivityError('no', { permanent: true })
      },
      { type: 'err', value: 'no' },
    ],
    [
      'PermanentError',
      () => {
        throw new PermanentError('no')
      },
      { type: 'execution_failure', kind: 'uncategorized', reason: 'activity trap: no' },
    ],
  ])('permanent: %s is never retried', async (_, handler, expected) => {
    const refuse = defineActivity({ name: 'refuse', retry: { maxRetries: 5 } }, () => handler())
    await using world = await openTestEngine({ functions: [refuse] })
    const handle = await world.engine.submit(refuse)
    await world.settle()
    expect(await typesOf(handle)).toEqual(['created', 'locked', 'finished'])
    expect(await handle.outcome()).toMatchObject(expected)
  })

  it('unstorable: is final although retries last, since the effects have happened', async () => {
    let calls = 0
    const effect = defineActivity({ name: 'effect', retry: { maxRetries: 5 } }, () => {
      calls += 1
      return { socket: () => undefined }
    })
    await using world = await openTestEngine({ functions: [effect] })
    const handle = await world.engine.submit(effect)
    await world.advance(10_000)
    expect(calls).toBe(1)
    expect(await handle.outcome()).toMatchObject(
      trap(expect.stringContaining('result.socket cannot be stored')),
    )
  })

  it('retry: 100 ms, doubling, counted from the end of the attempt', async () => {
    const fail = defineActivity({ name: 'fail', retry: { maxRetries: 4 } }, () => {
      throw new Error('no')
    })
    await using world = await openTestEngine({ functions: [fail] })
    const handle = await world.engine.submit(fail)
    await world.advance(10_000)
    const { events } = await handle.log()
    const waits = events.flatMap((event) =>
      event.type === 'temporarily_failed' ? [event.backoffExpiresAt - event.createdAt] : [],
    )
    expect(waits).toEqual([100, 200, 400, 800])
    const locks = events.filter(({ type }) => type === 'locked').map(({ createdAt }) => createdAt)
    expect(locks).toEqual([0, 100, 300, 700, 1_500])
    expect(await handle.state()).toMatchObject({ status: 'finished', attempt: 5 })
  })

  it('retry: never waits longer than maxBackoff', async () => {
    const retry = { maxRetries: 3, backoff: 100, maxBackoff: 150 }
    const fail = defineActivity({ name: 'fail', retry }, () => {
      throw new Error('no')
    })
    await using world = await openTestEngine({ functions: [fail] })
    const handle = await world.engine.submit(fail)
    await world.advance(10_000)
    const { events } = await handle.log()
    const locks = events.filter(({ type }) => type === 'locked').map(({ createdAt }) => createdAt)
    expect(locks).toEqual([0, 100, 250, 400])
  })

  it('retry: jitter follows from the id, spreads executions, and never makes them wait longer', async () => {
    const retry = { maxRetries: 1, backoff: 1_000, jitter: 0.5 }
    const fail = defineActivity({ name: 'fail', retry }, () => {
      throw new Error('no')
    })
    const waitsOf = async (): Promise<readonly number[]> => {
      await using world = await openTestEngine({ functions: [fail] })
      const ids = ['a', 'b', 'c', 'd']
      const handles = await world.engine.submitMany(
        fail,
        ids.map(() => undefined),
        { ids },
      )
      await world.settle()
      const states = await Promise.all(handles.map((handle) => handle.state()))
      return states.map(({ scheduledAt = 0 }) => scheduledAt)
    }
    const waits = await waitsOf()
    expect(await waitsOf()).toEqual(waits)
    expect(new Set(waits).size).toBe(4)
    expect(waits.every((wait) => wait >= 500 && wait <= 1_000)).toBe(true)
  })

  it('input: one that the codec cannot read is final, with the reason', async () => {
    const codec = {
      encode: (value: unknown) => String(value),
      decode: () => {
        throw new Error('wrong key')
      },
    }
    const read = defineActivity({ name: 'read' }, (text: string) => text)
    await using world = await openTestEngine({ functions: [read], codec })
    const handle = await world.engine.submit(read, 'text')
    await world.settle()
    expect(await handle.outcome()).toMatchObject(trap('the stored input cannot be read'))
  })
})

describe('limits of an attempt', () => {
  it('timeout: ends the attempt, aborts the signal, and counts', async () => {
    const seen: unknown[] = []
    const slow = defineActivity(
      { name: 'slow', timeout: '10s', retry: { maxRetries: 1, backoff: 500 } },
      (_: undefined, { signal, attempt }) => {
        if (attempt === 2) return 'at last'
        return new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => {
            seen.push(signal.reason)
            reject(signal.reason as Error)
          })
        })
      },
    )
    await using world = await openTestEngine({ functions: [slow] })
    const handle = await world.engine.submit(slow)
    await world.advance(10_000)
    expect(await typesOf(handle)).toEqual(['created', 'locked', 'temporarily_timed_out'])
    expect(seen).toMatchObject([{ code: 'lock_lost', fields: { reason: 'timed_out', attempt: 1 } }])
    await world.advance(500)
    expect(await handle.result({ timeout: 0 })).toBe('at last')
    expect(await handle.state()).toMatchObject({ attempt: 2 })
    await world.check()
  })

  it('straggler: its late result is refused, its late calls reject, its log is kept', async () => {
    let finish: (value: string) => void = () => undefined
    const late: unknown[] = []
    const deaf = defineActivity(
      { name: 'deaf', timeout: '1s', retry: { maxRetries: 0 } },
      async (_: undefined, { log, heartbeat, fetch }) => {
        const value = await new Promise<string>((resolve) => {
          finish = resolve
        })
        for (const attempt of [heartbeat, () => fetch('http://a.test')]) {
          await attempt().catch((error: unknown) => late.push(error))
        }
        log.info('cleaning up')
        return value
      },
    )
    await using world = await openTestEngine({ functions: [deaf] })
    const handle = await world.engine.submit(deaf)
    await world.advance(1_000)
    const before = await handle.log()
    finish('too late')
    await world.advance(1_000)
    expect(await handle.log()).toEqual(before)
    expect(late).toMatchObject([{ code: 'lock_lost' }, { code: 'lock_lost' }])
    expect(await handle.logs()).toMatchObject([{ message: 'cleaning up' }])
    expect(await handle.outcome()).toEqual({ type: 'execution_failure', kind: 'timed_out' })
    await world.check()
  })

  it('stop: what a handler throws after `stopping` is no failure of the attempt', async () => {
    using folder = temporaryDirectory()
    const file = folder.file('stop.db')
    const wait = defineActivity(
      { name: 'wait', timeout: '1h' },
      (_: undefined, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason as Error))
        }),
    )
    const first = await openTestEngine({ functions: [wait], file })
    const { id } = await first.engine.submit(wait)
    await first.settle()
    const stopped = first.engine.stop({ timeout: '5s' })
    await first.advance(5_000)
    await stopped
    await using second = await openTestEngine({ file, started: false })
    const handle = await second.engine.get(id)
    const { events } = await handle.log()
    expect(events.at(-1)).toMatchObject({ type: 'unlocked', reason: 'executor closing' })
    expect(await handle.state()).toMatchObject({ status: 'pending_at', attempt: 1 })
  })
})
