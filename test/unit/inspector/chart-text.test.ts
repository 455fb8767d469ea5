/** The words of a chart. */

import { describe, expect, it } from 'vitest'
import { createMachine } from 'xstate'
import { chartOf } from '../../../src/inspector/chart.ts'
import { textsOfState, titleOfState, transitionText } from '../../../src/inspector/chart-text.ts'

const { root } = chartOf(
  createMachine({
    id: 'm',
    initial: 'a',
    entry: 'arrive',
    exit: 'leave',
    invoke: [
      { id: 'pay', src: 'pay' },
      { id: 'second', src: 'pay' },
    ],
    states: { a: {}, deep: { type: 'history', history: 'deep' }, past: { type: 'history' } },
  }),
)

describe('words of a chart', () => {
  it('a transition: what happens, on which condition, and what is done', () => {
    const parts = { label: 'PAID', guards: ['isValid', 'not isLate'], actions: ['notify', 'log'] }
    expect(transitionText(parts)).toBe('PAID [isValid and not isLate] / notify, log')
    expect(transitionText({ ...parts, guards: [], actions: [] })).toBe('PAID')
  })

  it('a state: on the way in, while it is active, on the way out', () => {
    expect(textsOfState(root)).toEqual([
      'entry / arrive',
      'runs pay',
      'runs pay as second',
      'exit / leave',
    ])
  })

  it('a history state has the letter of statecharts', () => {
    expect(root.children.map(titleOfState)).toEqual(['a', 'H*', 'H'])
  })
})
