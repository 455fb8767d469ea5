/**
 * What is wrong with `@statelyai/inspect` 0.7.2 where processes are watched, and is not so here;
 * and that its own receiver and server take what is sent.
 */

import { createWebSocketReceiver } from '@statelyai/inspect'
import { createInspectorServer } from '@statelyai/inspect/server'
import { createEngine, defineActivity, defineWorkflow } from 'stele'
import { type Frame, inspectExecution, inspector } from 'stele/inspector'
import { describe, expect, it, vi } from 'vitest'
import { createActor, createMachine, type InspectionEvent } from 'xstate'
import { freePort, openRelay } from '../support/relay.ts'
import { openTestEngine } from '../unit/client/test-engine.ts'

const draft = createMachine({
  id: 'order',
  initial: 'draft',
  states: { draft: { on: { SEND: 'waiting' } }, waiting: {} },
})

const greet = defineActivity({ name: 'greet' }, (name: string) => `Hello, ${name}`)

function collect(options: object = {}): {
  readonly frames: Frame[]
  readonly inspect: ReturnType<typeof inspector>
} {
  const frames: Frame[] = []
  return { frames, inspect: inspector({ onFrame: (frame) => frames.push(frame), ...options }) }
}

describe('what is watched in a process', () => {
  it('1: nobody can connect to it: watching through a relay opens no port', async () => {
    await using relay = await openRelay()
    const listening = (): number =>
      process.getActiveResourcesInfo().filter((name) => name === 'TCPServerWrap').length
    const before = listening()
    const seen = inspector({ url: relay.url })
    await relay.connected(1)
    expect(listening()).toBe(before)
    await seen.close()
  })

  it('2: the first state is the one in which the actor began, with its own time', () => {
    let now = 1000
    const { frames, inspect } = collect({ clock: { now: () => now } })
    const actor = createActor(draft, { inspect }).start()
    now = 2000
    actor.send({ type: 'SEND' })
    const states = frames.flatMap((frame) =>
      frame.type === '@xstate.snapshot' ? [[frame.snapshot.value, frame.createdAt]] : [],
    )
    expect(states).toEqual([
      ['draft', '1000'],
      ['waiting', '2000'],
    ])
  })

  it('3: every frame says to which tree it belongs', async () => {
    const { frames, inspect } = collect()
    await using world = await openTestEngine({ functions: [greet], inspect })
    await world.engine.submit(greet, 'Ann', { id: 'order-1' })
    await world.settle()
    const executor = frames.find(({ sessionId }) => sessionId.startsWith('Exr_'))?.sessionId
    const own = frames.filter(({ sessionId }) => sessionId === 'order-1')
    expect(own.length).toBeGreaterThan(5)
    expect(new Set(own.map(({ rootId }) => rootId))).toEqual(new Set([executor]))
    const [actor] = own
    expect(actor).toMatchObject({
      type: '@xstate.actor',
      name: 'order-1',
      parentId: executor,
      definition: expect.stringContaining('"locked_execution"'),
    })
  })

  it('3: so do the frames of what is over', async () => {
    const { frames, inspect } = collect()
    const greetAll = defineWorkflow({ name: 'greetAll' }, (name: string, { call }) =>
      call(greet, name),
    )
    await using world = await openTestEngine({ functions: [greet, greetAll] })
    await world.engine.submit(greetAll, 'Ann', { id: 'order-1' })
    await world.advance(1_000)
    await inspectExecution(world.engine, 'order-1', inspect)
    const actors = frames.filter((frame) => frame.type === '@xstate.actor')
    expect(actors.map(({ sessionId, rootId, parentId }) => [sessionId, rootId, parentId])).toEqual([
      ['order-1', 'order-1', undefined],
      ['order-1.o:1-greet_1', 'order-1', 'order-1'],
    ])
    expect(actors.every(({ definition }) => definition.includes('"execution"'))).toBe(true)
    expect(frames.every(({ rootId }) => rootId === 'order-1')).toBe(true)
  })

  it('4: a connection that is lost is made again, and its reader ends with the true state', async () => {
    await using relay = await openRelay()
    const seen = inspector({ url: relay.url })
    const actor = createActor(draft, { inspect: seen }).start()
    await relay.until(3)
    relay.cut()
    actor.send({ type: 'SEND' })
    await relay.connected(2)
    await seen.close()
    const values = relay.received.map((text) => {
      const frame: Frame = JSON.parse(text)
      return 'snapshot' in frame ? frame.snapshot.value : undefined
    })
    expect(values.at(-1)).toBe('waiting')
  })

  // 5: a script that has finished ends though its relay is away: test/crash/watched-script.test.ts.

  it('6: watching sets no timer for each event', () => {
    const { frames, inspect } = collect()
    const timers = vi.spyOn(globalThis, 'setTimeout')
    const actor = createActor(draft, { inspect }).start()
    for (let count = 0; count < 100; count += 1) actor.send({ type: 'NOTHING' })
    expect(timers).not.toHaveBeenCalled()
    expect(frames).toHaveLength(203)
  })

  it('7: a context is shown to its bottom', () => {
    let context: Record<string, unknown> = { bottom: 'here' }
    for (let level = 0; level < 50; level += 1) context = { context }
    const { frames, inspect } = collect()
    createActor(createMachine({ id: 'deep', context }), { inspect }).start()
    expect(JSON.stringify(frames.at(-1))).toContain('"bottom":"here"')
  })

  it('7: what waited for a connection is sent once', async () => {
    const port = await freePort()
    const seen = inspector({ url: `ws://127.0.0.1:${port}` })
    createActor(draft, { inspect: seen }).start()
    await using relay = await openRelay(port)
    await relay.until(3)
    relay.cut()
    await relay.connected(2)
    await seen.close()
    const types = relay.received.map((text) => /"type":"(@xstate\.\w+)"/.exec(text)?.[1])
    // The second connection is told who lives, and no more.
    expect(types).toEqual(['@xstate.actor', '@xstate.event', '@xstate.snapshot', '@xstate.actor'])
  })

  it('8: what may not be seen is never looked at, and what is too large is cut', () => {
    const card = vi.fn(() => '4242')
    const context = {
      text: 'x'.repeat(1_000_000),
      get card(): string {
        return card()
      },
    }
    const machine = createMachine({ id: 'm', context })
    const hidden = collect({ redact: () => ({ text: context.text }) })
    createActor(machine, { inspect: hidden.inspect }).start()
    expect(card).not.toHaveBeenCalled()
    expect(JSON.stringify(hidden.frames.at(-1)).length).toBeLessThan(200_000)
    expect(JSON.stringify(hidden.frames.at(-1))).toContain('[cut: too large to show]')
  })
})

describe('beside the package of Stately', () => {
  it('its server and its receiver pass every frame on as it is', async () => {
    const port = await freePort()
    const server = createInspectorServer({ port, autoOpen: false })
    const url = `ws://127.0.0.1:${port}`
    const passed: unknown[] = []
    createWebSocketReceiver({ server: url }).subscribe((event) => passed.push(event))
    const frames: Frame[] = []
    const seen = inspector({ url, onFrame: (frame) => frames.push(frame) })
    const engine = await createEngine({
      storage: ':memory:',
      functions: [greet],
      inspect: seen,
      logger: false,
    })
    await engine.start()
    await (await engine.submit(greet, 'Ann', { id: 'order-1' })).result()
    await engine.stop()
    await seen.close()
    await vi.waitFor(() => {
      expect(passed).toHaveLength(frames.length)
    })
    server.stop()
    expect(frames.length).toBeGreaterThan(20)
    expect(passed).toEqual(JSON.parse(JSON.stringify(frames)))
  })

  it('any observer of XState can watch an engine', async () => {
    const seen: InspectionEvent[] = []
    await using world = await openTestEngine({
      functions: [greet],
      inspect: { next: (event: InspectionEvent) => seen.push(event) },
    })
    await world.engine.submit(greet, 'Ann', { id: 'order-1' })
    await world.settle()
    const ids = seen.flatMap(({ actorRef }) => ('id' in actorRef ? [actorRef.id] : []))
    expect(ids).toContain('order-1')
    expect(ids).toContain('timers-watcher')
  })
})
