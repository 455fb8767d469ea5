/** Names of sessions. */

import { describe, expect, it } from 'vitest'
import { createActor, createMachine } from 'xstate'
import { createSessionNames } from '../../../src/inspector/session-names.ts'

const counter = createMachine({
  id: 'counter',
  on: { END: '.end' },
  initial: 'on',
  states: { on: {}, end: { type: 'final' } },
})

describe('names of sessions', () => {
  it('an actor has its own id', () => {
    const names = createSessionNames()
    const actor = createActor(counter, { id: 'order-1' })
    expect(names.nameOf(actor)).toBe('order-1')
    expect(names.nameOf(actor)).toBe('order-1')
  })

  it('an actor without an id is called by its machine, and never by the number of XState', () => {
    const names = createSessionNames()
    const actors = [createActor(counter), createActor(counter), createActor(createMachine({}))]
    expect(actors.map(names.nameOf)).toEqual(['counter', 'counter~2', '(machine)'])
  })

  it('two that live under one id are told apart', () => {
    const names = createSessionNames()
    const [first, second] = [1, 2].map(() => createActor(counter, { id: 'watcher' }).start())
    expect([first, second, first].map((actor) => names.nameOf(actor ?? {}))).toEqual([
      'watcher',
      'watcher~2',
      'watcher',
    ])
  })

  it('one that comes after another has ended takes its name over', () => {
    const names = createSessionNames()
    const first = createActor(counter, { id: 'order-1' }).start()
    names.nameOf(first)
    first.send({ type: 'END' })
    expect(names.nameOf(createActor(counter, { id: 'order-1' }))).toBe('order-1')
  })

  it('a child that its parent starts anew takes the name of the last one', () => {
    const names = createSessionNames()
    const parent = createActor(counter, { id: 'parent' })
    const first = createActor(counter, { id: 'order-1', parent }).start()
    names.nameOf(first)
    expect(names.nameOf(createActor(counter, { id: 'order-1', parent }))).toBe('order-1')
  })

  it('one that is released leaves its name to others, and keeps it for who still asks', () => {
    const names = createSessionNames()
    const [first, second] = [1, 2].map(() => createActor(counter, { id: 'order-1' }).start())
    names.nameOf(first ?? {})
    names.release(first ?? {})
    expect(names.nameOf(second ?? {})).toBe('order-1')
    first?.send({ type: 'END' })
    expect(names.nameOf(first ?? {})).toBe('order-1~2')
  })

  it('the root is the topmost parent', () => {
    const names = createSessionNames()
    const root = createActor(counter, { id: 'root' })
    const parent = createActor(counter, { id: 'parent', parent: root })
    const child = createActor(counter, { id: 'child', parent })
    expect([root, parent, child].map(names.rootOf)).toEqual(['root', 'root', 'root'])
  })

  it('numbers of XState within texts are replaced', () => {
    const names = createSessionNames()
    const actor = createActor(counter)
    names.nameOf(actor)
    const { sessionId } = actor
    expect(names.withoutNumbers(sessionId)).toBe('counter')
    expect(names.withoutNumbers(`xstate.done.actor.${sessionId}`)).toBe('xstate.done.actor.counter')
    expect(names.withoutNumbers('xstate.done.actor.pay')).toBe('xstate.done.actor.pay')
    expect(names.withoutNumbers('PAID.x:0')).toBe('PAID.x:0')
  })

  it('parents in a circle end', () => {
    const circle: { id: string; _parent?: object } = { id: 'odd' }
    circle._parent = circle
    expect(createSessionNames().rootOf(circle)).toBe('odd')
  })
})
