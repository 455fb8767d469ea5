/**
 * Transaction: events onto a log. Checks the version, asks the transition table, inserts, replaces
 * the state, creates children and delays, and tells the parent, all or nothing. Every event but
 * the first of a log is written here.
 */

import { assert } from '../base/assert.ts'
import { accept, type Result, refuse } from '../base/result.ts'
import type { Instant } from '../base/time.ts'
import { decideEvent, nextVersion, waitAfter } from '../model/decide.ts'
import { blockingOf, type DelayRequestEvent, type NewEvent, type Version } from '../model/event.ts'
import type { DelayId, ExecutionId } from '../model/ids.ts'
import { parentResponse } from '../model/parent-response.ts'
import type { Refusal } from '../model/refusal.ts'
import type { ExecutionState, LockedState } from '../model/state.ts'
import { integerOf } from './column.ts'
import {
  type CreateRequest,
  createExecution,
  type Written,
  type WrittenCreation,
  writeCreation,
} from './create.ts'
import type { WriteProtocol } from './driver.ts'
import { insertEventCall, type WrittenEvent, writeEvent } from './event-row.ts'
import { firstAnswerCall, joinSetCalls } from './join-set-row.ts'
import { type Notice, noticesOf } from './notice.ts'
import { type Call, call, type Protocol, statement } from './protocol.ts'
import { delayResultCall, respond } from './respond.ts'
import { writeResponse } from './response-row.ts'
import { findStateForUpdate, updateStateCall } from './state-row.ts'

const insertDelay = statement(
  'insert-delay',
  `INSERT INTO delays (delay_id, execution_id, due_at_ms, paused)
   VALUES ($1, $2, $3, $4)
   ON CONFLICT (delay_id) DO NOTHING
   RETURNING delay_id`,
)

/** What a turn gives up: cancelled in this order, children first. */
export interface Cancellations {
  /** Cancelled as `cancel` does it; those that are unknown or have finished are left alone. */
  readonly children: readonly ExecutionId[]
  /** Ended as cancelled; those that are unknown or have ended are left alone. */
  readonly delays: readonly DelayId[]
}

/** Events for one log, in order, and what happens to other executions with them. */
export interface AppendRequest {
  readonly executionId: ExecutionId
  /** The version of the first event, or the one it would have. */
  readonly version: Version
  /** Empty only when something is cancelled; then the log stays as it is. */
  readonly events: readonly NewEvent[]
  /** Children and detached executions; an id that exists rolls everything back. */
  readonly creations?: readonly CreateRequest[] | undefined
  /** Carried out after everything else, in the same transaction. */
  readonly cancellations?: Cancellations | undefined
  /** When the cancellations happen, if there are no events; else the last event says it. */
  readonly createdAt?: Instant | undefined
  /**
   * The state as the holder of the lock knows it: saves reading the row. Only a locked state can
   * be known, since responses change the others without a new version.
   */
  readonly known?: LockedState | undefined
}

/** Cancellations with their time; never without any. */
export interface WrittenCancellations extends Cancellations {
  readonly createdAt: Instant
}

/** An append, written out when it was asked for; see `WrittenEvent`. */
export interface WrittenAppend {
  readonly version: Version
  readonly entries: readonly WrittenEvent[]
  readonly creations: readonly WrittenCreation[]
  /** What `advance` cancels; `appendEvents` does not look at them. */
  readonly cancellations?: WrittenCancellations | undefined
}

/** Writes an append out. */
export function writeAppend(request: AppendRequest): WrittenAppend {
  return {
    version: request.version,
    entries: request.events.map(({ event, createdAt }) => writeEvent(event, createdAt)),
    creations: (request.creations ?? []).map(writeCreation),
    cancellations: writeCancellations(request),
  }
}

function writeCancellations(request: AppendRequest): WrittenCancellations | undefined {
  if (request.cancellations === undefined) return undefined
  const { children, delays } = request.cancellations
  const createdAt = request.events.at(-1)?.createdAt ?? request.createdAt
  if (createdAt === undefined || children.length + delays.length === 0) return undefined
  return { children: [...children], delays: [...delays], createdAt }
}

/** Appends; gives the new state. Refused as the transition table says, and then nothing is kept. */
export function* appendEvents(
  { executionId, known }: Pick<AppendRequest, 'executionId' | 'known'>,
  written: WrittenAppend,
): WriteProtocol<Written, Refusal> {
  if (written.entries.length === 0) return refuse({ kind: 'invalid', reason: 'empty_batch' })
  if (known !== undefined && isNext(known, written)) {
    const decided = yield* decideAll(known, written)
    // What an outdated state refuses, the row may accept: only the row refuses.
    const appended = decided.ok ? yield* trySwap(known, decided.value, written) : 'outdated'
    if (appended !== 'outdated') return appended
    // A wait has counted its asks by now, which only a refusal takes back.
    if (waits(written)) return refuse(yield* whyOutdated(executionId, written))
  }
  const before = yield* findStateForUpdate(executionId)
  if (before === undefined) return refuse({ kind: 'not_found', id: executionId })
  return yield* appendTo(before, written)
}

function isNext(known: LockedState, { version }: WrittenAppend): boolean {
  return version === nextVersion(known)
}

function waits({ entries }: WrittenAppend): boolean {
  return entries.some(({ event }) => blockingOf(event) !== undefined)
}

/** Why a row is not in the state in which its holder has left it: somebody else wrote to it. */
function* whyOutdated(id: ExecutionId, { version, entries }: WrittenAppend): Protocol<Refusal> {
  const row = yield* findStateForUpdate(id)
  if (row === undefined) return { kind: 'not_found', id }
  const [first] = entries
  const decision = first === undefined ? undefined : decideEvent(row, { ...first, version })
  if (decision?.ok === false) return decision.error
  return { kind: 'version_conflict', expected: nextVersion(row), requested: version }
}

/** The same for a transaction that has just read the state. */
export function* appendTo(
  before: ExecutionState,
  written: WrittenAppend,
): WriteProtocol<Written, Refusal> {
  const decided = yield* decideAll(before, written)
  if (!decided.ok) return decided
  const appended = yield* trySwap(before, decided.value, written)
  assert(appended !== 'outdated', 'a state that was read for update stays as it is')
  return appended
}

/** `outdated`, with nothing written, when the row is not in the state `before` any more. */
function* trySwap(
  before: ExecutionState,
  { state: after, inserts }: Decided,
  written: WrittenAppend,
): Protocol<Result<Written, Refusal> | 'outdated'> {
  const [swapped = []] = yield [updateStateCall(before, after)]
  if (swapped.length === 0) return 'outdated'
  yield inserts
  const delays = yield* insertDelays(after.executionId, written.entries)
  if (!delays.ok) return delays
  const created = yield* createAll(written.creations)
  if (!created.ok) return created
  const told = yield* tellParent(after, written)
  if (!told.ok) return told
  const notices = [...noticesOf(after), ...delays.value, ...created.value, ...told.value]
  return accept({ state: after, notices })
}

/** What a batch comes to: the last state, and what is still to be inserted. */
interface Decided {
  readonly state: ExecutionState
  readonly inserts: readonly Call[]
}

/**
 * Asks the table for each event in turn. Nothing is written before the state is replaced, except
 * that a wait counts the asks before it: whether it is answered depends on them, its own included.
 */
function* decideAll(
  before: ExecutionState,
  { version: firstVersion, entries }: WrittenAppend,
): WriteProtocol<Decided, Refusal> {
  const { executionId } = before
  let state = before
  let asks: Call[] = []
  const events: Call[] = []
  for (const [index, entry] of entries.entries()) {
    const { event, createdAt } = entry
    const version = firstVersion + index
    asks.push(...joinSetCalls(executionId, event))
    const wait = waitAfter(state, event)
    let answeredAt: Instant | undefined
    if (wait !== undefined) {
      const answers = yield [...asks, firstAnswerCall(executionId, wait.seenCursor)]
      const answer = answers.at(-1)?.[0]
      answeredAt = answer === undefined ? undefined : integerOf(answer, 'created_at_ms')
      asks = []
    }
    const decision = decideEvent(state, { event, createdAt, version, answeredAt })
    if (!decision.ok) return decision
    events.push(insertEventCall(executionId, version, entry))
    state = decision.value
  }
  return accept({ state, inserts: [...asks, ...events] })
}

function* insertDelays(
  id: ExecutionId,
  entries: readonly WrittenEvent[],
): WriteProtocol<readonly Notice[], Refusal> {
  const delays = entries.map(({ event }) => event).filter(isDelayRequest)
  if (delays.length === 0) return accept([])
  const answers = yield delays.flatMap((delay) => [
    call(insertDelay, delay.delayId, id, delay.dueAt, delay.paused === true ? 1 : 0),
    delayResultCall(delay.delayId),
  ])
  // A delay is taken while it runs, and after it has ended.
  const taken = delays.find(
    (_, index) => answers[2 * index]?.length === 0 || answers[2 * index + 1]?.length !== 0,
  )
  if (taken !== undefined) return refuse({ kind: 'taken', what: 'delay', id: taken.delayId })
  return accept(delays.map(({ dueAt }) => ({ topic: 'timer', dueAt })))
}

function isDelayRequest(event: { readonly type: string }): event is DelayRequestEvent {
  return event.type === 'join_set_request' && 'kind' in event && event.kind === 'delay'
}

function* createAll(
  creations: readonly WrittenCreation[],
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
