/** Transaction: a new execution, with its first event and its state. */

import { accept, type Result, refuse } from '../base/result.ts'
import type { Instant } from '../base/time.ts'
import { decideCreated, decideEvent } from '../model/decide.ts'
import type { CreatedEvent } from '../model/event.ts'
import type { ExecutionId } from '../model/ids.ts'
import type { Refusal } from '../model/refusal.ts'
import type { ExecutionState } from '../model/state.ts'
import type { WriteProtocol } from './driver.ts'
import { insertEventCall, type WrittenEvent, writeEvent } from './event-row.ts'
import { type Notice, noticesOf } from './notice.ts'
import { insertStateCall } from './state-row.ts'

/** A new execution. */
export interface CreateRequest {
  readonly executionId: ExecutionId
  readonly createdAt: Instant
  readonly event: CreatedEvent
  /** Created paused: nobody locks it before it is unpaused. */
  readonly paused?: boolean | undefined
}

/** What a write leaves behind: the new state, and what to tell. */
export interface Written {
  readonly state: ExecutionState
  readonly notices: readonly Notice[]
}

/** A new execution, written out when it was asked for; see `WrittenEvent`. */
export interface WrittenCreation {
  readonly state: ExecutionState
  readonly entries: readonly WrittenEvent[]
}

/** Writes a new execution out: one event, two when it is created paused. */
export function writeCreation(request: CreateRequest): WrittenCreation {
  const { executionId, createdAt, event } = request
  const entries = [writeEvent(event, createdAt)]
  const state = decideCreated(executionId, event, createdAt)
  if (request.paused !== true) return { state, entries }
  const paused = { type: 'paused' } as const
  const decision = decideEvent(state, { event: paused, createdAt, version: 1 })
  return {
    state: decision.ok ? decision.value : state,
    entries: [...entries, writeEvent(paused, createdAt)],
  }
}

/** Creates an execution. Refused with `taken` when the id exists. */
export function* createExecution(creation: WrittenCreation): WriteProtocol<Written, Refusal> {
  const { state, entries } = creation
  const { executionId } = state
  const [inserted = []] = yield [insertStateCall(state)]
  if (inserted.length === 0) return refuse({ kind: 'taken', what: 'execution', id: executionId })
  yield entries.map((entry, version) => insertEventCall(executionId, version, entry))
  return accept({ state, notices: noticesOf(state) })
}

/**
 * Creates many at once. Ids that exist are left alone and come back as refusals, in the order of
 * the request.
 */
export function* createExecutions(
  creations: readonly WrittenCreation[],
): WriteProtocol<readonly Result<Written, Refusal>[], Refusal> {
  const inserted = yield creations.map(({ state }) => insertStateCall(state))
  const results = creations.map(({ state }, index): Result<Written, Refusal> => {
    if (inserted[index]?.length !== 0) return accept({ state, notices: noticesOf(state) })
    return refuse({ kind: 'taken', what: 'execution', id: state.executionId })
  })
  yield creations
    .filter((_, index) => results[index]?.ok === true)
    .flatMap(({ state, entries }) =>
      entries.map((entry, version) => insertEventCall(state.executionId, version, entry)),
    )
  return accept(results)
}

/** The same, with the notices of all of them in one list. */
export function* createListed(creations: Parameters<typeof createExecutions>[0]): WriteProtocol<
  {
    readonly results: readonly Result<ExecutionState, Refusal>[]
    readonly notices: readonly Notice[]
  },
  Refusal
> {
  const created = yield* createExecutions(creations)
  if (!created.ok) return created
  return accept({
    results: created.value.map((result) => (result.ok ? accept(result.value.state) : result)),
    notices: created.value.flatMap((result) => (result.ok ? result.value.notices : [])),
  })
}
