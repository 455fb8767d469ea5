/**
 * The smallest storage that obeys the transition table: one execution, its log and its inbox, in
 * memory. It counts asks and responses itself, so that the fold can be held against it.
 */

import { decideCreated, decideEvent, decideResponse, nextVersion } from '../../src/model/decide.ts'
import type { CreatedEvent, ExecutionEvent, LoggedEvent } from '../../src/model/event.ts'
import type { ExecutionHistory } from '../../src/model/fold.ts'
import type { ExecutionId } from '../../src/model/ids.ts'
import type { JoinSetId } from '../../src/model/join-set.ts'
import type { Refusal } from '../../src/model/refusal.ts'
import type { ExecutionResponse, LoggedResponse } from '../../src/model/response.ts'
import type { ExecutionState } from '../../src/model/state.ts'

/** One execution, and what can be done to it. */
export interface MiniStore {
  readonly state: () => ExecutionState
  readonly history: () => ExecutionHistory
  /** The first response beyond the cursor that answers an ask. */
  readonly findAnswer: (seenCursor: number) => LoggedResponse | undefined
  /** Appends, or says why not; at the next version unless told otherwise. */
  readonly append: (append: MiniAppend) => Refusal | undefined
  readonly respond: (response: ExecutionResponse, createdAt: number) => void
}

/** An event that is offered to the store. */
interface MiniAppend {
  readonly event: ExecutionEvent
  readonly createdAt: number
  readonly version?: number | undefined
}

/** How each event changes the number of asks, spelled out. */
function askChange(event: ExecutionEvent): number {
  if (event.type === 'join_next') return 1
  if (event.type === 'join_next_try' && event.outcome === 'found') return 1
  return event.type === 'join_next_withdraw' ? -1 : 0
}

/** A store that holds one new execution. */
export function createMiniStore(id: ExecutionId, created: CreatedEvent): MiniStore {
  const events: LoggedEvent[] = [{ version: 0, createdAt: 0, event: created }]
  const responses: LoggedResponse[] = []
  let state: ExecutionState = decideCreated(id, created, 0)

  const asksOf = (joinSetId: JoinSetId, extra: readonly ExecutionEvent[]): number =>
    [...events.map(({ event }) => event), ...extra]
      .filter((event) => 'joinSetId' in event && event.joinSetId === joinSetId)
      .reduce((sum, event) => sum + askChange(event), 0)

  const findAnswer = (seen: number, extra: readonly ExecutionEvent[] = []) =>
    responses.find(
      ({ cursor, ordinal, response }) =>
        cursor > seen && ordinal <= asksOf(response.joinSetId, extra),
    )

  const append = ({ event, createdAt, version }: MiniAppend): Refusal | undefined => {
    const begun = (event.type === 'wait' || event.type === 'join_next') && event.seenCursor
    const under = state.status === 'blocked' && askChange(event) !== 0 && state.seenCursor
    const seen = typeof begun === 'number' ? begun : under
    const answer = typeof seen === 'number' ? findAnswer(seen, [event]) : undefined
    const proposal = { event, createdAt, version: version ?? nextVersion(state) }
    const decision = decideEvent(state, { ...proposal, answeredAt: answer?.createdAt })
    if (!decision.ok) return decision.error
    events.push(proposal)
    state = decision.value
    return undefined
  }

  const respond = (response: ExecutionResponse, createdAt: number): void => {
    const earlier = responses.filter((entry) => entry.response.joinSetId === response.joinSetId)
    const ordinal = earlier.length + 1
    const cursor = (responses.at(-1)?.cursor ?? 0) + 2
    responses.push({ cursor, createdAt, ordinal, afterVersion: state.version, response })
    const answersAsk = ordinal <= asksOf(response.joinSetId, [])
    state = decideResponse(state, { createdAt, answersAsk })
  }

  return {
    state: () => state,
    history: () => ({ executionId: id, events: [...events], responses: [...responses] }),
    findAnswer,
    append,
    respond,
  }
}
