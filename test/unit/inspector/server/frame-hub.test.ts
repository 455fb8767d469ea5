import { expect, test } from 'vitest'
import { createActor, createMachine, type InspectionEvent } from 'xstate'
import type { Frame } from '../../../../src/inspector/frame.ts'
import { createFrameHub } from '../../../../src/inspector/server/frame-hub.ts'
import { createTestClock } from '../../../support/test-time.ts'

const lamp = createMachine({
  id: 'lamp',
  initial: 'off',
  states: {
    off: { on: { TOGGLE: 'on', BREAK: 'broken' } },
    on: { on: { TOGGLE: 'off' } },
    broken: { type: 'final' },
  },
})

function openHub() {
  const hub = createFrameHub({ clock: createTestClock(), charsMax: 1_000 })
  const start = () => createActor(lamp, { inspect: (event: InspectionEvent) => hub.next(event) })
  const frames: Frame[] = []
  const join = () => hub.join((frame) => frames.push(frame))
  const told = (): readonly string[] =>
    frames.map((frame) =>
      frame.type === '@xstate.event'
        ? frame.type
        : `${frame.type} ${JSON.stringify(frame.snapshot.value ?? 'none')}`,
    )
  return { hub, start, join, told }
}

test('a newcomer learns of the actors that live, as they are now, and of what they do then', () => {
  const { start, join, told } = openHub()
  const actor = start().start()
  actor.send({ type: 'TOGGLE' })
  join()
  expect(told()).toEqual(['@xstate.actor "none"', '@xstate.snapshot "on"'])
  actor.send({ type: 'TOGGLE' })
  expect(told().slice(2)).toEqual(['@xstate.event', '@xstate.snapshot "off"'])
})

test('of those that have ended nobody learns', () => {
  const { start, join, told } = openHub()
  start().start().send({ type: 'BREAK' })
  join()
  expect(told()).toEqual([])
})

test('whoever leaves is told nothing more', () => {
  const { start, join, told } = openHub()
  const leave = join()
  leave()
  start().start().send({ type: 'TOGGLE' })
  expect(told()).toEqual([])
})
