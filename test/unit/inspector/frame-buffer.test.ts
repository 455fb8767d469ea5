/** Frames that wait. */

import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ActorFrame, Frame, SnapshotFrame } from '../../../src/inspector/frame.ts'
import { createFrameBuffer } from '../../../src/inspector/frame-buffer.ts'
import { actorFrame, brief, snapshotFrame } from './frames.ts'

describe('frame buffer', () => {
  it('gives what was added, in order, once', () => {
    const buffer = createFrameBuffer(10)
    buffer.add(actorFrame('a'))
    buffer.add(snapshotFrame('a', 'on'))
    expect(buffer.take().map(brief)).toEqual(['+a', 'a on'])
    expect(buffer.take()).toEqual([])
  })

  it('the oldest go first, and a mark says how many', () => {
    const buffer = createFrameBuffer(2)
    buffer.add(actorFrame('a'))
    for (const value of ['one', 'two', 'three', 'four']) buffer.add(snapshotFrame('a', value))
    expect(buffer.size()).toBe(2)
    expect(buffer.take().map(brief)).toEqual(['+a two', 'a three', 'a stele.dropped!', 'a four'])
  })

  it('an actor whose registration is gone is still known, unless it has ended', () => {
    const buffer = createFrameBuffer(2)
    buffer.add(actorFrame('gone'))
    buffer.add(snapshotFrame('gone', 'end', 'done'))
    buffer.add(actorFrame('alive'))
    for (const value of ['one', 'two', 'three']) buffer.add(snapshotFrame('alive', value))
    expect(buffer.replay().map(brief)).toEqual([
      '+alive one',
      'alive two',
      'alive stele.dropped!',
      'alive three',
    ])
  })

  it('whoever knew an actor hears of its end, even when that was dropped', () => {
    const buffer = createFrameBuffer(1)
    buffer.add(actorFrame('a'))
    buffer.take()
    buffer.add(snapshotFrame('a', 'end', 'done'))
    buffer.add(actorFrame('b'))
    expect(buffer.take().map(brief)).toEqual(['a end (done)', '+b', 'b stele.dropped!'])
  })

  it('whoever knew an actor hears of its end, even when what came before was dropped as well', () => {
    const buffer = createFrameBuffer(1)
    buffer.add(actorFrame('a'))
    buffer.take()
    buffer.add(snapshotFrame('a', 'on'))
    buffer.add(snapshotFrame('a', 'end', 'done'))
    buffer.add(actorFrame('b'))
    expect(buffer.take().map(brief)).toEqual(['a end (done)', '+b', 'b stele.dropped!'])
  })

  it('whoever comes anew hears of all that live, as of now', () => {
    const buffer = createFrameBuffer(10)
    buffer.add(actorFrame('a'))
    buffer.add(actorFrame('b'))
    buffer.add(snapshotFrame('a', 'on'))
    buffer.add(snapshotFrame('b', 'end', 'done'))
    buffer.take()
    expect([buffer.hasMore(), buffer.take()]).toEqual([false, []])
    buffer.startAnew()
    expect([buffer.hasMore(), buffer.size()]).toEqual([true, 0])
    expect(buffer.take().map(brief)).toEqual(['+a on'])
  })

  it('takes no more than it is asked for', () => {
    const buffer = createFrameBuffer(10)
    buffer.add(actorFrame('a'))
    for (const value of ['one', 'two', 'three']) buffer.add(snapshotFrame('a', value))
    expect(buffer.take(2).map(brief)).toEqual(['+a', 'a one'])
    expect(buffer.size()).toBe(2)
    expect(buffer.take().map(brief)).toEqual(['a two', 'a three'])
  })

  it('a newcomer takes nothing away', () => {
    const buffer = createFrameBuffer(10)
    buffer.add(actorFrame('a'))
    buffer.take()
    buffer.add(snapshotFrame('a', 'on'))
    expect(buffer.replay().map(brief)).toEqual(['+a', 'a on'])
    expect(buffer.take().map(brief)).toEqual(['a on'])
  })

  it('whatever is lost: the reader ends with the true state of every actor', () => {
    const step = fc.oneof(
      { weight: 5, arbitrary: fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.nat(9)) },
      fc.nat(4),
    )
    fc.assert(
      fc.property(
        fc.array(step, { maxLength: 60 }),
        fc.integer({ min: 1, max: 6 }),
        (steps, max) => {
          const buffer = createFrameBuffer(max)
          const truth = new Map<string, string>()
          const seen = new Map<string, string>()
          const read = (frames: readonly Frame[]): void => {
            for (const frame of frames) {
              if (frame.type === '@xstate.event') continue
              // A frame of an actor that nobody was told of would be a riddle.
              expect(frame.type === '@xstate.actor' || seen.has(frame.sessionId)).toBe(true)
              seen.set(frame.sessionId, stateOf(frame))
              if (frame.snapshot.status === 'done') seen.delete(frame.sessionId)
            }
          }
          for (const taken of steps) {
            if (typeof taken === 'number') read(buffer.take(taken))
            else move(buffer.add, truth, taken)
          }
          read(buffer.take())
          expect(Object.fromEntries(seen)).toEqual(Object.fromEntries(truth))
        },
      ),
      { seed: 20_261_203, numRuns: 1000 },
    )
  })
})

function stateOf({ snapshot }: ActorFrame | SnapshotFrame): string {
  return typeof snapshot.value === 'string' ? snapshot.value : ''
}

/** An actor begins, goes on, or ends. */
function move(
  add: (frame: Frame) => void,
  truth: Map<string, string>,
  [sessionId, digit]: readonly [string, number],
): void {
  if (!truth.has(sessionId)) {
    add(actorFrame(sessionId))
    truth.set(sessionId, '')
  } else if (digit === 0) {
    add(snapshotFrame(sessionId, 'end', 'done'))
    truth.delete(sessionId)
  } else {
    add(snapshotFrame(sessionId, String(digit)))
    truth.set(sessionId, String(digit))
  }
}
