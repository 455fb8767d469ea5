/** Which transitions an event has taken. */

import { describe, expect, it } from 'vitest'
import { executionMachine } from '../../../machines/execution.ts'
import { chartOf } from '../../../src/inspector/chart.ts'
import { type ChartStep, takenEdges } from '../../../src/inspector/chart-path.ts'
import { userMachine } from '../../support/user-machine.ts'

const charts = { user: chartOf(userMachine), execution: chartOf(executionMachine) }
const charging = { working: { payment: 'charging', packing: 'idle' } }

function taken(name: keyof typeof charts, step: ChartStep): readonly string[] {
  const chart = charts[name]
  const ids = takenEdges(chart, step)
  return chart.edges
    .filter(({ id }) => ids.includes(id))
    .map(({ source, label, targets }) => `${source} ${label} > ${targets.join()}`)
}

describe('path of an event', () => {
  it.each([
    ['draft', 'SUBMIT', charging, ['draft SUBMIT > working']],
    ['draft', 'SUBMIT', 'draft', ['draft SUBMIT > ']],
    ['draft', 'CANCEL', 'cancelled', [' CANCEL > cancelled']],
    [charging, 'HOLD', 'held', ['working HOLD > held']],
    [
      'held',
      'RESUME',
      { working: { payment: 'charging', packing: { boxes: 'second' } } },
      ['held RESUME > working.packing.boxes.last'],
    ],
    ['held', 'NOTHING', 'held', []],
    [undefined, 'xstate.init', 'draft', []],
  ])('order: from %j by %s to %j', (before, event, after, path) => {
    expect(taken('user', { before, event, after })).toEqual(path)
  })

  it.each([
    [
      { open: 'pending_at' },
      'locked',
      { open: 'locked' },
      ['open.pending_at locked > open.locked'],
    ],
    [{ open: 'locked' }, 'locked', { open: 'locked' }, ['open.locked locked > ']],
    [{ open: 'locked' }, 'join_next', { open: 'blocked' }, ['open join_next > open.blocked']],
    [{ open: 'locked' }, 'step_finished', { open: 'locked' }, ['open step_finished > ']],
    [
      { open: { paused: 'blocked' } },
      'unpaused',
      { open: 'blocked' },
      ['open.paused.blocked unpaused > open.blocked'],
    ],
    [{ open: 'locked' }, 'finished', 'finished', ['open finished > finished']],
  ])('execution: from %j by %s to %j', (before, event, after, path) => {
    expect(taken('execution', { before, event, after })).toEqual(path)
  })

  it('events are matched by patterns as XState does', () => {
    const chart = chartOf({
      id: 'm',
      initial: 'a',
      states: { a: { on: { 'order.*': 'b' } }, b: {} },
    })
    const step = { before: 'a', after: 'b' }
    expect(takenEdges(chart, { ...step, event: 'order.paid' })).toEqual(['t0'])
    expect(takenEdges(chart, { ...step, event: 'order' })).toEqual(['t0'])
    expect(takenEdges(chart, { ...step, event: 'orders' })).toEqual([])
  })
})
