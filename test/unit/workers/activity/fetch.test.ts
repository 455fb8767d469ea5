import { defineActivity } from 'stele'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createTracedFetch } from '../../../../src/workers/activity/fetch.ts'
import { createTestClock } from '../../../support/test-time.ts'
import { openTestEngine } from '../../client/test-engine.ts'

type Fetch = typeof globalThis.fetch

/** A traced fetch over one that the test plays; each request takes 5 ms. */
function traced(play: Fetch, tracesMax = 10) {
  const clock = createTestClock(100)
  const controller = new AbortController()
  const calls: (RequestInit | undefined)[] = []
  const made = createTracedFetch({
    clock,
    tracesMax,
    signal: () => controller.signal,
    fetch: async (resource, init) => {
      calls.push(init)
      clock.advance(5)
      return await play(resource, init)
    },
  })
  return { ...made, calls, controller }
}

const answer = (status: number): Fetch => {
  return () => Promise.resolve(new Response('a secret body', { status }))
}

describe('traces', () => {
  it('trace: method, origin, path, names of query keys, status and times', async () => {
    const { fetch, traces } = traced(answer(201))
    const response = await fetch(
      'https://user:word@api.test:8443/v1/charges?token=hidden&a=1&a=2',
      {
        method: 'post',
        body: 'secret body',
        headers: { authorization: 'secret header' },
      },
    )
    expect(response.status).toBe(201)
    expect(traces()).toEqual([
      {
        method: 'POST',
        origin: 'https://api.test:8443',
        path: '/v1/charges',
        queryKeys: ['token', 'a'],
        status: 201,
        startedAt: 100,
        finishedAt: 105,
      },
    ])
    expect(JSON.stringify(traces())).not.toMatch(/secret|hidden|word/)
  })

  it.each<[string, Parameters<Fetch>[0], string]>([
    ['a URL', new URL('http://a.test/x?k=v'), 'GET'],
    ['a Request', new Request('http://a.test/x?k=v', { method: 'PUT' }), 'PUT'],
  ])('trace: %s is understood', async (_, resource, method) => {
    const { fetch, traces } = traced(answer(200))
    await fetch(resource)
    expect(traces()).toMatchObject([
      { method, origin: 'http://a.test', path: '/x', queryKeys: ['k'], status: 200 },
    ])
  })

  it('failure: is told by name and code; messages may quote what is secret', async () => {
    const cause = Object.assign(new Error('connect http://a.test?token=hidden'), { code: 'ECONN' })
    const error = new TypeError('fetch failed: token=hidden', { cause })
    const { fetch, traces } = traced(() => Promise.reject(error))
    await expect(fetch('http://a.test/?token=hidden')).rejects.toBe(error)
    expect(traces()).toMatchObject([{ error: 'TypeError ECONN', finishedAt: 105 }])
    expect(JSON.stringify(traces())).not.toContain('hidden')
  })

  it('failure: what is no URL has no origin, and its text is not kept', async () => {
    const { fetch, traces } = traced(globalThis.fetch)
    await expect(fetch('/relative?token=hidden')).rejects.toThrow()
    expect(traces()).toMatchObject([{ method: 'GET', origin: '', path: '', queryKeys: [] }])
    expect(JSON.stringify(traces())).not.toContain('hidden')
  })

  it('failure: something that is no error', async () => {
    // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- the point of the test
    const { fetch, traces } = traced(() => Promise.reject('no'))
    await expect(fetch('http://a.test')).rejects.toBe('no')
    expect(traces()).toMatchObject([{ error: 'the request failed' }])
  })

  it('limit: requests beyond it are made, not recorded', async () => {
    const { fetch, traces, calls } = traced(answer(200), 2)
    for (const path of ['a', 'b', 'c']) await fetch(`http://a.test/${path}`)
    expect(calls).toHaveLength(3)
    expect(traces().map(({ path }) => path)).toEqual(['/a', '/b'])
  })

  it('running: a request without an answer yet has no end', async () => {
    const { fetch, traces } = traced(() => new Promise(() => undefined))
    void fetch('http://a.test/slow')
    expect(traces()).toEqual([expect.objectContaining({ path: '/slow', startedAt: 100 })])
    expect(traces()[0]).not.toHaveProperty('finishedAt')
  })
})

describe('signal', () => {
  it('signal: is the attempt’s own', async () => {
    const { fetch, calls, controller } = traced(answer(200))
    await fetch('http://a.test')
    expect(calls[0]?.signal).toBe(controller.signal)
  })

  it.each(['init', 'Request'])(
    'signal: one given by %s still counts, beside the own',
    async (how) => {
      const own = new AbortController()
      const given = { signal: own.signal }
      const { fetch, calls, controller } = traced(answer(200))
      if (how === 'init') await fetch('http://a.test', given)
      else await fetch(new Request('http://a.test', given))
      await fetch('http://a.test', { signal: own.signal })
      own.abort('by the caller')
      expect(calls[0]?.signal?.reason).toBe('by the caller')
      controller.abort('by the engine')
      expect(calls[1]?.signal?.aborted).toBe(true)
    },
  )
})

describe('in an activity', () => {
  afterEach(() => {
    vi.unstubAllGlobals()
  })

  it('event: carries the traces of its own attempt, failed or not', async () => {
    vi.stubGlobal('fetch', answer(503))
    const charge = defineActivity(
      { name: 'charge', retry: { maxRetries: 1, backoff: 10 } },
      async (_: undefined, { fetch, attempt }) => {
        const response = await fetch(`http://a.test/${attempt}?key=hidden`)
        if (attempt === 1) throw new Error(`status ${response.status}`)
        return 'fine'
      },
    )
    await using world = await openTestEngine({ functions: [charge] })
    const handle = await world.engine.submit(charge)
    await world.advance(100)
    const { events } = await handle.log()
    expect(events.filter((event) => 'httpTraces' in event)).toMatchObject([
      { type: 'temporarily_failed', httpTraces: [{ path: '/1', status: 503, queryKeys: ['key'] }] },
      { type: 'finished', httpTraces: [{ path: '/2', status: 503, queryKeys: ['key'] }] },
    ])
    expect(JSON.stringify(events)).not.toContain('hidden')
    await world.check()
  })

  it('event: a result that cannot be stored keeps the traces too', async () => {
    vi.stubGlobal('fetch', answer(200))
    const charge = defineActivity({ name: 'charge' }, async (_: undefined, { fetch }) => {
      await fetch('http://a.test/paid')
      return { socket: () => undefined }
    })
    await using world = await openTestEngine({ functions: [charge] })
    const handle = await world.engine.submit(charge)
    await world.settle()
    const { events } = await handle.log()
    expect(events.at(-1)).toMatchObject({ type: 'finished', httpTraces: [{ path: '/paid' }] })
  })

  it('limit: httpTracesPerAttempt', async () => {
    vi.stubGlobal('fetch', answer(200))
    const many = defineActivity({ name: 'many' }, async (_: undefined, { fetch }) => {
      for (const path of ['a', 'b', 'c']) await fetch(`http://a.test/${path}`)
    })
    const limits = { httpTracesPerAttempt: 2 }
    await using world = await openTestEngine({ functions: [many], limits })
    const handle = await world.engine.submit(many)
    await world.settle()
    const { events } = await handle.log()
    expect(events.at(-1)).toMatchObject({ httpTraces: [{ path: '/a' }, { path: '/b' }] })
  })
})
