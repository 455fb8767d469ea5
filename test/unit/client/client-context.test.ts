import { describe, expect, it } from 'vitest'
import {
  type ClientContext,
  createStopSwitch,
  findContext,
  shareContext,
  stoppedError,
} from '../../../src/client/client-context.ts'

describe('createStopSwitch', () => {
  it('open: until it is stopped, and never again', () => {
    const { requireOpen, stop } = createStopSwitch()
    expect(() => requireOpen()).not.toThrow()
    stop()
    expect(() => requireOpen()).toThrow(expect.objectContaining({ code: 'engine_stopped' }))
    stop()
    expect(() => requireOpen()).toThrow(stoppedError().message)
  })

  it('listeners: are told once it is closed; those that left are not', () => {
    const { onStop, requireOpen, stop } = createStopSwitch()
    const told: string[] = []
    onStop(() => {
      expect(() => requireOpen()).toThrow()
      told.push('a')
    })
    const leave = onStop(() => told.push('b'))
    leave()
    leave()
    stop()
    expect(told).toEqual(['a'])
  })

  it('listeners: one that leaves while others are told', () => {
    const { onStop, stop } = createStopSwitch()
    const told: string[] = []
    const leaveFirst = onStop(() => {
      told.push('first')
      leaveFirst()
    })
    onStop(() => told.push('second'))
    stop()
    expect(told).toEqual(['first', 'second'])
  })
})

describe('findContext()', () => {
  it('finds what an engine stands on, and nothing for anything else', () => {
    const engine = {}
    const context = { limits: {} } as unknown as ClientContext
    shareContext(engine, context)
    expect(findContext(engine)).toBe(context)
    expect(findContext({})).toBeUndefined()
  })
})
