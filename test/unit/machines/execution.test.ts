/** The drawing and the table agree, cell by cell: same acceptance, same next state. */

import { describe, expect, it } from 'vitest'
import { createActor, transition } from 'xstate'
import { executionMachine, machineValueOf, proposedEvent } from '../../../machines/execution.ts'
import { decideEvent, decideResponse, nextVersion } from '../../../src/model/decide.ts'
import type { ExecutionState } from '../../../src/model/state.ts'
import {
  blocked,
  type EventName,
  eventNames,
  events,
  locked,
  now,
  pending,
  stateNames,
  states,
} from '../model/builders.ts'

function snapshotOf(state: ExecutionState) {
  return executionMachine.resolveState({ value: machineValueOf(state), context: { state } })
}

/** Whether the wait is answered, and whether the writer knows the whole log. */
const variants = [
  { variant: 'unanswered', answeredAt: undefined, lag: 0 },
  { variant: 'answered', answeredAt: 1900, lag: 0 },
  { variant: 'stale', answeredAt: undefined, lag: 1 },
] as const

const cells = stateNames.flatMap((stateName) =>
  eventNames.flatMap((eventName) =>
    variants.map((variant) => ({ stateName, eventName, ...variant })),
  ),
)

const titled = cells.map((cell) => {
  return [`${cell.eventName} in ${cell.stateName}, ${cell.variant}`, cell] as const
})

const responses = stateNames.flatMap((name) => [[name, true] as const, [name, false] as const])

describe('execution machine', () => {
  it('grid: every event in every state, answered and not, current and stale', () => {
    expect(cells.length).toBe(21 * 33 * 3)
  })

  it.each(titled)('grid: %s', (_, cell) => {
    const state = states[cell.stateName]
    const proposal = {
      event: events[cell.eventName],
      createdAt: now,
      version: nextVersion(state) - cell.lag,
      answeredAt: cell.answeredAt,
    }
    const decision = decideEvent(state, proposal)
    const before = snapshotOf(state)
    const event = proposedEvent(proposal)
    expect(before.can(event)).toBe(decision.ok)
    const [after] = transition(executionMachine, before, event)
    expect(after.value).toEqual(machineValueOf(decision.ok ? decision.value : state))
    expect(after.context.state).toEqual(decision.ok ? decision.value : state)
  })

  it.each(responses)('grid: a response in %s, answering: %s', (stateName, answersAsk) => {
    const state = states[stateName]
    const response = { createdAt: now, answersAsk }
    const [after] = transition(executionMachine, snapshotOf(state), {
      type: 'responded',
      ...response,
    })
    expect(after.value).toEqual(machineValueOf(decideResponse(state, response)))
    expect(after.context.state).toEqual(decideResponse(state, response))
  })

  it('created: begins pending with the row it is given', () => {
    const actor = createActor(executionMachine, { input: pending() })
    const snapshot = actor.start().getSnapshot()
    expect(snapshot.value).toEqual({ open: 'pending_at' })
    expect(snapshot.context.state).toEqual(pending())
    actor.stop()
  })

  it('created: paused at birth is a pending state that a paused event follows', () => {
    const actor = createActor(executionMachine, { input: pending({ version: 0 }) }).start()
    actor.send(proposedEvent({ event: { type: 'paused' }, createdAt: now, version: 1 }))
    expect(actor.getSnapshot().value).toEqual({ open: { paused: 'pending_at' } })
    actor.stop()
  })

  it('finished: is final', () => {
    const [after] = transition(
      executionMachine,
      snapshotOf(locked()),
      proposedEvent({ event: events.finished_ok, createdAt: now, version: 8 }),
    )
    expect(after.status).toBe('done')
  })

  it('value: a locked row that claims to be paused is shown as pending', () => {
    expect(machineValueOf(locked({ paused: true }))).toEqual({ open: { paused: 'pending_at' } })
    expect(machineValueOf(blocked({ paused: true }))).toEqual({ open: { paused: 'blocked' } })
  })

  it('drawing: every state of the machine is reached from created', () => {
    const reached = new Set(stateNames.map((name) => JSON.stringify(machineValueOf(states[name]))))
    expect(reached.size).toBe(7)
    for (const value of reached) {
      const path = paths[value]
      expect(path, value).toBeDefined()
      const end = (path ?? []).reduce(follow, snapshotOf(pending({ version: 0 })))
      expect(JSON.stringify(end.value)).toBe(value)
    }
  })
})

function follow(from: ReturnType<typeof snapshotOf>, name: EventName) {
  const version = nextVersion(from.context.state)
  const event = proposedEvent({ event: events[name], createdAt: now, version })
  return transition(executionMachine, from, event)[0]
}

/** How to get to each state of the machine. */
const paths: Readonly<Record<string, readonly EventName[]>> = {
  '{"open":"pending_at"}': [],
  '{"open":"locked"}': ['locked'],
  '{"open":"blocked"}': ['locked', 'wait'],
  '{"open":{"paused":"pending_at"}}': ['paused'],
  '{"open":{"paused":"blocked"}}': ['locked', 'wait', 'paused'],
  '"cancelling"': ['locked', 'cancel_requested'],
  '"finished"': ['locked', 'cancel_requested', 'finished_cancelled'],
}
