import { defineWorkflow, unchecked } from 'stele'
import { describe, expect, it } from 'vitest'
import { createGate, eventsOf, memories, rejectionOf } from '../seed/workflow-test.ts'
import { openTestEngine } from '../unit/client/test-engine.ts'

const messages = { go: unchecked<string>(), other: unchecked<number>() }

describe.each(memories)('B25, $memory', ({ limits }) => {
  it('B25: a message sent before the workflow started is there when it asks', async () => {
    const main = defineWorkflow({ name: 'main', messages }, (_: undefined, context) =>
      context.messages.go.next(),
    )
    await using world = await openTestEngine({ functions: [main], limits, started: false })
    const handle = await world.engine.submit(main)
    await handle.send('go', 'early')
    await world.engine.start()
    await world.settle()
    expect(await handle.result({ timeout: 0 })).toBe('early')
    await world.check()
  })

  it('B25: one sent 0 ms before the wait is reached does not get lost, nor waits for its timeout', async () => {
    const gate = createGate()
    const main = defineWorkflow({ name: 'main', messages }, async (_: undefined, context) => {
      await context.step('prepare', () => gate.opened)
      const got = await context.messages.go.next({ timeout: '1 day' })
      return [got, context.now()]
    })
    await using world = await openTestEngine({ functions: [main], limits })
    const handle = await world.engine.submit(main)
    await world.settle()
    const sent = handle.send('go', 'just before')
    gate.open()
    await sent
    await world.advance(300)
    expect(await handle.result({ timeout: 0 })).toEqual(['just before', 0])
    await world.check()
  })

  it('B25: one and the same id is delivered once, in one channel', async () => {
    const main = defineWorkflow({ name: 'main', messages }, async (_: undefined, context) => {
      const got: unknown[] = [await context.messages.go.next(), await context.messages.go.next()]
      got.push(await context.messages.go.next({ timeout: '1s' }))
      got.push(await context.messages.other.next())
      return got
    })
    await using world = await openTestEngine({ functions: [main], limits })
    const handle = await world.engine.submit(main)
    await handle.send('go', 'a', { id: 'same' })
    await handle.send('go', 'b', { id: 'same' })
    await world.settle()
    await handle.send('go', 'c', { id: 'same' })
    await handle.send('go', 'd', { id: 'another' })
    await handle.send('other', 1, { id: 'same' })
    await world.advance(1_100)
    expect(await handle.result({ timeout: 0 })).toEqual(['a', 'd', undefined, 1])
    await world.check()
  })

  it('B25: the limit and the message at one and the same instant: one of them, and then no more', async () => {
    const main = defineWorkflow({ name: 'main', messages }, async (_: undefined, context) => {
      const first = await context.messages.go.next({ timeout: '1s' })
      const second = await context.messages.go.next({ timeout: '1s' })
      return [first, second]
    })
    await using world = await openTestEngine({ functions: [main], limits })
    const handle = await world.engine.submit(main)
    await world.settle()
    world.clock.set(1_000)
    await handle.send('go', 'on time')
    await world.advance(0)
    await world.advance(1_200)
    const got = await handle.result({ timeout: 0 })
    expect(got.filter((one) => one !== undefined)).toEqual(['on time'])
    await world.check()
  })

  it('B25: what comes after a limit that has passed is for the next who asks', async () => {
    const main = defineWorkflow({ name: 'main', messages }, async (_: undefined, context) => {
      const first = await context.messages.go.next({ timeout: '1s' })
      return [first, await context.messages.go.next(), await context.messages.go.next()]
    })
    await using world = await openTestEngine({ functions: [main], limits })
    const handle = await world.engine.submit(main)
    await world.advance(1_100)
    expect(await eventsOf(handle, 'join_next_withdraw')).toHaveLength(1)
    await handle.send('go', 'late')
    await handle.send('go', 'later')
    await world.settle()
    expect(await handle.result({ timeout: 0 })).toEqual([undefined, 'late', 'later'])
    await world.check()
  })

  it('B25: messages to a paused workflow wait for it; to a finished one they are refused', async () => {
    const main = defineWorkflow({ name: 'main', messages }, (_: undefined, context) =>
      context.messages.go.next(),
    )
    await using world = await openTestEngine({ functions: [main], limits })
    const handle = await world.engine.submit(main)
    await world.settle()
    await handle.pause()
    await handle.send('go', 'while paused')
    await world.advance(1_000)
    expect(await handle.state()).toMatchObject({ paused: true })
    await handle.unpause()
    await world.settle()
    expect(await handle.result({ timeout: 0 })).toBe('while paused')
    const late = await rejectionOf(handle.send('go', 'late'))
    expect(late).toMatchObject({ code: 'already_finished' })
    const unknown = await rejectionOf(handle.send('nowhere' as never, 'x' as never))
    expect(unknown).toMatchObject({ code: 'unknown_channel' })
    await world.check()
  })
})
