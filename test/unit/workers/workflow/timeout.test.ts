import { describe, expect, it } from 'vitest'
import { begun, delay, faultOf, returned } from './test-frame.ts'

describe('beginLimit', () => {
  it('limit: a delay in a one-off set, with the number of the call that waits', async () => {
    const world = await begun(({ messages }) => messages.go.next({ timeout: '1 minute' }))
    expect(world.log.slice(1).map(({ event }) => event)).toMatchObject([
      { type: 'join_next', seq: 1, joinSetId: 'm:go' },
      { type: 'join_set_create', seq: 1, joinSetId: 'o:1-timeout' },
      { seq: 1, delayId: delay('o:1-timeout'), intent: { type: 'in', in: 60_000 } },
      { type: 'join_next', seq: 1, joinSetId: 'o:1-timeout' },
    ])
  })

  it('limit: of nothing passes when its delay does', async () => {
    const world = await begun(({ messages }) => messages.go.next({ timeout: 0 }))
    expect(world.end()).toBe('has not ended')
    world.delayEnds('o:1-timeout')
    await world.advance()
    expect(world.end()).toEqual(returned(undefined))
  })

  it('limit: cancelled from outside it has passed too', async () => {
    const world = await begun(({ messages }) => messages.go.next({ timeout: 100 }))
    world.delayEnds('o:1-timeout', 'cancelled')
    await world.advance()
    expect(world.end()).toEqual(returned(undefined))
  })

  it('limit: ended in time, the execution need not wait for its delay to end', async () => {
    const world = await begun(({ messages }) => messages.go.next({ timeout: '30 days' }))
    world.send('go', 1)
    await world.advance()
    expect(world.cancelled).toEqual([delay('o:1-timeout')])
    expect(world.frame.isClosed()).toBe(true)
  })

  it('limit: one that has passed may be ended by what comes after', async () => {
    const world = await begun(async ({ messages }) => {
      const both = [messages.go.next({ timeout: 100 }), messages.go.next({ timeout: 200 })]
      return Promise.all(both)
    })
    world.delayEnds('o:1-timeout').send('go', 'a').delayEnds('o:2-timeout')
    await world.advance()
    const cold = world.replay()
    await cold.advance()
    expect(world.end()).toEqual(returned([undefined, 'a']))
    expect(cold.end()).toEqual(world.end())
    expect(faultOf(cold)).toBeUndefined()
  })
})
