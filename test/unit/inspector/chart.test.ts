/** A machine as plain data. */

import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createMachine } from 'xstate'
import { executionMachine } from '../../../machines/execution.ts'
import { executorMachine } from '../../../machines/executor.ts'
import { lockedExecutionMachine } from '../../../machines/locked-execution.ts'
import { timersWatcherMachine } from '../../../machines/timers-watcher.ts'
import { isSteleError } from '../../../src/base/error.ts'
import type { JsonObject } from '../../../src/base/json.ts'
import {
  activeStates,
  type Chart,
  type ChartEdge,
  type ChartNode,
  chartOf,
} from '../../../src/inspector/chart.ts'
import { definitionOf } from '../../../src/inspector/definition.ts'
import { oddKey, userMachine } from '../../support/user-machine.ts'

const chart = chartOf(userMachine)

function nodesOf(node: ChartNode): readonly ChartNode[] {
  return [node, ...node.children.flatMap(nodesOf)]
}

function nodeAt(id: string): ChartNode | undefined {
  return nodesOf(chart.root).find((node) => node.id === id)
}

function edgesFrom({ edges }: Chart, source: string): readonly Partial<ChartEdge>[] {
  return edges
    .filter((edge) => edge.source === source)
    .map(({ id: _id, event: _event, source: _source, ...edge }) => edge)
}

const plainEdge = { guards: [], actions: [], reenter: false }

describe('chart of a machine', () => {
  it('states: are nested as in the machine', () => {
    const shown = chart.root.children.map(({ key, kind }) => [key, kind])
    expect([chart.root.key, ...shown]).toEqual([
      'order',
      ['draft', 'atomic'],
      ['working', 'parallel'],
      ['held', 'atomic'],
      ['cancelled', 'final'],
      ['done', 'final'],
      [oddKey, 'atomic'],
    ])
  })

  it('states: say where they begin, what they do, and what they run', () => {
    expect(nodeAt('working.payment')?.initial).toBe('working.payment.charging')
    expect(nodeAt('working.payment.failed')?.entry).toEqual(['notify'])
    expect(nodeAt('working.payment.charging')?.invokes).toEqual([{ id: 'payer', src: 'charge' }])
    expect(nodeAt('draft')?.description).toBe('Not "sent" yet')
  })

  it('states: do not list the timers that XState adds to entry and exit', () => {
    const { entry, exit } = nodeAt('working.payment.charging') ?? {}
    expect([entry, exit]).toEqual([[], []])
  })

  it('transitions: come with guards and actions in words', () => {
    expect(edgesFrom(chart, 'draft')).toEqual([
      {
        ...plainEdge,
        trigger: 'event',
        label: 'SUBMIT',
        targets: ['working'],
        guards: ['isValid', 'not isLate'],
      },
      { ...plainEdge, trigger: 'event', label: 'SUBMIT', targets: [], actions: ['notify'] },
      { ...plainEdge, trigger: 'event', label: 'EDIT', targets: [], actions: ['assign'] },
    ])
  })

  it('transitions: ends of actors and timers are named for people', () => {
    const shown = edgesFrom(chart, 'working.payment.charging')
    expect(shown.map(({ trigger, label }) => [trigger, label])).toEqual([
      ['done', 'done: charge'],
      ['error', 'error: charge'],
      ['after', 'after 5000 ms'],
      ['after', 'after patience'],
    ])
  })

  it('transitions: those without an event say always, and an inline guard is called so', () => {
    expect(edgesFrom(chart, 'working.packing.boxes.first')).toEqual([
      {
        ...plainEdge,
        trigger: 'always',
        label: 'always',
        targets: ['working.packing.boxes.second'],
        guards: ['inline'],
      },
    ])
  })

  it('transitions: may lead to several regions at once', () => {
    const [, all] = edgesFrom(chart, 'held')
    expect(all?.targets).toEqual(['working.payment.paid', 'working.packing.packed'])
  })

  it('history: leads to its default', () => {
    expect(nodeAt('working.packing.boxes.last')?.history).toBe('deep')
    expect(edgesFrom(chart, 'working.packing.boxes.last')).toEqual([
      { ...plainEdge, trigger: 'history', label: '', targets: ['working.packing.boxes.second'] },
    ])
  })

  it('ids: a dot within a key is no border between keys', () => {
    expect(nodeAt(oddKey.replaceAll('.', '\\.'))?.key).toBe(oddKey)
    expect(activeStates(oddKey)).toEqual([oddKey.replaceAll('.', '\\.')])
  })

  it('unsaid: leaves out guards and actions by name, and changes the digest', () => {
    const said = chartOf(userMachine, { unsaid: ['isValid', 'notify'] })
    expect(edgesFrom(said, 'draft').map(({ guards, actions }) => [guards, actions])).toEqual([
      [['not isLate'], []],
      [[], []],
      [[], ['assign']],
    ])
    expect(said.digest).not.toBe(chart.digest)
  })

  const machines = {
    executionMachine,
    executorMachine,
    lockedExecutionMachine,
    timersWatcherMachine,
    userMachine,
  }
  it.each(Object.entries(machines))(
    '%s: its stored definition gives the same chart',
    (_, machine) => {
      const text = JSON.stringify(definitionOf(machine).config)
      const stored: JsonObject = JSON.parse(text)
      expect(chartOf(stored)).toEqual(chartOf(machine))
    },
  )

  it('is plain data', () => {
    expect(JSON.parse(JSON.stringify(chart))).toEqual(chart)
  })

  it.each([
    [{ id: 'm', initial: 'nowhere', states: { here: {} } }],
    [{ id: 'm', initial: 'here', states: { here: { on: { GO: 'nowhere' } } } }],
    [{ id: 'm', states: { here: {} } }],
  ])('refuses a configuration that XState refuses: %j', (config) => {
    expect(() => chartOf(config)).toThrow(
      expect.objectContaining({ code: 'invalid_machine', fields: { machine: 'm' } }),
    )
  })

  it('refuses a history state whose default is missing', () => {
    const hist = { type: 'history', target: 'nowhere' }
    const config = { id: 'm', initial: 'a', states: { a: {}, hist } }
    expect(() => chartOf(config)).toThrow(expect.objectContaining({ code: 'invalid_machine' }))
  })

  it('refuses a machine of more states than can be drawn', () => {
    const states = Object.fromEntries(Array.from({ length: 2000 }, (_, index) => [index, {}]))
    const config = { id: 'm', initial: '0', states }
    expect(() => chartOf(createMachine(config))).toThrow(
      expect.objectContaining({ code: 'invalid_machine' }),
    )
  })

  it('throws its own error alone, whatever JSON it is given', () => {
    fc.assert(
      fc.property(
        fc.object({ key: fc.constantFrom('id', 'on', 'states', 'initial', 'a') }),
        (json) => {
          try {
            return typeof chartOf(json as JsonObject).digest === 'string'
          } catch (error) {
            return isSteleError(error, 'invalid_machine')
          }
        },
      ),
      { seed: 20_261_203 },
    )
  })
})

describe('active states', () => {
  it('are all states on the way, outermost first', () => {
    expect(activeStates({ working: { payment: 'paid', packing: { boxes: 'end' } } })).toEqual([
      'working',
      'working.payment',
      'working.payment.paid',
      'working.packing',
      'working.packing.boxes',
      'working.packing.boxes.end',
    ])
  })

  it.each([undefined, null, 7, {}])('of %j there are none', (value) => {
    expect(activeStates(value)).toEqual([])
  })
})
