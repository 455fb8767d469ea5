/** A history, step by step. */

import { describe, expect, it, vi } from 'vitest'
import type { Frame } from '../../../src/inspector/frame.ts'
import { type HistoryStep, stepsOf } from '../../../src/inspector/history.ts'
import { createPlayback, type Playback } from '../../../src/inspector/playback.ts'
import { treeOf } from '../../support/execution-trees.ts'
import { createdEvent, finishedEvent, lockedEvent } from '../../support/storage/events.ts'
import {
  createTestClock,
  createTestScheduler,
  type TestScheduler,
} from '../../support/test-time.ts'
import { brief } from './frames.ts'

const child = treeOf('order-1.n:boxes_1', {
  events: [
    [1_000, createdEvent()],
    [2_000, lockedEvent({ lockExpiresAt: 90_000_000 })],
  ],
})
const steps = stepsOf(
  treeOf('order-1', {
    events: [
      [0, createdEvent()],
      [500, lockedEvent({ lockExpiresAt: 90_000_000 })],
      [86_400_000, finishedEvent()],
    ],
    children: [child],
  }),
)

interface World {
  readonly playback: Playback
  readonly scheduler: TestScheduler
  /** What was shown since the last look. */
  readonly shown: () => readonly string[]
}

function open(of: readonly HistoryStep[] = steps): World {
  const scheduler = createTestScheduler(createTestClock())
  const frames: Frame[] = []
  const onFrame = (frame: Frame): void => {
    frames.push(frame)
  }
  const playback = createPlayback({ steps: of, onFrame, scheduler, gapMax: 2_000 })
  const shown = (): readonly string[] =>
    frames.splice(0).flatMap((frame) => (frame.type === '@xstate.event' ? [] : [brief(frame)]))
  return { playback, scheduler, shown }
}

describe('playback', () => {
  it('shows nothing by itself', () => {
    const { playback, shown } = open()
    expect([playback.position(), shown()]).toEqual([0, []])
  })

  it('step: shows one, and says whether there was one', () => {
    const { playback, shown } = open()
    expect(playback.step()).toBe(true)
    expect(shown()).toEqual(['+order-1 {"open":"pending_at"}', 'order-1 {"open":"pending_at"}'])
    for (let count = 1; count < steps.length; count += 1) playback.step()
    expect([playback.step(), playback.position()]).toEqual([false, 5])
  })

  it('play: takes the time that it took, but never long', async () => {
    const { playback, scheduler, shown } = open()
    const played = playback.play()
    await scheduler.advance(499)
    expect(shown()).toHaveLength(2)
    await scheduler.advance(1)
    expect(shown()).toEqual(['order-1 {"open":"locked"}'])
    await scheduler.advance(1_500 + 1_999)
    expect(playback.position()).toBe(4)
    await scheduler.advance(1)
    await played
    expect(playback.position()).toBe(5)
  })

  it('play: twice as fast is half the time', async () => {
    const { playback, scheduler } = open()
    void playback.play({ speed: 2 })
    await scheduler.advance(250)
    expect(playback.position()).toBe(2)
  })

  it('play: without end of speed is at once', async () => {
    const { playback, scheduler } = open()
    await playback.play({ speed: Number.POSITIVE_INFINITY })
    expect([playback.position(), scheduler.dueTimes()]).toEqual([5, []])
  })

  it.each([0, -1, Number.NaN])('play: %j is no speed', async (speed) => {
    const { playback } = open()
    await expect(playback.play({ speed: speed })).rejects.toMatchObject({ code: 'invalid_option' })
  })

  it('pause: stands still, and whoever waited for the end waits no more', async () => {
    const { playback, scheduler } = open()
    const played = playback.play()
    await scheduler.advance(500)
    playback.pause()
    await played
    await scheduler.advance(100_000)
    expect(playback.position()).toBe(2)
  })

  it('seek: forwards shows all between', () => {
    const { playback, shown } = open()
    playback.seek(2)
    expect(shown().at(-1)).toBe('order-1 {"open":"locked"}')
  })

  it('seek: back shows each as it was, and as stopped where there was none', () => {
    const { playback, shown } = open()
    playback.seek(5)
    shown()
    playback.seek(1)
    expect(shown()).toEqual(['+order-1 {"open":"pending_at"}', 'order-1.n:boxes_1  (stopped)'])
    expect(playback.position()).toBe(1)
  })

  it('seek: back and forth again shows a child anew', () => {
    const { playback, shown } = open()
    playback.seek(5)
    playback.seek(1)
    shown()
    playback.seek(3)
    expect(shown()).toContain('+order-1.n:boxes_1 {"open":"pending_at"}')
  })

  it('seek: goes on from there when it was playing', async () => {
    const { playback, scheduler } = open()
    void playback.play()
    playback.seek(3)
    await scheduler.advance(1_000)
    expect(playback.position()).toBe(4)
  })

  it.each([-1, 6, 0.5])('seek: %j is no place in it', (position) => {
    const { playback } = open()
    expect(() => {
      playback.seek(position)
    }).toThrow(expect.objectContaining({ code: 'invalid_option' }))
  })

  it('whoever looks on may throw', () => {
    const scheduler = createTestScheduler(createTestClock())
    const onFrame = vi.fn(() => {
      throw new TypeError('no')
    })
    const playback = createPlayback({ steps, onFrame, scheduler, gapMax: 0 })
    playback.seek(5)
    expect(onFrame).toHaveBeenCalledTimes(12)
  })
})
