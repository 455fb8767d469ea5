/** What an invariant sees, made by hand: each builder asks only for what the test is about. */

import type { ExecutionEvent, LoggedEvent } from '../../../src/model/event.ts'
import type { ExecutionState } from '../../../src/model/state.ts'
import type {
  EventStep,
  ExecutionChange,
  Invariant,
  InvariantView,
} from '../../../src/simulation/invariant.ts'
import type { ListedResponse } from '../../../src/storage/read.ts'
import { now, pending } from '../model/builders.ts'

/** Events as a log, from version 0 on. */
export function logOf(...events: readonly ExecutionEvent[]): readonly LoggedEvent[] {
  return events.map((event, version) => ({ event, version, createdAt: now }))
}

/** One event that was added, between two states. */
export function step(
  event: ExecutionEvent,
  part: Partial<Omit<EventStep, 'entry'>> & Partial<LoggedEvent> = {},
): EventStep {
  const { before, after = before ?? pending(), version = 1, createdAt = now } = part
  return { entry: { event, version, createdAt }, before, after }
}

/** What a test says of a commit to one execution. */
export interface ChangePart {
  readonly id?: string
  readonly state?: ExecutionState
  readonly folded?: ExecutionState
  readonly steps?: readonly EventStep[]
  readonly events?: readonly LoggedEvent[]
  /** The whole inbox; all of it is new. */
  readonly responses?: readonly ListedResponse[]
}

/** What a commit did to one execution. */
export function change(part: ChangePart = {}): ExecutionChange {
  const { id = 'a', state = pending(), steps = [], events = [], responses = [] } = part
  const { folded = state } = part
  const execution = { state, events, responses }
  return { executionId: id, steps, responses, folded, execution }
}

/** A view after a commit of `engine-0`. */
export function view(
  changes: readonly ExecutionChange[],
  part: Partial<InvariantView> = {},
): InvariantView {
  return {
    now,
    process: 'engine-0',
    changes,
    executions: new Map(changes.map(({ executionId, execution }) => [executionId, execution])),
    ledger: [],
    openDelays: () => [],
    ...part,
  }
}

/**
 * What the invariant of this name says of the last view. All of them see all views, in order, as in
 * a simulation: some learn from others.
 */
export function verdict(
  invariants: readonly Invariant[],
  name: string,
  views: readonly InvariantView[],
): string | undefined {
  if (!invariants.some((invariant) => invariant.name === name)) {
    throw new TypeError(`no invariant is called ${name}`)
  }
  const said = views.map((each) =>
    invariants.map((invariant) => {
      const message = invariant.check(each)
      return invariant.name === name ? message : undefined
    }),
  )
  return said.at(-1)?.find((message) => message !== undefined)
}
