/**
 * Looks at every commit of a simulation: reads what it changed, folds the logs along, and asks the
 * invariants. Independent of the engine: it learns from the rows alone what was written.
 */

import { isSteleError } from '../base/error.ts'
import type { Instant } from '../base/time.ts'
import type { LoggedEvent } from '../model/event.ts'
import { createFold, type FoldOn } from '../model/fold.ts'
import type { ExecutionId } from '../model/ids.ts'
import type { ExecutionState } from '../model/state.ts'
import { type ListedResponse, listEvents, listResponses } from '../storage/read.ts'
import { findState } from '../storage/state-row.ts'
import type {
  EventStep,
  ExecutionChange,
  ExecutionView,
  Invariant,
  InvariantView,
} from './invariant.ts'
import type { Ledger } from './ledger.ts'
import type { Store } from './store.ts'

/** An invariant that does not hold. */
export interface Violation {
  readonly invariant: string
  /** What is wrong, in one sentence or a few lines. */
  readonly message: string
}

/** What a checker stands on. */
export interface CheckerOptions {
  readonly store: Store
  readonly ledger: Ledger
  readonly invariants: readonly Invariant[]
  readonly now: () => Instant
}

/** What a look at a commit gave. */
export interface CommitReport {
  readonly changes: readonly ExecutionChange[]
  readonly violations: readonly Violation[]
}

/** Watches the store. */
export interface Checker {
  readonly afterCommit: (process: string, executions: readonly string[]) => CommitReport
  readonly atEnd: () => readonly Violation[]
  readonly executions: () => ReadonlyMap<string, ExecutionView>
  /** An execution that was spoiled on purpose, with all below it: nothing is said of them. */
  readonly forgive: (executionId: string) => void
  /** The store was put back to an earlier image: everything is read anew. */
  readonly reset: (executions: readonly string[]) => void
}

interface Mirror extends ExecutionView {
  readonly events: LoggedEvent[]
  readonly responses: ListedResponse[]
  readonly fold: FoldOn
  state: ExecutionState
  folded: ExecutionState | undefined
}

/** More events of one execution are not read in one commit. */
const pageMax = 100_000

/** A checker that has seen nothing yet. */
export function createChecker({ store, ledger, invariants, now }: CheckerOptions): Checker {
  const mirrors = new Map<string, Mirror>()
  const forgiven: string[] = []
  const isForgiven = (id: string): boolean =>
    forgiven.some((spoiled) => id === spoiled || id.startsWith(`${spoiled}.`))
  const perCommit = invariants.filter(({ every = 'commit' }) => every === 'commit')
  const atEnd = invariants.filter(({ every }) => every === 'end')
  const view = (process: string, changes: readonly ExecutionChange[]): InvariantView => ({
    now: now(),
    process,
    changes,
    executions: mirrors,
    openDelays: store.listDelays,
    ledger: ledger.entries(),
  })
  const look = (id: string): ExecutionChange | Violation => {
    try {
      return readChange(store, mirrors, id)
    } catch (cause) {
      if (!isSteleError(cause)) throw cause
      return { invariant: 'rows can be read, and logs folded', message: cause.message }
    }
  }
  return {
    afterCommit: (process, executions) => {
      const seen = executions.filter((id) => !isForgiven(id)).map(look)
      const changes = seen.filter((each) => 'executionId' in each)
      const unreadable = seen.filter((each) => 'invariant' in each)
      const broken = changes.length === 0 ? [] : ask(perCommit, view(process, changes))
      return { changes, violations: [...unreadable, ...broken] }
    },
    atEnd: () => ask(atEnd, view('world', [])),
    executions: () => mirrors,
    forgive: (id) => {
      forgiven.push(id)
      for (const known of mirrors.keys()) if (isForgiven(known)) mirrors.delete(known)
    },
    reset: (executions) => {
      mirrors.clear()
      for (const id of executions) if (!isForgiven(id)) look(id)
    },
  }
}

function ask(invariants: readonly Invariant[], view: InvariantView): readonly Violation[] {
  return invariants.flatMap(({ name, check }) => {
    const message = check(view)
    return message === undefined ? [] : [{ invariant: name, message }]
  })
}

function readChange(store: Store, mirrors: Map<string, Mirror>, id: string): ExecutionChange {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- read from the database
  const executionId = id as ExecutionId
  const connection = store.observer()
  const known = mirrors.get(id)
  const from = known?.events.length ?? 0
  const after = known?.responses.at(-1)?.cursor ?? 0
  const state = connection.drive(findState(executionId))
  if (state === undefined) throw new Error(`${id} has a log or an inbox, and no state`)
  const events = connection.drive(listEvents({ executionId, from, limit: pageMax }))
  const responses = connection.drive(listResponses({ executionId, after, limit: pageMax }))
  const mirror = known ?? {
    events: [],
    responses: [],
    fold: createFold(executionId),
    state,
    folded: undefined,
  }
  mirrors.set(id, mirror)
  const steps = foldAlong(mirror, events, responses)
  mirror.state = state
  mirror.events.push(...events)
  mirror.responses.push(...responses)
  return {
    executionId: id,
    steps,
    responses,
    folded: mirror.folded ?? state,
    execution: mirror,
  }
}

/** Event by event, between the states before and after. */
function foldAlong(
  mirror: Mirror,
  events: readonly LoggedEvent[],
  responses: readonly ListedResponse[],
): readonly EventStep[] {
  const steps: EventStep[] = []
  for (const { kind, entry, state } of mirror.fold({ events, responses })) {
    if (kind === 'event') steps.push({ entry, before: mirror.folded, after: state })
    mirror.folded = state
  }
  return steps
}
