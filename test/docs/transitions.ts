/** The transition table, asked cell by cell, as a table for people. */
import { decideEvent, nextVersion, type Proposal } from '../../src/model/decide.ts'
import { type ExecutionEvent, isHistoryEvent } from '../../src/model/event.ts'
import type { Refusal } from '../../src/model/refusal.ts'
import type { ExecutionState } from '../../src/model/state.ts'
import { events, lock, now, states, stranger } from '../unit/model/builders.ts'
import { table } from './section.ts'

/** Columns: a state that stands for all of its kind. */
const columns = [
  ['pending_at, due', states.P_due],
  ['pending_at, later', states.P_new],
  ['locked', states.L_mine],
  ['blocked', states.B],
  ['paused', states.XP],
  ['cancelling', states.CP],
  ['finished', states.F],
] as const satisfies readonly (readonly [string, ExecutionState])[]

type Offer = Pick<Proposal, 'event' | 'answeredAt'>

/** Rows: what is offered. History events that behave alike are gathered. */
const offers: readonly (readonly [title: string, offer: Offer])[] = [
  ['`created`', { event: events.created }],
  ['`locked`, by the run that holds or held it', { event: events.locked }],
  ['`locked`, by another run', { event: lock(stranger) }],
  ['`unlocked`, to be due earlier', { event: events.unlocked_early }],
  ['`unlocked`, not earlier', { event: events.unlocked_late }],
  ['`temporarily_failed`', { event: events.temporarily_failed }],
  ['`temporarily_timed_out`', { event: events.temporarily_timed_out }],
  ['`finished`', { event: events.finished_ok }],
  ['`finished`, cancelled', { event: events.finished_cancelled }],
  ['`paused`', { event: events.paused }],
  ['`unpaused`', { event: events.unpaused }],
  ['`cancel_requested`', { event: events.cancel_requested }],
  ['`upgrade_finished`', { event: events.upgrade_success }],
  ['`wait`, `join_next` that waits, not answered', { event: events.wait }],
  ['the same, answered already', { event: events.wait, answeredAt: now }],
]

/** The table, and which events its last row stands for. */
export function drawTransitions(): string {
  const rows = offers.map(([title, offer]) => [title, ...cellsOf(offer)])
  const history = [...new Set(plainHistory.map(({ type }) => `\`${type}\``))]
  const last = ['every other event of the history', ...historyCells()]
  const drawn = table(['event', ...columns.map(([name]) => name)], [...rows, last])
  return `${drawn}\n\nThe history: ${history.join(', ')}.`
}

const plainHistory = Object.values(events)
  .filter(isHistoryEvent)
  .filter((event) => !('runExpiresAt' in event))

/** All of them behave alike; should one differ, it needs a row of its own. */
function historyCells(): readonly string[] {
  const cells = plainHistory.map((event) => cellsOf({ event }))
  const [first = [], ...others] = cells
  for (const other of others) {
    if (other.join() !== first.join()) throw new TypeError('the events of the history differ')
  }
  return first
}

function cellsOf({ event, answeredAt }: Offer): readonly string[] {
  return columns.map(([, state]) => cellOf(state, event, answeredAt))
}

function cellOf(state: ExecutionState, event: ExecutionEvent, answeredAt: number | undefined) {
  const version = nextVersion(state)
  const decision = decideEvent(state, { event, createdAt: now, version, answeredAt })
  return decision.ok ? `→ ${nameOf(decision.value)}` : `✗ ${reasonOf(decision.error)}`
}

function nameOf(state: ExecutionState): string {
  if (state.status === 'finished') return 'finished'
  if (state.cancelling) return 'cancelling'
  return state.paused ? 'paused' : state.status
}

function reasonOf(refusal: Refusal): string {
  if (refusal.kind === 'unlock_refused') return `${refusal.kind} (${refusal.state})`
  return 'reason' in refusal ? `${refusal.kind} (${refusal.reason})` : refusal.kind
}
