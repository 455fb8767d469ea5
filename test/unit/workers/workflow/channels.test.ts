import { unchecked } from 'stele'
import { describe, expect, it } from 'vitest'
import { begun, delay, faultOf, returned } from './test-frame.ts'

describe('messages', () => {
  it('next: asks its channel, and gives the decoded payload', async () => {
    const world = await begun(({ messages }) => messages.go.next())
    expect(world.log[1]?.event).toMatchObject({ type: 'join_next', seq: 1, joinSetId: 'm:go' })
    world.send('go', { by: 'ann' })
    await world.advance()
    expect(world.end()).toEqual(returned({ by: 'ann' }))
  })

  it('next: a message that was there before the ask is given, in the order of sending', async () => {
    const world = await begun(async ({ messages, sleep }) => {
      await sleep(1)
      return [await messages.go.next(), await messages.go.next()]
    })
    world.send('go', 1).send('go', 2).delayEnds('o:1-sleep')
    await world.advance()
    expect(world.end()).toEqual(returned([1, 2]))
  })

  it('next: a message without a payload is undefined', async () => {
    const world = await begun(({ messages }) => messages.go.next())
    world.send('go')
    await world.advance()
    expect(world.end()).toEqual(returned(undefined))
  })

  it('next: a payload that the codec cannot read rejects, and the next one can be had', async () => {
    const world = await begun(async ({ messages }) => {
      const first = await messages.go.next().catch((error: unknown) => error)
      return [first, await messages.go.next()]
    })
    world.send('go', { $devalue: 'nonsense' }).send('go', 2)
    await world.advance()
    expect(world.end()).toMatchObject(returned([{ code: 'value_unreadable' }, 2]))
  })

  it('iteration: goes on with each message', async () => {
    const world = await begun(async ({ messages }) => {
      const seen: unknown[] = []
      for await (const message of messages.go) {
        seen.push(message)
        if (message === 'end') return seen
      }
      return 'never'
    })
    world.send('go', 1).send('go', 2).send('go', 'end')
    await world.advance()
    expect(world.end()).toEqual(returned([1, 2, 'end']))
  })

  it('declared: there are the channels of the definition, and no others', async () => {
    const world = await begun(({ messages }) => Object.keys(messages), {
      messages: { 'a/b': unchecked(), c: unchecked() },
    })
    expect(world.end()).toEqual(returned(['a/b', 'c']))
  })

  it.each([
    ['options', { timout: 1 }, 'invalid_option'],
    ['timeout', { timeout: 'soon' }, 'invalid_option'],
  ])('next: %s are checked, and a refusal takes no message', async (_, options, code) => {
    const world = await begun(async ({ messages }) => {
      const refused = await messages.go.next(options as never).catch((error: unknown) => error)
      return [refused, await messages.go.next()]
    })
    world.send('go', 1)
    await world.advance()
    expect(world.end()).toMatchObject(returned([{ code }, 1]))
  })
})

describe('messages with a timeout', () => {
  const withLimit: Parameters<typeof begun>[0] = async ({ messages, sleep }) => {
    const first = await messages.go.next({ timeout: 100 })
    await sleep(1)
    return [first, await messages.go.next()]
  }

  it('timeout: the message first; the delay is cancelled, and its end wakes nobody', async () => {
    const world = await begun(withLimit)
    world.send('go', 'in time')
    await world.advance()
    expect(world.cancelled).toEqual([delay('o:1-timeout')])
    expect(world.types()).toContain('join_next_withdraw')
    world.delayEnds('o:1-timeout', 'cancelled')
    expect(world.frame.hasNext()).toBe(false)
    world.delayEnds('o:2-sleep').send('go', 'second')
    await world.advance()
    expect(world.end()).toEqual(returned(['in time', 'second']))
  })

  it('timeout: the time first; undefined, and the message goes to the next ask', async () => {
    const world = await begun(withLimit)
    world.delayEnds('o:1-timeout')
    await world.advance()
    expect(world.types()).toContain('join_next_withdraw')
    world.send('go', 'late').delayEnds('o:2-sleep')
    await world.advance()
    expect(world.end()).toEqual(returned([undefined, 'late']))
  })

  it.each([
    ['message', ['both', 'more'], ['both', 'more']],
    ['time', ['both', 'more'], [undefined, 'both']],
  ] as const)('timeout: both are there, the %s came first', async (first, sent, expected) => {
    const world = await begun(withLimit)
    if (first === 'time') world.delayEnds('o:1-timeout')
    world.send('go', sent[0])
    if (first === 'message') world.delayEnds('o:1-timeout')
    world.send('go', sent[1]).delayEnds('o:2-sleep')
    await world.advance()
    expect(world.end()).toEqual(returned(expected))
    const cold = world.replay()
    await cold.advance()
    expect(faultOf(cold)).toBeUndefined()
    expect(cold.end()).toEqual(returned(expected))
  })
})
