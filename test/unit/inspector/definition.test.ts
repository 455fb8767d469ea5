/** A machine as JSON, and what JSON cannot say. */

import { describe, expect, it } from 'vitest'
import {
  type AnyStateMachine,
  createMachine,
  fromPromise,
  initialTransition,
  setup,
  transition,
} from 'xstate'
import { executionMachine } from '../../../machines/execution.ts'
import { executorMachine } from '../../../machines/executor.ts'
import { definitionOf } from '../../../src/inspector/definition.ts'
import { userMachine } from '../../support/user-machine.ts'

describe('definition of a machine', () => {
  it('a machine without functions is taken over whole', () => {
    const { config, lost } = definitionOf(executorMachine)
    expect(lost).toEqual([])
    expect(config).toEqual(JSON.parse(JSON.stringify(executorMachine.config)))
  })

  it('what it gives is a machine that moves alike', () => {
    const again = createMachine(definitionOf(executorMachine).config)
    const types = ['batch_locked', 'permits_exhausted', 'close', 'drained']
    const events = types.map((type) => ({ type }))
    const path = (machine: AnyStateMachine): readonly string[] => {
      let [snapshot] = initialTransition(machine)
      return events.map((event) => {
        ;[snapshot] = transition(machine, snapshot, event)
        return JSON.stringify(snapshot.value)
      })
    }
    expect(path(again).at(-1)).toBe('"closed"')
    expect(path(again)).toEqual(path(executorMachine))
  })

  it('functions become names, and are listed with their place', () => {
    expect(definitionOf(userMachine).lost).toEqual([
      { path: 'states.draft.on.SUBMIT.0.guard', replacedBy: 'and' },
      { path: 'states.draft.on.EDIT.actions', replacedBy: 'assign' },
      {
        path: 'states.working.states.payment.states.charging.invoke.onDone.actions',
        replacedBy: 'raise',
      },
      {
        path: 'states.working.states.packing.states.boxes.states.first.always.guard',
        replacedBy: 'inline',
      },
    ])
  })

  it('what is computed is left out, and listed', () => {
    const machine = setup({
      actors: { pay: fromPromise(() => Promise.resolve(1)) },
    }).createMachine({
      id: 'm',
      context: () => ({ count: 0 }),
      invoke: { src: 'pay', input: () => 7 },
      output: () => 'done',
    })
    const { config, lost } = definitionOf(machine)
    expect(config).toEqual({ id: 'm', invoke: { src: 'pay' } })
    expect(lost.map(({ path }) => path)).toEqual(['context', 'output', 'invoke.input'])
  })

  it('what a later XState may know of is listed as lost', () => {
    const config = { id: 'm', types: {}, options: { maxIterations: 7 } }
    expect(definitionOf(createMachine(config))).toEqual({
      config: { id: 'm' },
      lost: [{ path: 'options' }],
    })
  })

  it('logic given in place of a name is called by its name', () => {
    const child = createMachine({ id: 'child' })
    const { config, lost } = definitionOf(createMachine({ id: 'm', invoke: { src: child } }))
    expect(config).toEqual({ id: 'm', invoke: { src: 'child' } })
    expect(lost).toEqual([{ path: 'invoke.src', replacedBy: 'child' }])
  })

  it('an event that is forbidden stays forbidden', () => {
    const machine = createMachine({ id: 'm', on: { GO: undefined } })
    expect(definitionOf(machine).config).toEqual({ id: 'm', on: { GO: {} } })
  })

  it('a machine without an id gets the one that XState gives it', () => {
    expect(definitionOf(createMachine({})).config).toEqual({ id: '(machine)' })
  })

  it('a context beyond all measure is cut', () => {
    const machine = createMachine({ id: 'm', context: { text: 'x'.repeat(100_000) } })
    expect(JSON.stringify(definitionOf(machine).config).length).toBeLessThan(20_000)
  })

  it('is the same each time', () => {
    expect(definitionOf(executionMachine)).toEqual(definitionOf(executionMachine))
  })
})
