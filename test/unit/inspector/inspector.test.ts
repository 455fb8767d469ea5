/** `inspector({ … })`: its options, and what it does with them. */

import { describe, expect, it, vi } from 'vitest'
import { createActor, createMachine } from 'xstate'
import type { Frame } from '../../../src/inspector/frame.ts'
import { type InspectorOptions, inspector } from '../../../src/inspector/inspector.ts'
import { openRelay } from '../../support/relay.ts'
import { actorFrame, brief } from './frames.ts'

const light = createMachine({ id: 'light' })

describe('options of an inspector', () => {
  it.each([
    [{}, 'inspector'],
    [{ url: 'http://localhost:8080' }, 'inspector.url'],
    [{ url: 'localhost' }, 'inspector.url'],
    [{ url: 'ws://localhost:8080/#part' }, 'inspector.url'],
    [{ url: 7 }, 'inspector.url'],
    [{ onFrame: 'no' }, 'inspector.onFrame'],
    [{ onFrame: vi.fn(), redact: {} }, 'inspector.redact'],
    [{ onFrame: vi.fn(), framesMax: 0 }, 'inspector.framesMax'],
    [{ onFrame: vi.fn(), charsMax: -1 }, 'inspector.charsMax'],
    [{ onFrame: vi.fn(), logger: {} }, 'inspector.logger.info'],
    [{ onFrame: vi.fn(), clock: {} }, 'inspector.clock.now'],
    [{ onFrame: vi.fn(), colour: 'red' }, 'inspector.colour'],
    [null, 'inspector'],
  ])('%j is refused by name', (options, option) => {
    expect(() => inspector(options as InspectorOptions)).toThrow(
      expect.objectContaining({ code: 'invalid_option', fields: { option } }),
    )
  })
})

describe('inspector', () => {
  it('hands each frame over at once', () => {
    const frames: Frame[] = []
    const seen = inspector({ onFrame: (frame) => frames.push(frame), clock: { now: () => 7 } })
    createActor(light, { inspect: seen }).start()
    expect(frames.map(brief)).toEqual(['+light', 'light xstate.init!', 'light {}'])
    expect(frames[0]?.createdAt).toBe('7')
  })

  it('what the function throws, or rejects with, ends there', async () => {
    const throws = inspector({
      onFrame: () => {
        throw new TypeError('no')
      },
    })
    // oxlint-disable-next-line typescript/no-misused-promises -- nobody keeps a caller from it
    const rejects = inspector({ onFrame: () => Promise.reject(new TypeError('no')) })
    createActor(light, { inspect: throws }).start()
    createActor(light, { inspect: rejects }).start()
    expect(() => {
      throws.send(actorFrame('a'))
    }).not.toThrow()
    await new Promise(setImmediate)
  })

  it('sends to a relay, and close waits until everything is there', async () => {
    await using relay = await openRelay()
    const seen = inspector({ url: relay.url })
    createActor(light, { inspect: seen }).start()
    await seen.close()
    await relay.until(3)
    expect(relay.received).toHaveLength(3)
  })

  it('close: once, and nothing comes after it', async () => {
    const onFrame = vi.fn()
    const seen = inspector({ onFrame })
    await seen.close()
    await seen.close()
    createActor(light, { inspect: seen }).start()
    expect(onFrame).not.toHaveBeenCalled()
  })

  it('close: a timeout that is none is refused', async () => {
    const seen = inspector({ onFrame: vi.fn() })
    await expect(seen.close({ timeout: -1 })).rejects.toMatchObject({ code: 'invalid_option' })
  })

  it('takes frames that were made elsewhere', () => {
    const frames: Frame[] = []
    inspector({ onFrame: (frame) => frames.push(frame) }).send(actorFrame('a'))
    expect(frames).toEqual([actorFrame('a')])
  })
})
