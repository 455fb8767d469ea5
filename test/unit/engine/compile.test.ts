/** A compiled machine is the machine: same states, same actions, same inspection, on every path. */

import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type AnyMachineSnapshot,
  type AnyStateMachine,
  createActor,
  type EventObject,
  type InspectionEvent,
  initialTransition,
  setup,
  transition,
} from 'xstate'
import { executorMachine } from '../../../machines/executor.ts'
import { lockedExecutionMachine } from '../../../machines/locked-execution.ts'
import { timersWatcherMachine } from '../../../machines/timers-watcher.ts'
import { compile, type Effects } from '../../../src/engine/compile.ts'

const machines = [
  ['executor', executorMachine, 5],
  ['locked_execution', lockedExecutionMachine, 9],
  ['timers_watcher', timersWatcherMachine, 3],
] as const satisfies readonly (readonly [string, AnyStateMachine, number])[]

/** What can be seen of a machine after each event. */
interface Seen {
  readonly value: unknown
  readonly status: string
  readonly actions: readonly string[]
}

function namesOf(machine: AnyStateMachine): readonly string[] {
  return machine.events.map(String)
}

/** The real machine, stepped purely. */
function playReal(machine: AnyStateMachine, types: readonly string[]): readonly Seen[] {
  const [first, entered] = initialTransition(machine)
  let snapshot: AnyMachineSnapshot = first
  const see = (actions: readonly { readonly type: string }[]): Seen => ({
    value: snapshot.value,
    status: snapshot.status,
    actions: actions.map(({ type }) => type),
  })
  const seen = [see(entered)]
  for (const type of types) {
    if (snapshot.status === 'active') {
      const [next, actions] = transition(machine, snapshot, { type })
      snapshot = next
      seen.push(see(actions))
    } else seen.push(see([]))
  }
  return seen
}

/** The compiled one, as a living actor. */
function playCompiled(machine: AnyStateMachine, types: readonly string[]): readonly Seen[] {
  const ran: string[] = []
  const effects: Record<string, () => void> = {}
  for (const name of Object.keys(machine.implementations.actions)) {
    effects[name] = () => ran.push(name)
  }
  const actor = createActor(compiledOf(machine).logic(effects)).start()
  const see = (): Seen => {
    const { value, status } = actor.getSnapshot()
    return { value, status, actions: ran.splice(0) }
  }
  const seen = [see()]
  for (const type of types) {
    actor.send({ type })
    seen.push(see())
  }
  actor.stop()
  return seen
}

const cache = new Map<AnyStateMachine, ReturnType<typeof compile<EventObject>>>()

function compiledOf(machine: AnyStateMachine) {
  const known = cache.get(machine) ?? compile<EventObject>(machine)
  cache.set(machine, known)
  return known
}

/** Every sequence of events up to a length, unknown ones included. */
function sequences(types: readonly string[], length: number): readonly (readonly string[])[] {
  if (length === 0) return [[]]
  const shorter = sequences(types, length - 1)
  return shorter.flatMap((head) => types.map((type) => [...head, type]))
}

describe('compile', () => {
  it.each(machines)('equal: %s, on every path of three events', (_, machine) => {
    const types = [...namesOf(machine), 'no_such_event']
    for (const path of sequences(types, 3)) {
      expect(playCompiled(machine, path), path.join()).toEqual(playReal(machine, path))
    }
  })

  it.each(machines)('equal: %s, on long random paths', (_, machine) => {
    const path = fc.array(fc.constantFrom(...namesOf(machine)), { minLength: 4, maxLength: 20 })
    fc.assert(
      fc.property(path, (types) => {
        expect(playCompiled(machine, types)).toEqual(playReal(machine, types))
      }),
      { seed: 20_260_404, numRuns: 200 },
    )
  })

  it.each(machines)('size: %s has as many states as are drawn', (_, machine, size) => {
    expect(compiledOf(machine).size).toBe(size)
    expect(compiledOf(machine).machine).toBe(machine)
  })

  it('unknown: an event that no state names changes nothing, not even the snapshot', () => {
    const actor = createActor(compiledOf(executorMachine).logic()).start()
    const before = actor.getSnapshot()
    actor.send({ type: 'no_such_event' })
    actor.send({ type: 'work_due' })
    expect(actor.getSnapshot()).toBe(before)
  })

  it('persisted: the snapshot is what the machine itself would persist', () => {
    const actor = createActor(compiledOf(executorMachine).logic()).start()
    actor.send({ type: 'nothing_due' })
    const real = createActor(executorMachine).start()
    real.send({ type: 'nothing_due' })
    expect(actor.getPersistedSnapshot()).toEqual(real.getPersistedSnapshot())
    real.stop()
  })

  it('too large: a machine of too many states is a mistake, and is named', () => {
    const count = 1001
    const names = Array.from({ length: count }, (_, index) => `s${index}`)
    const states = Object.fromEntries(
      names.map((name, index) => [name, { on: { go: `s${(index + 1) % count}` } }]),
    )
    const machine = setup({}).createMachine({ id: 'huge', initial: 's0', states })
    expect(() => compile(machine)).toThrow(/Machine huge has more than 1000 states/)
  })
})

/** What an inspector sees, without what differs from run to run. */
function inspected(create: (inspect: (event: InspectionEvent) => void) => void): readonly string[] {
  const seen: string[] = []
  create((event) => {
    const detail = 'event' in event ? event.event.type : ''
    const action = event.type === '@xstate.action' ? event.action.type : ''
    seen.push([event.type, detail, action].filter((part) => part !== '').join(' '))
  })
  return seen
}

describe('compile: inspection', () => {
  const effects: Effects = { poll: () => undefined, wait: () => undefined }

  it('inspect: an observer sees actor, events, actions and snapshots', () => {
    const seen = inspected((inspect) => {
      const actor = createActor(compiledOf(executorMachine).logic(effects), { inspect }).start()
      actor.send({ type: 'nothing_due' })
    })
    for (const type of ['@xstate.actor', '@xstate.event', '@xstate.action', '@xstate.snapshot']) {
      expect(
        seen.some((line) => line.startsWith(type)),
        type,
      ).toBe(true)
    }
    expect(seen.filter((line) => line.startsWith('@xstate.action'))).toEqual([
      '@xstate.action poll',
      '@xstate.action wait',
    ])
    expect(seen).toContain('@xstate.event nothing_due')
    expect(seen).toContain('@xstate.snapshot nothing_due')
  })

  it('inspect: an action without an effect here is not shown as one', () => {
    const seen = inspected((inspect) => {
      createActor(compiledOf(executorMachine).logic(), { inspect }).start()
    })
    expect(seen.filter((line) => line.startsWith('@xstate.action'))).toEqual([])
  })
})
