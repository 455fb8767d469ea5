/** The drawing of a held lock. */

import { describe, expect, it } from 'vitest'
import { lockedExecutionMachine } from '../../../machines/locked-execution.ts'
import { stateAfter } from './walk.ts'

const after = (...types: readonly string[]): unknown => stateAfter(lockedExecutionMachine, ...types)

describe('locked execution machine', () => {
  it('path: locked, running, settling', () => {
    expect([after(), after('run'), after('run', 'settle')]).toEqual([
      'locked',
      'running',
      'settling',
    ])
  })

  it.each([
    ['temporarily_failed', 'retrying'],
    ['temporarily_timed_out', 'retrying'],
    ['unlocked', 'unlocked'],
    ['finished', 'finished'],
    ['parked', 'parked'],
    ['paused', 'paused'],
  ])('end: %s, and only after settling', (type, state) => {
    expect(after('run', 'settle', type)).toBe(state)
    expect(after(type)).toBe('locked')
    expect(after('run', type)).toBe('running')
  })

  it('running: extensions and history leave it running', () => {
    expect(after('run', 'extended', 'appended', 'extended')).toBe('running')
  })

  it.each([[[]], [['run']], [['run', 'settle']]])('superseded: from anywhere, %j', (before) => {
    expect(after(...before, 'superseded')).toBe('superseded')
  })

  it.each(['finished', 'unlocked', 'parked', 'paused', 'temporarily_failed'])(
    'final: after %s nothing moves it',
    (type) => {
      const [, end] = [type, after('run', 'settle', type)]
      expect(after('run', 'settle', type, 'run')).toBe(end)
    },
  )
})
