/** Executions that are over, from their logs. */

import { defineActivity, defineWorkflow } from 'stele'
import { describe, expect, it, vi } from 'vitest'
import type { Frame } from '../../../src/inspector/frame.ts'
import { inspectExecution } from '../../../src/inspector/inspect-execution.ts'
import { inspector } from '../../../src/inspector/inspector.ts'
import { openTestEngine, type TestEngine } from '../client/test-engine.ts'
import { brief } from './frames.ts'

const pack = defineActivity({ name: 'pack' }, (item: string) => `a box of ${item}`)
const order = defineWorkflow({ name: 'order' }, async (items: readonly string[], { call }) => {
  const boxes = []
  for (const item of items) boxes.push(await call(pack, item))
  return boxes
})

interface World extends AsyncDisposable {
  readonly engine: TestEngine['engine']
  /** What a live observer saw of it. */
  readonly live: readonly Frame[]
}

async function openFinished(): Promise<World> {
  const live: Frame[] = []
  const world = await openTestEngine({
    functions: [pack, order],
    inspect: inspector({ onFrame: (frame) => live.push(frame) }),
  })
  await world.engine.submit(order, ['tea', 'cups'], { id: 'order-1' })
  await world.advance(5_000)
  const { engine } = world
  return { engine, live, [Symbol.asyncDispose]: () => world[Symbol.asyncDispose]() }
}

describe('inspectExecution', () => {
  it('shows an execution and its children at once', async () => {
    await using world = await openFinished()
    const frames: Frame[] = []
    const playback = await inspectExecution(world.engine, 'order-1', (frame) => frames.push(frame))
    expect(playback.position()).toBe(playback.steps.length)
    const born = frames
      .filter(({ type }) => type === '@xstate.actor')
      .map(({ sessionId }) => sessionId)
    expect(born).toEqual(['order-1', 'order-1.o:1-pack_1', 'order-1.o:2-pack_1'])
    expect(frames.map(brief).at(-1)).toBe('order-1 finished (done)')
  })

  it('names every execution as a live observer does', async () => {
    await using world = await openFinished()
    const frames: Frame[] = []
    await inspectExecution(world.engine, 'order-1', (frame) => frames.push(frame))
    const names = (of: readonly Frame[]): readonly string[] =>
      of.flatMap((frame) =>
        frame.type === '@xstate.actor' && frame.sessionId.startsWith('order-1')
          ? [`${frame.sessionId} is ${frame.name}`]
          : [],
      )
    expect(new Set(names(frames))).toEqual(new Set(names(world.live)))
  })

  it('paused: shows nothing until it is told to', async () => {
    await using world = await openFinished()
    const to = vi.fn()
    const playback = await inspectExecution(world.engine, 'order-1', { to, paused: true })
    expect(to).not.toHaveBeenCalled()
    playback.step()
    expect(to).toHaveBeenCalledTimes(3)
  })

  it('an inspector hides from a history what it hides from the living', async () => {
    await using world = await openFinished()
    const frames: Frame[] = []
    const seen = inspector({
      onFrame: (frame) => frames.push(frame),
      redact: (value, { kind }) => (kind === 'event' ? 'hidden' : value),
    })
    await inspectExecution(world.engine, 'order-1', seen)
    expect(frames.length).toBeGreaterThan(20)
    expect(JSON.stringify(frames)).not.toContain('cups')
  })

  it('an execution that nobody knows is refused', async () => {
    await using world = await openFinished()
    await expect(inspectExecution(world.engine, 'order-2', () => undefined)).rejects.toMatchObject({
      code: 'execution_not_found',
    })
  })

  it('what is no engine is refused', async () => {
    const engine = { get: () => Promise.resolve({ tree: () => Promise.resolve({}) }) }
    await expect(inspectExecution(engine, 'order-1', () => undefined)).rejects.toMatchObject({
      code: 'invalid_option',
      fields: { option: 'inspectExecution.engine' },
    })
  })

  it.each([
    [{}, 'inspectExecution.to'],
    [{ to: 'me' }, 'inspectExecution.to'],
    [{ to: vi.fn(), paused: 1 }, 'inspectExecution.paused'],
    [{ to: vi.fn(), scheduler: {} }, 'inspectExecution.scheduler.after'],
    [{ to: vi.fn(), colour: 'red' }, 'inspectExecution.colour'],
  ])('%j is refused by name', async (options, option) => {
    const engine = { get: () => Promise.reject(new TypeError('asked too early')) }
    const given = options as Parameters<typeof inspectExecution>[2]
    await expect(inspectExecution(engine, 'order-1', given)).rejects.toMatchObject({
      code: 'invalid_option',
      fields: { option },
    })
  })
})
