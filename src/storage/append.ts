/**
 * Transaction: events onto a log. Checks the version, asks the transition table, inserts, replaces
 * the state, creates children and delays, and tells the parent, all or nothing. Every event but
 * the first of a log is written here.
 */

import { accept, refuse } from '../base/result.ts'
import { decideEvent, nextVersion } from '../model/decide.ts'
import { blockingOf, type DelayRequestEvent, type NewEvent, type Version } from '../model/event.ts'
import type { ExecutionId } from '../model/ids.ts'
import { parentResponse } from '../model/parent-response.ts'
import type { Refusal } from '../model/refusal.ts'
import type { ExecutionState } from '../model/state.ts'
import { integerOf } from './column.ts'
import { type CreateRequest, createExecution, type Written, writeCreation } from './create.ts'
import type { WriteProtocol } from './driver.ts'
import { insertEventCall, type WrittenEvent, writeEvent } from './event-row.ts'
import { countAskCalls, firstAnswerCall } from './join-set-row.ts'
import { type Notice, noticesOf } from './notice.ts'
import { type Call, call, statement } from './protocol.ts'
import { respond } from './respond.ts'
import { writeResponse } from './response-row.ts'
import { findStateForUpdate, updateStateCall } from './state-row.ts'

const insertDelay = statement(
  'insert-delay',
  `INSERT INTO delays (delay_id, execution_id, due_at_ms, paused)
   VALUES ($1, $2, $3, $4)
   ON CONFLICT (delay_id) DO NOTHING
   RETURNING delay_id`,
)

/** Events for one log, in order, and executions that come into being with them. */
export interface AppendRequest {
  readonly executionId: ExecutionId
  /** The version of the first event. */
  readonly version: Version
  readonly events: readonly NewEvent[]
  /** Children and detached executions; an id that exists rolls everything back. */
  readonly creations?: readonly CreateRequest[] | undefined
}

/** An append, written out when it was asked for; see `WrittenEvent`. */
export interface WrittenAppend {
  readonly executionId: ExecutionId
  readonly version: Version
  readonly entries: readonly WrittenEvent[]
  readonly creations: readonly ReturnType<typeof writeCreation>[]
}

/** Writes an append out. */
export function writeAppend(request: AppendRequest): WrittenAppend {
  return {
    executionId: request.executionId,
    version: request.version,
    entries: request.events.map(({ event, createdAt }) => writeEvent(event, createdAt)),
    creations: (request.creations ?? []).map(writeCreation),
  }
}

/** Appends; gives the new state. Refused as the transition table says, and then nothing is kept. */
export function* appendEvents(request: WrittenAppend): WriteProtocol<Written, Refusal> {
  const { executionId } = request
  if (request.entries.length === 0) return refuse({ kind: 'invalid', reason: 'empty_batch' })
  const before = yield* findStateForUpdate(executionId)
  if (before === undefined) return refuse({ kind: 'not_found', id: executionId })
  return yield* appendTo(before, request)
}

/** The same for a transaction that has already read the state. */
export function* appendTo(
  before: ExecutionState,
  request: Omit<WrittenAppend, 'executionId'>,
): WriteProtocol<Written, Refusal> {
  const decided = yield* decideAll(before, request)
  if (!decided.ok) return decided
  const after = decided.value
  const [swapped = []] = yield [updateStateCall(before, after)]
  if (swapped.length === 0) {
    const expected = nextVersion(before)
    return refuse({ kind: 'version_conflict', expected, requested: request.version })
  }
  const delays = yield* insertDelays(after.executionId, request.entries)
  if (!delays.ok) return delays
  const created = yield* createAll(request.creations)
  if (!created.ok) return created
  const told = yield* tellParent(after, request)
  if (!told.ok) return told
  return accept({
    state: after,
    notices: [...noticesOf(after), ...delays.value, ...created.value, ...told.value],
  })
}

/** Asks the table for each event in turn, and inserts what it accepts. */
function* decideAll(
  before: ExecutionState,
  { version: firstVersion, entries }: Omit<WrittenAppend, 'executionId'>,
): WriteProtocol<ExecutionState, Refusal> {
  const { executionId } = before
  let state = before
  let inserts: Call[] = []
  for (const [index, entry] of entries.entries()) {
    const { event, createdAt } = entry
    const version = firstVersion + index
    inserts.push(...countAskCalls(executionId, event))
    const blocking = blockingOf(event)
    let answeredAt: number | undefined
    if (blocking !== undefined) {
      const answers = yield [...inserts, firstAnswerCall(executionId, blocking.seenCursor)]
      const answer = answers.at(-1)?.[0]
      answeredAt = answer === undefined ? undefined : integerOf(answer, 'created_at_ms')
      inserts = []
    }
    const decision = decideEvent(state, { event, createdAt, version, answeredAt })
    if (!decision.ok) return decision
    inserts.push(insertEventCall(executionId, version, entry))
    state = decision.value
  }
  yield inserts
  return accept(state)
}

function* insertDelays(
  id: ExecutionId,
  entries: readonly WrittenEvent[],
): WriteProtocol<readonly Notice[], Refusal> {
  const delays = entries.map(({ event }) => event).filter(isDelayRequest)
  if (delays.length === 0) return accept([])
  const inserted = yield delays.map((delay) =>
    call(insertDelay, delay.delayId, id, delay.dueAt, delay.paused === true ? 1 : 0),
  )
  const taken = delays.find((_, index) => inserted[index]?.length === 0)
  if (taken !== undefined) return refuse({ kind: 'taken', what: 'delay', id: taken.delayId })
  return accept(delays.map(({ dueAt }) => ({ topic: 'timer', dueAt })))
}

function isDelayRequest(event: { readonly type: string }): event is DelayRequestEvent {
  return event.type === 'join_set_request' && 'kind' in event && event.kind === 'delay'
}

function* createAll(
  creations: WrittenAppend['creations'],
): WriteProtocol<readonly Notice[], Refusal> {
  const notices: Notice[] = []
  for (const creation of creations) {
    const created = yield* createExecution(creation)
    if (!created.ok) return created
    notices.push(...created.value.notices)
  }
  return accept(notices)
}

/** Whoever finishes a derived execution tells its parent, in the same transaction. */
function* tellParent(
  after: ExecutionState,
  { entries }: Pick<WrittenAppend, 'entries'>,
): WriteProtocol<readonly Notice[], Refusal> {
  const told = parentResponse(after)
  if (told === undefined) return accept([])
  const createdAt = entries.at(-1)?.createdAt ?? after.createdAt
  const entry = writeResponse(told.response, createdAt)
  return yield* respond({ executionId: told.executionId, entry })
}
