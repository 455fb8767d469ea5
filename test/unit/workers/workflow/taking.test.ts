import { defineActivity } from 'stele'
import { describe, expect, it } from 'vitest'
import { thrownBy } from '../../base/thrown-by.ts'
import type { TestFrame, TestHandler } from './test-frame.ts'
import { act, begun, child, delay, faultOf, refusing, returned } from './test-frame.ts'

const strict = defineActivity({ name: 'strict', input: refusing }, () => 1)
const failed = { type: 'execution_failure', kind: 'uncategorized' } as const
const caught = (error: unknown): unknown => error

/** Indexes of the children that were started, in order. */
function started({ creations }: TestFrame): readonly string[] {
  return creations.map(({ executionId }) => executionId)
}

/** A pool of two with so many inputs, taken one by one. */
const pooled =
  (count: number, options: { readonly onFailure?: 'cancel' | 'ignore' } = {}): TestHandler =>
  async ({ joinSet }) => {
    const set = joinSet('s', { of: act, concurrency: 2, ...options })
    for (let n = 1; n <= count; n += 1) set.submit(act, n)
    const seen: string[] = []
    for await (const { id } of set) seen.push(id)
    return seen
  }

describe('a set with a limit', () => {
  it('concurrency: so many at once; the next one starts when one ends, in order', async () => {
    const world = await begun(pooled(4))
    expect(started(world)).toEqual([child('n:s'), child('n:s', 2)])
    world.childEnds('n:s', { type: 'ok' }, 2)
    await world.advance()
    expect(started(world).slice(2)).toEqual([child('n:s', 3)])
    world.childEnds('n:s').childEnds('n:s', { type: 'ok' }, 3)
    await world.advance()
    expect(started(world).slice(3)).toEqual([child('n:s', 4)])
    world.childEnds('n:s', { type: 'ok' }, 4)
    await world.advance()
    expect(world.end()).toEqual(
      returned([child('n:s', 2), child('n:s'), child('n:s', 3), child('n:s', 4)]),
    )
  })

  it('concurrency: an id that was promised in the queue is that of the child', async () => {
    const ids: string[] = []
    const world = await begun(async ({ joinSet }) => {
      const set = joinSet('s', { concurrency: 1 })
      for (const n of [10, 20, 30]) ids.push(set.submit(act, n).id)
      for await (const end of set) void end
    })
    for (const index of [1, 2, 3]) {
      world.childEnds('n:s', { type: 'ok' }, index)
      await world.advance()
    }
    expect(started(world)).toEqual(ids)
    expect(world.creations.map(({ event }) => event.input)).toEqual([10, 20, 30])
    expect(world.end()).toEqual(returned(undefined))
  })

  it('concurrency: a replay starts them in the same order', async () => {
    const world = await begun(pooled(4))
    for (const index of [2, 1, 3]) {
      world.childEnds('n:s', { type: 'ok' }, index)
      await world.advance()
    }
    const cold = world.replay()
    await cold.advance()
    expect(faultOf(cold)).toBeUndefined()
    world.childEnds('n:s', { type: 'ok' }, 4)
    cold.childEnds('n:s', { type: 'ok' }, 4)
    await world.advance()
    await cold.advance()
    expect(cold.end()).toEqual(world.end())
    expect(started(cold)).toEqual([])
  })

  it('concurrency: ends wait until somebody takes them, and the pool goes on meanwhile', async () => {
    const world = await begun(async ({ joinSet, messages }) => {
      const set = joinSet('s', { concurrency: 1 })
      set.submit(act, 1)
      set.submit(act, 2)
      await messages.go.next()
      return [(await set.next()).id, set.tryNext()?.id, set.tryNext()?.id]
    })
    world.childEnds('n:s')
    await world.advance()
    expect(started(world)).toHaveLength(2)
    world.childEnds('n:s', { type: 'ok' }, 2).send('go')
    await world.advance()
    expect(world.end()).toEqual(returned([child('n:s'), child('n:s', 2), undefined]))
  })

  it('concurrency: delays do not count, and are given like children', async () => {
    const world = await begun(async ({ joinSet }) => {
      const set = joinSet('s', { concurrency: 1 })
      set.delay(5)
      set.submit(act, 1)
      set.submit(act, 2)
      return [(await set.next()).kind, (await set.next()).kind]
    })
    expect(started(world)).toEqual([child('n:s')])
    world.delayEnds('n:s')
    await world.advance()
    expect(started(world)).toEqual([child('n:s')])
    world.childEnds('n:s')
    await world.advance()
    expect(world.end()).toEqual(returned(['delay', 'child']))
  })

  it('concurrency: what the schema refuses at its start throws, and is recorded', async () => {
    const world = await begun(({ joinSet }) => {
      const set = joinSet('s', { concurrency: 2 })
      const error = thrownBy(() => set.submit(strict, 1))
      return [error, set.submit(act, 3).id]
    })
    expect(world.end()).toMatchObject(returned([{ code: 'invalid_input' }, child('n:s', 2)]))
  })

  it('concurrency: what the schema refuses later is an end, and the next one starts', async () => {
    const handler: TestHandler = async ({ joinSet }) => {
      const set = joinSet('s', { concurrency: 1 })
      set.submit(act, 1)
      set.submit(strict, 2)
      set.submit(act, 3)
      const seen: unknown[] = []
      for await (const { id, outcome } of set) seen.push([id, outcome.type])
      return seen
    }
    const world = await begun(handler)
    world.childEnds('n:s')
    await world.advance()
    expect(started(world)).toEqual([child('n:s'), child('n:s', 3)])
    world.childEnds('n:s', { type: 'ok' }, 3)
    await world.advance()
    expect(world.end()).toEqual(
      returned([
        [child('n:s'), 'ok'],
        [child('n:s', 2), 'execution_failure'],
        [child('n:s', 3), 'ok'],
      ]),
    )
    const cold = world.replay()
    await cold.advance()
    expect(cold.end()).toEqual(world.end())
  })

  it('cancel: what waits for its start ends as cancelled, without having begun', async () => {
    const world = await begun(async ({ joinSet }) => {
      const set = joinSet('s', { concurrency: 1 })
      for (const n of [1, 2, 3]) set.submit(act, n)
      set.cancel()
      const seen: unknown[] = []
      for await (const { id, outcome } of set) seen.push([id, outcome])
      return seen
    })
    const cancelled = { type: 'execution_failure', kind: 'cancelled' } as const
    expect(world.cancelled).toEqual([child('n:s')])
    world.childEnds('n:s', cancelled)
    await world.advance()
    expect(started(world)).toEqual([child('n:s')])
    expect(world.end()).toEqual(
      returned([
        [child('n:s', 2), cancelled],
        [child('n:s', 3), cancelled],
        [child('n:s'), cancelled],
      ]),
    )
  })

  it('cancel: one that waits for its start is cancelled as it begins', async () => {
    const world = await begun(async ({ joinSet }) => {
      const set = joinSet('s', { concurrency: 1 })
      const ids = [1, 2, 3].map((n) => set.submit(act, n).id)
      set.cancel(ids[1])
      for await (const end of set) void end
    })
    world.childEnds('n:s')
    await world.advance()
    expect(started(world)).toEqual([child('n:s'), child('n:s', 2)])
    expect(world.cancelled).toEqual([child('n:s', 2)])
  })

  it('concurrency: beyond the end rejects, what is queued counts as open', async () => {
    const world = await begun(async ({ joinSet }) => {
      const set = joinSet('s', { concurrency: 1 })
      const nothing = await set.next().catch(caught)
      set.submit(act, 1)
      set.submit(act, 2)
      const asked = [set.next(), set.next(), set.next()]
      return [nothing, ...(await Promise.all(asked.map((one) => one.catch(caught))))]
    })
    world.childEnds('n:s')
    await world.advance()
    world.childEnds('n:s', { type: 'ok' }, 2)
    await world.advance()
    const exhausted = expect.objectContaining({ code: 'join_set_exhausted' })
    expect(world.end()).toMatchObject(
      returned([exhausted, { id: child('n:s') }, { id: child('n:s', 2) }, exhausted]),
    )
  })

  it('concurrency: closing starts nothing more', async () => {
    const world = await begun(async ({ joinSet }) => {
      const set = joinSet('s', { concurrency: 1, onClose: 'await' })
      for (const n of [1, 2]) set.submit(act, n)
      await set.close()
      return 'closed'
    })
    world.childEnds('n:s')
    await world.advance()
    expect(started(world)).toEqual([child('n:s')])
    expect(world.end()).toEqual(returned('closed'))
  })

  it('concurrency: a handler that ends starts nothing more', async () => {
    const world = await begun(({ joinSet }) => {
      const set = joinSet('s', { concurrency: 1 })
      for (const n of [1, 2]) set.submit(act, n)
      return 'done'
    })
    world.childEnds('n:s', { ...failed, kind: 'cancelled' })
    await world.advance()
    expect(started(world)).toEqual([child('n:s')])
    expect(world.frame.isClosed()).toBe(true)
  })

  it('onFailure cancel: what runs is cancelled, what waits never starts', async () => {
    const world = await begun(pooled(4, { onFailure: 'cancel' }))
    world.childEnds('n:s', { type: 'err' })
    await world.advance()
    expect(world.cancelled).toEqual([child('n:s', 2)])
    world.childEnds('n:s', { ...failed, kind: 'cancelled' }, 2)
    await world.advance()
    expect(started(world)).toHaveLength(2)
    expect(world.end()).toEqual(returned([1, 3, 4, 2].map((index) => child('n:s', index))))
  })

  it('onFailure cancel: the failure comes before what it cancels', async () => {
    const world = await begun(({ joinSet }) =>
      joinSet('s', { concurrency: 1, onFailure: 'cancel' }).map(act, [1, 2, 3]),
    )
    world.childEnds('n:s', { type: 'err', value: 'the reason' })
    await world.advance()
    expect(world.end()).toMatchObject({ error: { outcome: { type: 'err', value: 'the reason' } } })
  })

  it('onFailure ignore: failed ones are left out', async () => {
    const world = await begun(pooled(3, { onFailure: 'ignore' }))
    world.childEnds('n:s', failed)
    await world.advance()
    world.childEnds('n:s', { type: 'ok' }, 2).childEnds('n:s', failed, 3)
    await world.advance()
    expect(world.end()).toEqual(returned([child('n:s', 2)]))
  })

  it('timeout: one that waits gives up, and the end goes to the next', async () => {
    const world = await begun(async ({ joinSet }) => {
      const set = joinSet('s', { concurrency: 1 })
      set.submit(act, 1)
      const first = await set.next({ timeout: 100 })
      return [first, (await set.next({ timeout: 100 }))?.id]
    })
    world.delayEnds('o:1-timeout')
    await world.advance()
    world.childEnds('n:s')
    await world.advance()
    expect(world.end()).toEqual(returned([undefined, child('n:s')]))
    expect(world.cancelled).toEqual([delay('o:2-timeout')])
  })
})

describe('next with a timeout', () => {
  const handler: TestHandler = async ({ joinSet, sleep }) => {
    const set = joinSet('boxes')
    set.submit(act, 1)
    set.submit(act, 2)
    const first = await set.next({ timeout: 100 })
    await sleep(1)
    return [first?.id, (await set.next()).id]
  }

  it('timeout: the end first; the delay is cancelled', async () => {
    const world = await begun(handler)
    world.childEnds('n:boxes')
    await world.advance()
    expect(world.cancelled).toEqual([delay('o:1-timeout')])
    world.childEnds('n:boxes', { type: 'ok' }, 2).delayEnds('o:2-sleep')
    await world.advance()
    expect(world.end()).toEqual(returned([child('n:boxes'), child('n:boxes', 2)]))
  })

  it('timeout: the time first; undefined, and the ask is withdrawn', async () => {
    const world = await begun(handler)
    world.delayEnds('o:1-timeout')
    await world.advance()
    expect(world.types()).toContain('join_next_withdraw')
    world.childEnds('n:boxes').delayEnds('o:2-sleep')
    await world.advance()
    expect(world.end()).toEqual(returned([undefined, child('n:boxes')]))
  })

  it('timeout: both are there; what came first counts, warm and cold', async () => {
    const world = await begun(handler)
    world.delayEnds('o:1-timeout').childEnds('n:boxes').delayEnds('o:2-sleep')
    const cold = world.replay()
    await world.advance()
    await cold.advance()
    expect(world.end()).toEqual(returned([undefined, child('n:boxes')]))
    expect(cold.end()).toEqual(world.end())
    expect(cold.types()).toEqual(world.types())
  })

  it('timeout: of a set with nothing to wait for rejects at once, without a delay', async () => {
    const world = await begun(({ joinSet }) => joinSet('boxes').next({ timeout: 1 }).catch(caught))
    expect(world.end()).toEqual(returned(expect.objectContaining({ code: 'join_set_exhausted' })))
    expect(world.types()).not.toContain('join_set_request')
  })
})

describe('tryNext', () => {
  const handler: TestHandler = async ({ joinSet, sleep }) => {
    const set = joinSet('boxes')
    set.submit(act, 1)
    const seen = [set.tryNext()?.id]
    await sleep(1)
    seen.push(set.tryNext()?.id, set.tryNext()?.id)
    await sleep(1)
    return seen
  }

  it('tryNext: pending, then found, then all_processed', async () => {
    const world = await begun(handler)
    world.childEnds('n:boxes').delayEnds('o:1-sleep')
    await world.advance()
    const tries = world.log.flatMap(({ event }) =>
      event.type === 'join_next_try' ? [event.outcome] : [],
    )
    expect(tries).toEqual(['pending', 'found', 'all_processed'])
    world.delayEnds('o:2-sleep')
    await world.advance()
    expect(world.end()).toEqual(returned([undefined, child('n:boxes'), undefined]))
  })

  it('tryNext: a replay, which has everything at once, sees the same', async () => {
    const world = await begun(handler)
    world.childEnds('n:boxes').delayEnds('o:1-sleep')
    await world.advance()
    world.delayEnds('o:2-sleep')
    const cold = world.replay()
    await cold.advance()
    expect(cold.end()).toEqual(returned([undefined, child('n:boxes'), undefined]))
  })

  it('tryNext: passes over failures that the set ignores', async () => {
    const world = await begun(async ({ joinSet, messages }) => {
      const set = joinSet('boxes', { onFailure: 'ignore' })
      for (const n of [1, 2, 3]) set.submit(act, n)
      await messages.go.next()
      return [set.tryNext()?.id, set.tryNext()?.id]
    })
    world.childEnds('n:boxes', failed).childEnds('n:boxes', { type: 'ok' }, 2)
    world.childEnds('n:boxes', failed, 3).send('go')
    const cold = world.replay()
    await world.advance()
    await cold.advance()
    expect(world.end()).toEqual(returned([child('n:boxes', 2), undefined]))
    expect(cold.end()).toEqual(world.end())
  })

  it('tryNext: an end that somebody waits for is not taken from them', async () => {
    const world = await begun(async ({ joinSet, messages }) => {
      const set = joinSet('boxes')
      set.submit(act, 1)
      const waiting = set.next()
      await messages.go.next()
      return [set.tryNext()?.id, (await waiting).id]
    })
    world.send('go').childEnds('n:boxes')
    await world.advance()
    expect(world.end()).toEqual(returned([undefined, child('n:boxes')]))
  })

  it('tryNext: what it finds moves the time of the workflow', async () => {
    const world = await begun(async ({ joinSet, messages, now }) => {
      const set = joinSet('boxes')
      set.submit(act, 1)
      await messages.go.next()
      const before = now()
      set.tryNext()
      return [before, now()]
    })
    world.at(5_000).childEnds('n:boxes').at(3_000).send('go')
    await world.advance()
    expect(world.end()).toEqual(returned([3_000, 5_000]))
  })
})
