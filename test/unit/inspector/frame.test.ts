/** The wire format. */

import { describe, expect, it } from 'vitest'
import { droppedFrame, isEnded } from '../../../src/inspector/frame.ts'
import { actorFrame } from './frames.ts'

describe('frames', () => {
  it('what is missing is an event of the actor that comes next', () => {
    expect(droppedFrame(actorFrame('order-1'), 7)).toEqual({
      type: '@xstate.event',
      event: { type: 'stele.dropped', count: 7 },
      rootId: 'root',
      sessionId: 'order-1',
      createdAt: '0',
      id: null,
      _version: '0.7.2',
      stele: { dropped: 7 },
    })
  })

  it.each([
    ['active', false],
    ['done', true],
    ['error', true],
    ['stopped', true],
  ])('an actor that is %s has ended: %s', (status, hasEnded) => {
    expect(isEnded({ status })).toBe(hasEnded)
  })
})
