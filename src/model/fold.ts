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

/** One step of a history. */
export interface FoldStep {
  readonly entry: LoggedEvent
  /** Where it stood when the event came; absent before the first. */
  readonly before?: ExecutionState
  /** Where it stood right after the event, before anything else arrived. */
  readonly after: ExecutionState
}

/** The state that a history amounts to. Throws `storage_corrupt` if the table refuses an event. */
export function foldHistory(history: ExecutionHistory): ExecutionState {
  const walk = walkHistory(history)
  let step = walk.next()
  while (step.done !== true) step = walk.next()
  return step.value
}

/** Goes through a history event by event, and ends with the state that it amounts to. */
export function* walkHistory(history: ExecutionHistory): Generator<FoldStep, ExecutionState> {
  const [first, ...rest] = history.events
  if (first === undefined || first.event.type !== 'created') throw corrupt(history.executionId, 0)
  const responses = [...history.responses]
  let fold: Fold = {
    state: decideCreated(history.executionId, first.event, first.createdAt),
    asks: new Map(),
    arrived: [],
  }
  yield { entry: first, after: fold.state }
  for (const entry of rest) {
    fold = foldResponses(fold, takeUpTo(responses, entry.version - 1))
    const before = fold.state
    fold = { ...fold, state: foldEvent(fold, entry) }
    yield { entry, before, after: fold.state }
  }
  return foldResponses(fold, responses).state
}

function takeUpTo(responses: LoggedResponse[], version: number): readonly LoggedResponse[] {
  const end = responses.findIndex((entry) => entry.afterVersion > version)
  return responses.splice(0, end < 0 ? responses.length : end)
}

function foldResponses(fold: Fold, responses: readonly LoggedResponse[]): Fold {
  let { state } = fold
  for (const entry of responses) {
    const answersAsk = isAnswer(fold.asks, entry)
    state = decideResponse(state, { createdAt: entry.createdAt, answersAsk })
    fold.arrived.push(entry)
  }
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
