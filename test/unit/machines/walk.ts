/** Walks a drawing: where a sequence of events leads, and what it does on the way. */

import {
  type AnyMachineSnapshot,
  type AnyStateMachine,
  initialTransition,
  transition,
} from 'xstate'

/** State and actions after each event, the initial state first. */
export function walk(
  machine: AnyStateMachine,
  ...types: readonly string[]
): readonly (readonly [value: unknown, ...actions: readonly string[]])[] {
  const [first, entered] = initialTransition(machine)
  let snapshot: AnyMachineSnapshot = first
  const steps = [[snapshot.value, ...entered.map(({ type }) => type)] as const]
  for (const type of types) {
    const [next, actions] = transition(machine, snapshot, { type })
    snapshot = next
    steps.push([snapshot.value, ...actions.map((action) => action.type)])
  }
  return steps
}

/** The state that the events lead to. */
export function stateAfter(machine: AnyStateMachine, ...types: readonly string[]): unknown {
  return walk(machine, ...types).at(-1)?.[0]
}
