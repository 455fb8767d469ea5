import { describe, expect, it } from 'vitest'
import { act, begun, child, delay, faultOf, returned, sub, type TestHandler } from './test-frame.ts'

const failed = { type: 'execution_failure', kind: 'uncategorized' } as const
const caught = (error: unknown): unknown => error

/** A workflow whose set has an activity, a workflow and a delay, and ends at once. */
const mixed =
  (onClose?: 'cancel' | 'await' | 'abandon'): TestHandler =>
  ({ joinSet }) => {
    const set = joinSet('s', { onClose })
    set.submit(act, 1)
    set.submit(sub, 2)
    set.delay(5)
    return 'done'
  }

describe('onClose', () => {
  it.each([
    [undefined, [child('n:s'), delay('n:s')], 3],
    ['cancel', [child('n:s', 2), child('n:s'), delay('n:s')], 3],
    ['await', [delay('n:s')], 3],
    ['abandon', [delay('n:s')], 1],
  ] as const)(
    'onClose %s: what is cancelled, and how many are awaited',
    async (how, gone, asks) => {
      const world = await begun(mixed(how))
      expect(world.cancelled).toEqual(gone)
      const closing = world.log.filter(({ event }) => event.type === 'join_next' && event.closing)
      expect(closing).toHaveLength(asks)
      expect(world.frame.isClosed()).toBe(false)
    },
  )

  it('onClose abandon: the end is reached without the children', async () => {
    const world = await begun(mixed('abandon'))
    world.delayEnds('n:s', 'cancelled')
    await world.advance()
    expect(world.frame.isClosed()).toBe(true)
  })

  it('onClose: everything that is awaited must have ended', async () => {
    const world = await begun(mixed('await'))
    world.childEnds('n:s').delayEnds('n:s', 'cancelled')
    await world.advance()
    expect(world.frame.isClosed()).toBe(false)
    world.childEnds('n:s', failed, 2)
    await world.advance()
    expect(world.frame.isClosed()).toBe(true)
    expect(world.end()).toEqual(returned('done'))
  })

  it('onClose: an empty set is closed at once', async () => {
    const world = await begun(async ({ joinSet }) => {
      await joinSet('s').close()
      return 'closed'
    })
    expect(world.end()).toEqual(returned('closed'))
    expect(world.types()).toEqual(['join_set_create'])
  })

  it('onClose: a replay in the middle of closing goes on closing', async () => {
    const world = await begun(mixed('await'))
    world.childEnds('n:s')
    const cold = world.replay()
    await cold.advance()
    expect(cold.cancelled).toEqual([])
    cold.childEnds('n:s', failed, 2).delayEnds('n:s', 'cancelled')
    await cold.advance()
    expect(cold.frame.isClosed()).toBe(true)
    expect(faultOf(cold)).toBeUndefined()
  })
})

describe('onFailure', () => {
  it('collect: a failure is given like any other end, and nothing is cancelled', async () => {
    const world = await begun(async ({ joinSet }) => {
      const set = joinSet('s')
      set.submit(act, 1)
      set.submit(act, 2)
      return [(await set.next()).outcome.type, (await set.next()).outcome.type]
    })
    world.childEnds('n:s', failed).childEnds('n:s', { type: 'ok' }, 2)
    await world.advance()
    expect(world.end()).toEqual(returned(['execution_failure', 'ok']))
    expect(world.cancelled).toEqual([])
  })

  it('cancel: the others are cancelled once, and their ends are given', async () => {
    const world = await begun(async ({ joinSet }) => {
      const set = joinSet('s', { onFailure: 'cancel' })
      set.submit(act, 1)
      set.submit(sub, 2)
      set.delay(5)
      const seen: string[] = []
      for await (const { id } of set) seen.push(id)
      return seen
    })
    world.childEnds('n:s', { type: 'err' }, 2)
    await world.advance()
    expect(world.cancelled).toEqual([child('n:s'), delay('n:s')])
    world.childEnds('n:s', { ...failed, kind: 'cancelled' }).delayEnds('n:s', 'cancelled')
    await world.advance()
    expect(world.cancelled).toHaveLength(2)
    expect(world.end()).toEqual(returned([child('n:s', 2), child('n:s'), delay('n:s')]))
  })

  it('ignore: failed children are left out; the loop ends by itself', async () => {
    const world = await begun(async ({ joinSet }) => {
      const set = joinSet('s', { onFailure: 'ignore' })
      for (const n of [1, 2, 3]) set.submit(act, n)
      const seen: string[] = []
      for await (const { id } of set) seen.push(id)
      return seen
    })
    world.childEnds('n:s', failed, 2).childEnds('n:s').childEnds('n:s', failed, 3)
    await world.advance()
    expect(world.end()).toEqual(returned([child('n:s')]))
    const cold = world.replay()
    await cold.advance()
    expect(cold.end()).toEqual(world.end())
  })

  it('ignore: a `next` that only failures are left for rejects', async () => {
    const world = await begun(async ({ joinSet }) => {
      const set = joinSet('s', { onFailure: 'ignore' })
      set.submit(act, 1)
      return set.next().catch(caught)
    })
    world.childEnds('n:s', failed)
    await world.advance()
    expect(world.end()).toMatchObject(returned({ code: 'join_set_exhausted' }))
  })

  it('ignore: a delay that was cancelled is no failure of a child', async () => {
    const world = await begun(async ({ joinSet }) => {
      const set = joinSet('s', { onFailure: 'ignore' })
      set.delay(5)
      return (await set.next()).outcome.type
    })
    world.delayEnds('n:s', 'cancelled')
    await world.advance()
    expect(world.end()).toEqual(returned('execution_failure'))
  })
})

describe('one-offs', () => {
  it('drop: a one-off whose member has ended is forgotten', async () => {
    const world = await begun(async ({ call, messages }) => {
      await call(act, 1)
      await messages.go.next()
    })
    expect(world.frame.sets.openMembers()).toHaveLength(1)
    world.childEnds('o:1-act')
    await world.advance()
    expect(world.frame.sets.openMembers()).toEqual([])
    expect(world.frame.sets.isClosed()).toBe(true)
  })

  it('members: of every open set, as they were asked for', async () => {
    const world = await begun(async ({ joinSet, sleep }) => {
      joinSet('s').submit(act, 1)
      await sleep(1)
    })
    expect(world.frame.sets.openMembers()).toEqual([
      { kind: 'child', id: child('n:s'), name: 'act', functionKind: 'activity' },
      { kind: 'delay', id: delay('o:1-sleep') },
    ])
  })
})
