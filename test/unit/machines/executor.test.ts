/** The drawing of an executor. */

import { describe, expect, it } from 'vitest'
import { executorMachine } from '../../../machines/executor.ts'
import { stateAfter, walk } from './walk.ts'

const locking = { polling: 'locking' }
const waiting = { polling: 'waiting' }
const draining = { closing: 'draining' }

describe('executor machine', () => {
  it('polls: at its start, and again while batches are full', () => {
    expect(walk(executorMachine, 'batch_locked', 'batch_locked')).toEqual([
      [locking, 'poll'],
      [locking, 'poll'],
      [locking, 'poll'],
    ])
  })

  it.each(['nothing_due', 'poll_failed'])('waits: after %s, until work is due', (type) => {
    expect(walk(executorMachine, type, 'work_due').slice(1)).toEqual([
      [waiting, 'wait'],
      [locking, 'poll'],
    ])
  })

  it('saturated: without permits, until one is freed', () => {
    expect(walk(executorMachine, 'permits_exhausted', 'work_due', 'permit_freed').slice(1)).toEqual(
      [['saturated', 'saturate'], ['saturated'], [locking, 'poll']],
    )
  })

  it.each([[[]], [['nothing_due']], [['permits_exhausted']]])(
    'closes: after %j, drains, and releases once',
    (before) => {
      expect(walk(executorMachine, ...before, 'close', 'drained').slice(-2)).toEqual([
        [draining, 'drain'],
        ['closed', 'release'],
      ])
    },
  )

  it('draining: hears of nothing but its end', () => {
    const others = ['batch_locked', 'nothing_due', 'work_due', 'permit_freed', 'close']
    expect(stateAfter(executorMachine, 'close', ...others)).toEqual(draining)
  })

  it('waiting: is not disturbed by late results and freed permits', () => {
    const others = ['batch_locked', 'poll_failed', 'permits_exhausted', 'permit_freed', 'drained']
    expect(stateAfter(executorMachine, 'nothing_due', ...others)).toEqual(waiting)
  })
})
