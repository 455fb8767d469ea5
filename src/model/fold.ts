/** Log and inbox, read from the start: what they amount to. The state row must always equal it. */

import { SteleError } from '../base/error.ts'
import { decideCreated, decideEvent, decideResponse, waitAfter } from './decide.ts'
import { askOf, type LoggedEvent } from './event.ts'
import type { ExecutionId } from './ids.ts'
import type { JoinSetId } from './join-set.ts'
import type { LoggedResponse } from './response.ts'
import type { ExecutionState } from './state.ts'

/** A log with its inbox, both ascending. */
export interface ExecutionHistory {
  readonly executionId: ExecutionId
  readonly events: readonly LoggedEvent[]
  readonly responses: readonly LoggedResponse[]
}

/** What is folded: the state, and the asks of each join set. */
interface Fold {
  readonly state: ExecutionState
  readonly asks: Map<JoinSetId, number>
  readonly arrived: LoggedResponse[]
}

/** One move of a history, and the state after it. */
export type FoldStep =
  | { readonly kind: 'event'; readonly entry: LoggedEvent; readonly state: ExecutionState }
  | { readonly kind: 'response'; readonly entry: LoggedResponse; readonly state: ExecutionState }

/** The state that a history amounts to. Throws `storage_corrupt` if the table refuses an event. */
export function foldHistory(history: ExecutionHistory): ExecutionState {
  let last: FoldStep | undefined
  for (const step of foldSteps(history)) last = step
  if (last === undefined) throw corrupt(history.executionId, 0)
  return last.state
}

/**
 * Every state on the way, in the one order that log and inbox have. Throws `storage_corrupt` where
 * the table refuses an event.
 */
export function foldSteps(history: ExecutionHistory): Generator<FoldStep, void> {
  return createFold(history.executionId)(history)
}

/** Takes what is new in log and inbox, both ascending, and gives every state on the way. */
export type FoldOn = (added: Omit<ExecutionHistory, 'executionId'>) => Generator<FoldStep, void>

/** A fold that goes on where it was. Its steps throw `storage_corrupt` for impossible events. */
export function createFold(executionId: ExecutionId): FoldOn {
  let fold: Fold | undefined
  const arrive = (entry: LoggedResponse): FoldStep => {
    if (fold === undefined) throw corrupt(executionId, 0)
    fold = foldResponse(fold, entry)
    return { kind: 'response', entry, state: fold.state }
  }
  const happen = (entry: LoggedEvent): FoldStep => {
    fold =
      fold === undefined
        ? beginFold(executionId, entry)
        : { ...fold, state: foldEvent(fold, entry) }
    return { kind: 'event', entry, state: fold.state }
  }
  return function* foldOn({ events, responses }) {
    const arriving = [...responses]
    for (const entry of events) {
      yield* takeUpTo(arriving, entry.version - 1).map(arrive)
      yield happen(entry)
    }
    yield* arriving.map(arrive)
  }
}

function beginFold(executionId: ExecutionId, { event, createdAt }: LoggedEvent): Fold {
  if (event.type !== 'created') throw corrupt(executionId, 0)
  return { state: decideCreated(executionId, event, createdAt), asks: new Map(), arrived: [] }
}

function takeUpTo(responses: LoggedResponse[], version: number): readonly LoggedResponse[] {
  const end = responses.findIndex((entry) => entry.afterVersion > version)
  return responses.splice(0, end < 0 ? responses.length : end)
}

function foldResponse(fold: Fold, entry: LoggedResponse): Fold {
  const answersAsk = isAnswer(fold.asks, entry)
  const state = decideResponse(fold.state, { createdAt: entry.createdAt, answersAsk })
  fold.arrived.push(entry)
  return { ...fold, state }
}

function foldEvent(fold: Fold, entry: LoggedEvent): ExecutionState {
  const ask = askOf(entry.event)
  if (ask !== undefined) {
    fold.asks.set(ask.joinSetId, (fold.asks.get(ask.joinSetId) ?? 0) + ask.change)
  }
  const decision = decideEvent(fold.state, { ...entry, answeredAt: findAnswer(fold, entry) })
  if (!decision.ok) throw corrupt(fold.state.executionId, entry.version)
  return decision.value
}

function findAnswer(fold: Fold, { event }: LoggedEvent): number | undefined {
  const wait = waitAfter(fold.state, event)
  if (wait === undefined) return undefined
  const answer = fold.arrived.find(
    (entry) => entry.cursor > wait.seenCursor && isAnswer(fold.asks, entry),
  )
  return answer?.createdAt
}

/** The k-th response of a join set answers its k-th ask. */
function isAnswer(asks: ReadonlyMap<JoinSetId, number>, entry: LoggedResponse): boolean {
  return entry.ordinal <= (asks.get(entry.response.joinSetId) ?? 0)
}

function corrupt(executionId: ExecutionId, version: number): SteleError {
  return new SteleError(
    'storage_corrupt',
    `The log of ${executionId} has an impossible event at version ${version}. ` +
      'Something other than Stele wrote to the database; restore it from a backup.',
    { fields: { executionId, version } },
  )
}
