/** Inspection events of XState as frames. */

import { describe, expect, it } from 'vitest'
import {
  type AnyActorRef,
  createActor,
  createMachine,
  fromPromise,
  type InspectionEvent,
  sendTo,
  setup,
} from 'xstate'
import { lockedExecutionMachine } from '../../../machines/locked-execution.ts'
import { compile } from '../../../src/engine/compile.ts'
import { definitionText } from '../../../src/inspector/adapter.ts'
import { brief, watch } from './frames.ts'

const light = createMachine({
  id: 'light',
  initial: 'red',
  states: { red: { on: { GO: 'green' } }, green: { type: 'final' } },
})

describe('adapter', () => {
  it('shows an actor, its events and its states', () => {
    const { frames, inspect } = watch()
    const actor = createActor(light, { id: 'light-1', inspect }).start()
    actor.send({ type: 'GO' })
    expect(frames.map(brief)).toEqual([
      '+light-1',
      'light-1 xstate.init!',
      'light-1 red',
      'light-1 GO!',
      'light-1 green (done)',
    ])
  })

  it('frames are exactly of the format', () => {
    const { frames, inspect } = watch()
    createActor(light, { id: 'light-1', inspect }).start().send({ type: 'GO', by: 'ann' })
    const base = {
      rootId: 'light-1',
      sessionId: 'light-1',
      createdAt: '1000',
      id: null,
      _version: '0.7.2',
    }
    expect(frames[0]).toEqual({
      ...base,
      type: '@xstate.actor',
      name: 'light-1',
      definition: JSON.stringify({ id: 'light', initial: 'red', states: light.config.states }),
      snapshot: { status: 'active' },
    })
    expect(frames.slice(-2)).toEqual([
      { ...base, type: '@xstate.event', event: { type: 'GO', by: 'ann' } },
      {
        ...base,
        type: '@xstate.snapshot',
        event: { type: 'GO', by: 'ann' },
        snapshot: { status: 'done', value: 'green', context: {} },
      },
    ])
  })

  it('a child names its parent, its root, and who sends to it', () => {
    const { frames, inspect } = watch()
    const parent = createActor(light, { id: 'Exr_1', inspect })
    createActor(compile(lockedExecutionMachine).logic(), { id: 'order-1', parent }).start()
    const child = frames.find(({ sessionId }) => sessionId === 'order-1')
    expect(child).toMatchObject({ parentId: 'Exr_1', rootId: 'Exr_1', name: 'order-1' })
    const init = frames.find((frame) => frame.type === '@xstate.event')
    expect(init).toMatchObject({ sessionId: 'order-1', sourceId: 'Exr_1' })
  })

  it('an actor that is not started has no state yet', () => {
    const { frames, inspect } = watch()
    createActor(light, { inspect })
    expect(frames.map(brief)).toEqual(['+light'])
  })

  it('an actor that goes on from a snapshot is marked', () => {
    const { frames, inspect } = watch()
    const snapshot = createActor(light).start().getPersistedSnapshot()
    createActor(light, { inspect, snapshot })
    expect(frames[0]?.stele).toEqual({ restored: true })
  })

  it('the counter of XState never shows', async () => {
    const parent = setup({
      types: { context: {} as { readonly children: readonly AnyActorRef[] } },
      actors: { child: light, wait: fromPromise(() => Promise.resolve('done')) },
    }).createMachine({
      id: 'parent',
      context: ({ spawn }) => ({ children: [spawn('child'), spawn('wait')] }),
      on: { GO: { actions: sendTo(({ context }) => context.children[0] ?? '', { type: 'GO' }) } },
    })
    const { frames, inspect } = watch()
    const actor = createActor(parent, { inspect }).start()
    actor.send({ type: 'GO' })
    await new Promise(setImmediate)
    expect(frames.map(brief)).toContain('parent xstate.done.actor.light!')
    expect(JSON.stringify(frames)).not.toMatch(/x:\d/)
  })

  it('a promise is an actor with nothing but a name', () => {
    const { frames, inspect } = watch()
    createActor(
      fromPromise(() => Promise.resolve(1)),
      { id: 'pay', inspect },
    )
    expect(frames[0]).toMatchObject({ name: 'pay', definition: '{"id":"pay"}' })
  })

  it('never throws, whatever it is shown', () => {
    const { inspect } = watch({
      onFrame: () => {
        throw new TypeError('no')
      },
      redact: () => {
        throw new TypeError('no')
      },
    })
    const refuse = (): never => {
      throw new RangeError('no')
    }
    const hostile = new Proxy({}, { get: refuse, has: refuse, ownKeys: refuse })
    createActor(light, { inspect }).start().send({ type: 'GO' })
    const odd = [hostile, undefined, null, 7, {}] as InspectionEvent[]
    for (const event of odd) {
      expect(() => {
        inspect(event)
      }).not.toThrow()
    }
  })

  it('values that cannot be shown do not hide the rest', () => {
    const { frames, inspect } = watch()
    const circle: Record<string, unknown> = { big: 1n, call: () => 1 }
    circle['self'] = circle
    createActor(light, { inspect }).start().send({ type: 'GO', circle })
    expect(frames.at(-1)).toMatchObject({
      event: { type: 'GO', circle: { big: '1n', self: '[circular]' } },
      snapshot: { value: 'green' },
    })
    expect(() => JSON.stringify(frames)).not.toThrow()
  })

  it('a definition carries no context where something is redacted', () => {
    const config = { id: 'm', context: { card: '4242' } }
    expect(definitionText(config, 'm')).toBe('{"id":"m","context":{"card":"4242"}}')
    expect(definitionText(config, 'm', { redact: () => 'hidden' })).toBe('{"id":"m"}')
  })

  it('a definition beyond all measure is left out', () => {
    const states = Object.fromEntries(
      Array.from({ length: 40_000 }, (_, index) => [
        `a state with a long name ${index}`,
        { on: {} },
      ]),
    )
    expect(definitionText({ states }, 'm')).toBe('{"id":"m"}')
  })
})
