/** Stored → shown: states, events, responses and outcomes as the public API gives them. */

import { type Codec, decodeValue } from '../base/codec.ts'
import type { Json } from '../base/json.ts'
import type { Instant } from '../base/time.ts'
import type { Cursor, ExecutionEvent, LoggedEvent, Version } from '../model/event.ts'
import type { FunctionKind } from '../model/function-id.ts'
import type { Outcome, StoredFailure, StoredOutcome } from '../model/outcome.ts'
import type { ExecutionResponse } from '../model/response.ts'
import { attemptOf, type ExecutionState, type ExecutionStatus } from '../model/state.ts'
import type { ListedExecution } from '../storage/list.ts'
import type { ExecutionRecord, ListedResponse, StateReport } from '../storage/read.ts'
import { readOutcome } from '../workers/outcomes.ts'

/** Where an execution stands. Instants are milliseconds since 1970. */
export interface StateView {
  /** What it does: waits for its time, runs, waits for a response, or has finished. */
  readonly status: ExecutionStatus
  /** Nobody takes it up before `unpause`. */
  readonly paused: boolean
  /** A cancellation was requested and is being carried out. */
  readonly cancelling: boolean
  /** Version of the last event. */
  readonly version: Version
  /** Counted failures and timeouts, plus one: the attempt that runs, runs next, or was last. */
  readonly attempt: number
  /** When it is due; `pending_at` only. */
  readonly scheduledAt?: Instant
  /** When others may take it over; `locked` only. */
  readonly lockExpiresAt?: Instant
  /** Who holds it, or held it last. */
  readonly executorId?: string
  /** The run that holds it, or held it last. */
  readonly runId?: string
  /** How it ended; `finished` only. */
  readonly outcome?: Outcome
  /** Why it is where it is, when the last event says so. */
  readonly reason?: string
}

/** An event of a log: version and time, and the event's own fields beside them. */
export type EventView = {
  readonly version: Version
  readonly createdAt: Instant
} & Shown<ExecutionEvent>

/** An event whose outcome, if it has one, is decoded; a failure comes with what was thrown. */
export type Shown<Event> = Event extends { readonly outcome: StoredOutcome }
  ? Omit<Event, 'outcome'> & { readonly outcome: Outcome | StoredFailure }
  : Event

/** A response of an inbox. */
export type ResponseView = {
  readonly cursor: Cursor
  readonly createdAt: Instant
  /** The last event of the log when it arrived: log and inbox have one common order. */
  readonly afterVersion: Version
  /** The child's outcome, where a child has answered; a failure comes with what was thrown. */
  readonly outcome?: Outcome | StoredFailure
} & ExecutionResponse

/** Log and inbox of an execution. */
export interface LogView {
  /** The execution. */
  readonly id: string
  /** What happened to it, oldest first. */
  readonly events: readonly EventView[]
  /** What others told it, oldest first. */
  readonly responses: readonly ResponseView[]
}

/** One line of a list of executions. */
export interface ListItem {
  /** The id of the execution. */
  readonly id: string
  /** Kind of its function. */
  readonly kind: FunctionKind
  /** Name of its function. */
  readonly functionName: string
  /** Version of the function that it runs under. */
  readonly functionVersion: string
  /** The execution whose child it is. */
  readonly parentId?: string
  /** What it does: waits for its time, runs, waits for a response, or has finished. */
  readonly status: ExecutionStatus
  /** Nobody takes it up before `unpause`. */
  readonly paused: boolean
  /** A cancellation was requested and is being carried out. */
  readonly cancelling: boolean
  /** Version of the last event. */
  readonly version: Version
  /** The attempt that runs now or would run next, from 1; the last one when finished. */
  readonly attempt: number
  /** When it was submitted. */
  readonly createdAt: Instant
  /** When it is due; `pending_at` only. */
  readonly scheduledAt?: Instant
  /** When it ended; `finished` only. */
  readonly finishedAt?: Instant
  /** How it ended; `finished` only. */
  readonly outcomeType?: Outcome['type']
  /** Why the engine gave up, when it did. */
  readonly failureKind?: string
  /** Why the row was set aside: nobody will execute it. */
  readonly setAside?: string
}

/** A state, with the outcome or reason that its last event gives. */
export function viewState(codec: Codec, { state, lastEvent }: StateReport): StateView {
  const { event } = lastEvent
  const base = { status: state.status, version: state.version }
  if (state.status === 'finished') {
    const outcome = event.type === 'finished' ? readOutcome(codec, event.outcome) : undefined
    const attempt = attemptOf(state)
    return { ...base, paused: false, cancelling: false, attempt, ...optional({ outcome }) }
  }
  return {
    ...base,
    paused: state.paused,
    cancelling: state.cancelling,
    attempt: attemptOf(state),
    ...optional({
      scheduledAt: state.status === 'pending_at' ? state.scheduledAt : undefined,
      lockExpiresAt: state.status === 'locked' ? state.lockExpiresAt : undefined,
      executorId: state.lastOwner?.executorId,
      runId: state.lastOwner?.runId,
      reason: 'reason' in event ? event.reason : undefined,
    }),
  }
}

/** A log and its inbox, values decoded. */
export function viewLog(
  codec: Codec,
  { id, ...record }: Omit<ExecutionRecord, 'state'> & { readonly id: string },
): LogView {
  return {
    id,
    events: record.events.map((entry) => viewEvent(codec, entry)),
    responses: record.responses.map((entry) => viewResponse(codec, entry)),
  }
}

/** An event, its values decoded. */
export function viewEvent(codec: Codec, { version, createdAt, event }: LoggedEvent): EventView {
  const place = { version, createdAt }
  if (event.type === 'finished') {
    return { ...place, ...event, outcome: readLogged(codec, event.outcome) }
  }
  if (event.type === 'step_finished') {
    return { ...place, ...event, outcome: readLogged(codec, event.outcome) }
  }
  return { ...place, ...event, ...decodeFields(codec, event) }
}

/** Workflows may decide by what was thrown, so that a replay of the log has to know it. */
function readLogged(codec: Codec, outcome: StoredOutcome): Outcome | StoredFailure {
  return outcome.type === 'execution_failure' ? outcome : readOutcome(codec, outcome)
}

/** The fields of an event that hold values of users. */
function decodeFields(
  codec: Codec,
  event: ExecutionEvent,
): { readonly input?: Json; readonly value?: Json } {
  return {
    ...('input' in event ? { input: decode(codec, event.input) } : {}),
    ...('value' in event ? { value: decode(codec, event.value) } : {}),
  }
}

/** A value of a user, where the type of an event or response speaks of its stored form. */
function decode(codec: Codec, stored: Json | undefined): Json {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- shown under the same type
  return decodeValue(codec, stored, 'value') as Json
}

function viewResponse(codec: Codec, entry: ListedResponse): ResponseView {
  const { cursor, createdAt, afterVersion, response, outcome } = entry
  const decoded =
    response.type === 'message' && response.payload !== undefined
      ? { ...response, payload: decode(codec, response.payload) }
      : response
  const end = outcome === undefined ? {} : { outcome: readLogged(codec, outcome) }
  return { cursor, createdAt, afterVersion, ...decoded, ...end }
}

/** One line of a list. */
export function viewListed({ state, setAside }: ListedExecution): ListItem {
  const { kind, name, version } = state.function
  return {
    id: state.executionId,
    kind,
    functionName: name,
    functionVersion: version,
    status: state.status,
    paused: state.status !== 'finished' && state.paused,
    cancelling: state.status !== 'finished' && state.cancelling,
    version: state.version,
    attempt: attemptOf(state),
    createdAt: state.createdAt,
    ...optional({ parentId: state.parent?.executionId, setAside, ...endOf(state) }),
  }
}

function endOf(state: ExecutionState): {
  scheduledAt?: Instant | undefined
  finishedAt?: Instant | undefined
  outcomeType?: Outcome['type'] | undefined
  failureKind?: string | undefined
} {
  if (state.status === 'pending_at') return { scheduledAt: state.scheduledAt }
  if (state.status !== 'finished') return {}
  const { finishedAt, outcomeType, failureKind } = state
  return { finishedAt, outcomeType, failureKind }
}

type Present<Fields> = { readonly [Key in keyof Fields]?: Exclude<Fields[Key], undefined> }

/** The fields that have a value. */
function optional<Fields extends object>(fields: Fields): Present<Fields> {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined)
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the same fields, fewer of them
  return Object.fromEntries(entries) as Present<Fields>
}
