/** A chart as a graph of elk. */

import { describe, expect, it } from 'vitest'
import { createMachine } from 'xstate'
import { chartOf } from '../../../src/inspector/chart.ts'
import { chartSizes, graphOf, readLayout } from '../../../src/inspector/chart-graph.ts'
import { userMachine } from '../../support/user-machine.ts'

const toggle = chartOf(
  createMachine({
    id: 'toggle',
    initial: 'off',
    states: {
      off: { entry: 'darken', on: { TURN: 'on', BREAK: { target: 'on', guard: 'isBad' } } },
      on: { on: { TURN: 'off', BLINK: {}, WAIT: {} } },
    },
  }),
)

describe('graph of a chart', () => {
  it('states are boxes within the box of the machine, with a dot to begin at', () => {
    const [machine] = graphOf(toggle).children ?? []
    expect(machine?.children?.map(({ id }) => id)).toEqual(['d', 'boff', 'bon'])
  })

  it('all that leads from one state to another is one arrow', () => {
    const edges = graphOf(toggle).edges ?? []
    expect(edges.map(({ sources, targets }) => [...sources, ...targets])).toEqual([
      ['d', 'boff'],
      ['boff', 'bon'],
      ['bon', 'boff'],
    ])
  })

  it('a box is as wide as its longest text', () => {
    const [machine] = graphOf(toggle).children ?? []
    const off = machine?.children?.find(({ id }) => id === 'boff')
    expect(off?.width).toBeGreaterThan('entry / darken'.length * chartSizes.character)
  })

  it('a layout names the transitions of each line', () => {
    const layout = readLayout(toggle, graphOf(toggle))
    const arrow = layout.edges.find(({ source, isInitial }) => source === 'off' && !isInitial)
    expect(arrow?.lines).toEqual([
      { text: 'TURN', edges: ['t0'] },
      { text: 'BREAK [isBad]', edges: ['t1'] },
    ])
    expect(layout.nodes.find(({ id }) => id === 'on')?.lines).toEqual([
      { text: 'BLINK, WAIT', edges: ['t3', 't4'] },
    ])
  })

  it('regions of a parallel state are marked', () => {
    const chart = chartOf(userMachine)
    const { nodes } = readLayout(chart, graphOf(chart))
    expect(nodes.filter(({ isRegion }) => isRegion).map(({ id }) => id)).toEqual([
      'working.payment',
      'working.packing',
    ])
  })
})
