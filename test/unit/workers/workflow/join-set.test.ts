import { defineActivity } from 'stele'
import { describe, expect, it } from 'vitest'
import { thrownBy } from '../../base/thrown-by.ts'
import type { TestHandler } from './test-frame.ts'
import { act, begun, child, delay, faultOf, refusing, returned, sub } from './test-frame.ts'

const rejected = (code: string): unknown => expect.objectContaining({ code })
const caught = (error: unknown): unknown => error

describe('opening', () => {
  it('joinSet: named, or with a name that is made up', async () => {
    const world = await begun(({ joinSet }) => [
      joinSet('boxes').name,
      joinSet().name,
      joinSet().name,
    ])
    expect(world.end()).toEqual(returned(['boxes', '1', '2']))
    expect(world.log.slice(1).map(({ event }) => event)).toMatchObject([
      { type: 'join_set_create', joinSetId: 'n:boxes' },
      { type: 'join_set_create', joinSetId: 'g:1' },
      { type: 'join_set_create', joinSetId: 'g:2' },
    ])
  })

  it('joinSet: policies are recorded', async () => {
    const policies = { onFailure: 'ignore', onClose: 'abandon', concurrency: 3 } as const
    const world = await begun(({ joinSet }) => joinSet('boxes', { of: act, ...policies }).name)
    expect(world.log[1]?.event).toEqual({
      type: 'join_set_create',
      seq: 1,
      joinSetId: 'n:boxes',
      ...policies,
    })
  })

  it.each([
    ['a name that is taken', ['boxes'], 'invalid_name'],
    ['a name with a space', ['my boxes'], 'invalid_name'],
    ['no name at all', [''], 'invalid_name'],
    ['a name of another type', [5], 'invalid_option'],
    ['an unknown option', ['a', { retries: 3 }], 'invalid_option'],
    ['onFailure', ['a', { onFailure: 'panic' }], 'invalid_option'],
    ['onClose', ['a', { onClose: 'slam' }], 'invalid_option'],
    ['concurrency of none', ['a', { concurrency: 0 }], 'invalid_option'],
    ['concurrency of a half', ['a', { concurrency: 0.5 }], 'invalid_option'],
  ])('joinSet: %s is refused', async (_, args, code) => {
    const world = await begun(({ joinSet }) => {
      joinSet('boxes')
      return thrownBy(() => joinSet(...(args as [string])))
    })
    expect(world.end()).toEqual(returned(rejected(code)))
  })

  it('joinSet: a name stays taken when its set is closed', async () => {
    const world = await begun(async ({ joinSet }) => {
      await joinSet('boxes').close()
      return thrownBy(() => joinSet('boxes'))
    })
    expect(world.end()).toEqual(returned(rejected('invalid_name')))
  })
})

describe('submit and delay', () => {
  it('submit: gives id and name at once; children are numbered', async () => {
    const world = await begun(({ joinSet }) => {
      const set = joinSet('boxes')
      return [set.submit(act, 1), set.submit(sub, 2, { delay: 500 })]
    })
    expect(world.end()).toEqual(
      returned([
        { id: child('n:boxes'), name: 'act' },
        { id: child('n:boxes', 2), name: 'sub' },
      ]),
    )
    expect(world.creations).toMatchObject([
      { event: { scheduledAt: 1_000 } },
      { event: { scheduledAt: 1_500 } },
    ])
  })

  it('delay: for a time, or until an instant', async () => {
    const world = await begun(({ joinSet }) => {
      const set = joinSet('boxes')
      return [set.delay(500), set.delay(new Date(9_000))]
    })
    expect(world.end()).toEqual(returned([{ id: delay('n:boxes') }, { id: delay('n:boxes', 2) }]))
    expect(world.log.slice(2, 4).map(({ event }) => event)).toMatchObject([
      { dueAt: 1_500, intent: { type: 'in', in: 500 } },
      { dueAt: 9_000, intent: { type: 'at', at: 9_000 } },
    ])
  })

  it.each([
    ['not a function', (set) => set.submit({} as never), 'unknown_function'],
    ['options', (set) => set.submit(act, 1 as never, { name: 'x' } as never), 'invalid_option'],
    ['a delay', (set) => set.submit(act, 1 as never, { delay: 'x' as never }), 'invalid_option'],
    ['an input', (set) => set.submit(act, (() => 1) as never), 'value_not_storable'],
    ['a duration', (set) => set.delay('soon' as never), 'invalid_option'],
    ['an instant', (set) => set.delay(new Date(Number.NaN)), 'invalid_option'],
  ] as readonly (readonly [string, (set: AnySet) => unknown, string])[])(
    'submit: %s is refused, and takes no number',
    async (_, wrong, code) => {
      const world = await begun(({ joinSet }) => {
        const set = joinSet('boxes')
        return [thrownBy(() => wrong(set)), set.submit(act, 1).id, set.delay(1).id]
      })
      expect(world.end()).toEqual(returned([rejected(code), child('n:boxes'), delay('n:boxes')]))
    },
  )

  it('submit: an input that the schema refuses is recorded, and takes a number', async () => {
    const strict = defineActivity({ name: 'strict', input: refusing }, () => 1)
    const handler: TestHandler = async ({ joinSet, sleep }) => {
      const set = joinSet('boxes')
      const error = thrownBy(() => set.submit(strict, 1))
      const { id } = set.submit(act, 1)
      await sleep(1)
      return [error, id]
    }
    const world = await begun(handler)
    expect(world.log[2]?.event).toMatchObject({ result: 'invalid_input' })
    world.delayEnds('o:1-sleep')
    await world.advance()
    expect(world.end()).toEqual(returned([rejected('invalid_input'), child('n:boxes', 2)]))
    const later = world.replay()
    await later.advance()
    expect(later.end()).toEqual(world.end())
  })

  it('submit: a set that was closed refuses children and delays', async () => {
    const world = await begun(async ({ joinSet }) => {
      const set = joinSet('boxes')
      await set.close()
      return [thrownBy(() => set.submit(act, 1)), thrownBy(() => set.delay(1))]
    })
    expect(world.end()).toEqual(
      returned([rejected('join_set_closed'), rejected('join_set_closed')]),
    )
  })
})

type AnySet = ReturnType<Parameters<TestHandler>[0]['joinSet']>

describe('next', () => {
  it('next: ends come in the order in which they came, not in that of submission', async () => {
    const world = await begun(async ({ joinSet }) => {
      const set = joinSet('boxes', { of: [act, sub] })
      set.submit(act, 1)
      set.submit(sub, 2)
      set.delay(5)
      const seen: unknown[] = []
      for (let left = 3; left > 0; left -= 1) {
        const { kind, name, id } = await set.next()
        seen.push([kind, name, id])
      }
      return seen
    })
    world.childEnds('n:boxes', { type: 'ok' }, 2).delayEnds('n:boxes').childEnds('n:boxes')
    await world.advance()
    expect(world.end()).toEqual(
      returned([
        ['child', 'sub', child('n:boxes', 2)],
        ['delay', undefined, delay('n:boxes')],
        ['child', 'act', child('n:boxes')],
      ]),
    )
  })

  it('next: beyond the end rejects with join_set_exhausted, which is recorded and replayed', async () => {
    const world = await begun(async ({ joinSet, sleep }) => {
      const error = await joinSet('boxes').next().catch(caught)
      await sleep(1)
      return error
    })
    expect(world.types()).toContain('join_next_too_many')
    world.delayEnds('o:1-sleep')
    const cold = world.replay()
    await cold.advance()
    expect(cold.end()).toEqual(returned(rejected('join_set_exhausted')))
  })

  it('next: asked more often than there are members, only the surplus rejects', async () => {
    const world = await begun(({ joinSet }) => {
      const set = joinSet('boxes')
      set.submit(act, 1)
      return Promise.all([set.next().then(({ id }) => id), set.next().catch(caught)])
    })
    world.childEnds('n:boxes')
    await world.advance()
    expect(world.end()).toEqual(returned([child('n:boxes'), rejected('join_set_exhausted')]))
  })

  it('next: more can be submitted after it was exhausted', async () => {
    const world = await begun(async ({ joinSet }) => {
      const set = joinSet('boxes')
      await set.next().catch(caught)
      set.submit(act, 1)
      return (await set.next()).id
    })
    world.childEnds('n:boxes')
    await world.advance()
    expect(world.end()).toEqual(returned(child('n:boxes')))
  })

  it.each([
    ['unknown options', { timout: 1 }],
    ['a timeout that is none', { timeout: 'soon' }],
  ])('next: %s reject, and take no end', async (_, options) => {
    const world = await begun(async ({ joinSet }) => {
      const set = joinSet('boxes')
      set.submit(act, 1)
      const error = await set.next(options as never).catch(caught)
      return [error, (await set.next()).id]
    })
    world.childEnds('n:boxes')
    await world.advance()
    expect(world.end()).toEqual(returned([rejected('invalid_option'), child('n:boxes')]))
  })
})

describe('iteration', () => {
  it('iteration: gives every end, and ends by itself', async () => {
    const world = await begun(async ({ joinSet }) => {
      const set = joinSet('boxes', { of: act })
      set.submit(act, 1)
      set.submit(act, 2)
      const values: unknown[] = []
      for await (const { value } of set) values.push(value)
      return values
    })
    world.childEnds('n:boxes', { type: 'ok', value: 'b' }, 2)
    world.childEnds('n:boxes', { type: 'ok', value: 'a' })
    await world.advance()
    expect(world.end()).toEqual(returned(['b', 'a']))
    expect(world.types()).not.toContain('join_next_too_many')
  })

  it('iteration: children that the loop adds are given too', async () => {
    const world = await begun(async ({ joinSet }) => {
      const set = joinSet('boxes', { of: act })
      set.submit(act, 1)
      let count = 0
      for await (const { id } of set) {
        count += 1
        if (id === child('n:boxes')) set.submit(act, 2)
      }
      return count
    })
    world.childEnds('n:boxes')
    await world.advance()
    world.childEnds('n:boxes', { type: 'ok' }, 2)
    await world.advance()
    expect(world.end()).toEqual(returned(2))
  })

  it('iteration: a failure is an end like any other; its value throws', async () => {
    const world = await begun(async ({ joinSet }) => {
      const set = joinSet('boxes', { of: act })
      set.submit(act, 1)
      for await (const end of set) return [end.outcome, thrownBy(() => end.value)]
      return 'nothing'
    })
    world.childEnds('n:boxes', { type: 'err', value: 4 })
    await world.advance()
    expect(world.end()).toMatchObject(
      returned([
        { type: 'err', value: 4 },
        { code: 'execution_failed', functionName: 'act' },
      ]),
    )
  })
})

describe('map', () => {
  it('map: values in the order of the inputs, however they end', async () => {
    const world = await begun(({ joinSet }) => joinSet('boxes').map(act, [1, 2, 3]))
    for (const index of [3, 1, 2]) {
      world.childEnds('n:boxes', { type: 'ok', value: index * 10 }, index)
    }
    await world.advance()
    expect(world.end()).toEqual(returned([10, 20, 30]))
  })

  it('map: of nothing is nothing, and asks nothing', async () => {
    const world = await begun(({ joinSet }) => joinSet('boxes').map(act, []))
    expect(world.end()).toEqual(returned([]))
  })

  it('map: rejects with the first failure', async () => {
    const world = await begun(({ joinSet }) => joinSet('boxes').map(act, [1, 2]))
    world.childEnds('n:boxes', { type: 'err', value: 'no' }, 2)
    await world.advance()
    expect(world.end()).toMatchObject({ error: { outcome: { type: 'err', value: 'no' } } })
    expect(world.cancelled).toEqual([child('n:boxes')])
  })

  it('map: a set that ignores failures leaves them out', async () => {
    const world = await begun(({ joinSet }) =>
      joinSet('boxes', { onFailure: 'ignore' }).map(act, [1, 2, 3]),
    )
    world.childEnds('n:boxes', { type: 'ok', value: 'a' })
    world.childEnds('n:boxes', { type: 'err' }, 2).childEnds('n:boxes', { type: 'ok' }, 3)
    await world.advance()
    expect(world.end()).toEqual(returned(['a', undefined]))
  })

  it('map: with a limit, as many at once as it says', async () => {
    const world = await begun(({ joinSet }) =>
      joinSet('boxes', { concurrency: 2 }).map(act, [1, 2, 3]),
    )
    expect(world.creations).toHaveLength(2)
    world.childEnds('n:boxes', { type: 'ok', value: 2 }, 2)
    await world.advance()
    expect(world.creations).toHaveLength(3)
    world.childEnds('n:boxes', { type: 'ok', value: 3 }, 3)
    world.childEnds('n:boxes', { type: 'ok', value: 1 })
    await world.advance()
    expect(world.end()).toEqual(returned([1, 2, 3]))
    const cold = world.replay()
    await cold.advance()
    expect(cold.end()).toEqual(world.end())
  })

  it('map: ends of other members are passed over', async () => {
    const world = await begun(({ joinSet }) => {
      const set = joinSet('boxes')
      set.delay(1)
      return set.map(act, [1])
    })
    world.delayEnds('n:boxes').childEnds('n:boxes', { type: 'ok', value: 'a' })
    await world.advance()
    expect(world.end()).toEqual(returned(['a']))
  })
})

describe('cancel', () => {
  it('cancel: one, or all that are open; their ends are still given', async () => {
    const world = await begun(async ({ joinSet, sleep }) => {
      const set = joinSet('boxes')
      const { id } = set.submit(act, 1)
      set.submit(sub, 2)
      set.delay(5)
      set.cancel(id)
      await sleep(1)
      set.cancel()
      return (await set.next()).outcome
    })
    expect(world.cancelled).toEqual([child('n:boxes')])
    world.delayEnds('o:1-sleep')
    await world.advance()
    expect(world.cancelled.slice(1)).toEqual([
      child('n:boxes', 2),
      child('n:boxes'),
      delay('n:boxes'),
    ])
    world.childEnds('n:boxes', { type: 'execution_failure', kind: 'cancelled' })
    await world.advance()
    expect(world.end()).toEqual(returned({ type: 'execution_failure', kind: 'cancelled' }))
  })

  it('cancel: what has ended, and what never was, is left alone', async () => {
    const world = await begun(async ({ joinSet, sleep }) => {
      const set = joinSet('boxes')
      const { id } = set.submit(act, 1)
      await set.next()
      set.cancel(id)
      set.cancel('nobody')
      set.cancel()
      await sleep(1)
    })
    world.childEnds('n:boxes')
    await world.advance()
    expect(world.cancelled).toEqual([])
    expect(faultOf(world)).toBeUndefined()
  })
})

describe('close', () => {
  it('close: resolves when nothing is open; twice is once', async () => {
    const seen: string[] = []
    const world = await begun(async ({ joinSet, sleep }) => {
      const set = joinSet('boxes', { onClose: 'await' })
      set.submit(act, 1)
      void set.close().then(() => seen.push('first'))
      void set.close().then(() => seen.push('second'))
      await sleep(1)
      await set.close()
      return 'third'
    })
    expect(world.types().filter((type) => type === 'join_next')).toHaveLength(2)
    expect(seen).toEqual([])
    world.childEnds('n:boxes').delayEnds('o:1-sleep')
    await world.advance()
    expect(seen).toEqual(['first', 'second'])
    expect(world.end()).toEqual(returned('third'))
  })

  it('close: `await using` closes', async () => {
    const world = await begun(async ({ joinSet }) => {
      {
        await using set = joinSet('boxes')
        set.submit(act, 1)
      }
      return 'after'
    })
    expect(world.cancelled).toEqual([child('n:boxes')])
    expect(world.end()).toBe('has not ended')
    world.childEnds('n:boxes')
    await world.advance()
    expect(world.end()).toEqual(returned('after'))
  })

  it('close: a `next` that waits is still answered', async () => {
    const world = await begun(({ joinSet }) => {
      const set = joinSet('boxes', { onClose: 'await' })
      set.submit(act, 1)
      const waiting = set.next().then(({ id }) => id)
      return Promise.all([waiting, set.close().then(() => 'closed')])
    })
    world.childEnds('n:boxes')
    await world.advance()
    expect(world.end()).toEqual(returned([child('n:boxes'), 'closed']))
  })

  it('close: nothing can be taken from it afterwards', async () => {
    const world = await begun(async ({ joinSet, sleep }) => {
      const set = joinSet('boxes', { onClose: 'await' })
      set.submit(act, 1)
      void set.close()
      const error = await set.next().catch(caught)
      await sleep(1)
      return [error, set.tryNext()]
    })
    world.childEnds('n:boxes').delayEnds('o:1-sleep')
    await world.advance()
    expect(world.end()).toEqual(returned([rejected('join_set_exhausted'), undefined]))
  })
})
