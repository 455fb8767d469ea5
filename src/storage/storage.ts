/**
 * The ports of the storage, by caller, and their one implementation: every method is a protocol,
 * driven by whichever database was opened, and its notices are posted after the commit.
 */

import { accept, type Result } from '../base/result.ts'
import type { Instant } from '../base/time.ts'
import type { LoggedEvent, Version } from '../model/event.ts'
import type { DelayId, ExecutionId } from '../model/ids.ts'
import type { Refusal } from '../model/refusal.ts'
import type { ExecutionResponse } from '../model/response.ts'
import type { ExecutionState } from '../model/state.ts'
import { advance } from './advance.ts'
import { type AppendRequest, writeAppend } from './append.ts'
import { closeCancelled } from './close-cancelled.ts'
import {
  type CancelRequest,
  type CommandRequest,
  type CompleteRequest,
  cancelExecution,
  completeExecution,
  pauseExecution,
  setDelayPause,
  unpauseExecution,
} from './control.ts'
import { type CreateRequest, createExecution, createListed, writeCreation } from './create.ts'
import type { Driver, WriteProtocol } from './driver.ts'
import {
  type ChildrenPage,
  type ListedExecution,
  type ListedPage,
  type ListRequest,
  listChildren,
  listExecutions,
  listLocked,
} from './list.ts'
import { type DueTarget, findNextDue, type LockBatch, type LockRequest, lockDue } from './lock.ts'
import type { Notice } from './notice.ts'
import type { Notifications } from './notifications.ts'
import {
  type EventsPage,
  type ExecutionRecord,
  findEvent,
  findRecord,
  findReport,
  findStates,
  findWaits,
  type ListedResponse,
  listEvents,
  listResponses,
  type ResponsesPage,
  type StateReport,
  type Waits,
} from './read.ts'
import {
  beatExecutor,
  listExecutors,
  listFunctions,
  type RegisteredExecutor,
  type RegisteredFunction,
  registerFunctions,
} from './registry.ts'
import { type DelayEnd, type EndDelayRequest, endDelay, respond } from './respond.ts'
import { writeResponse } from './response-row.ts'
import {
  appendRunLogs,
  listRunLogs,
  type RunLogLine,
  type RunLogPage,
  type StoredLogLine,
} from './run-log.ts'
import { type SendEnd, type SendRequest, sendMessage, writeMessage } from './send.ts'
import { type SetAside, setAside } from './set-aside.ts'
import { findSource, keepSource, type SourceText } from './sources.ts'
import { findState } from './state-row.ts'
import {
  type ExpiredTimers,
  findExpired,
  findNextTimers,
  type NextTimers,
  type TimersRequest,
} from './timers.ts'

/** Answer of a write: its value, or why the storage refused it. Faults reject the promise. */
export type Answer<Value> = Promise<Result<Value, Refusal>>

/** What an executor needs. */
export interface ExecutorStorage {
  /**
   * Locks what is due, at most as much as asked for; rows that cannot be locked are set aside. The
   * request is asked for when the poll begins to look, each time that it is tried: all that was
   * told before, it sees.
   */
  readonly lockDue: (request: () => LockRequest) => Promise<LockBatch>
  /** When the earliest execution of these functions is due. */
  readonly findNextDue: (targets: readonly DueTarget[]) => Promise<Instant | undefined>
  /**
   * Appends events to one log, atomically, together with the executions they create and the
   * response to the parent when the last event finishes a child, and then with what the turn
   * cancels. Gives the state at the end of it all.
   */
  readonly append: (request: AppendRequest) => Answer<ExecutionState>
  /** States of the executions given, without those that are unknown. */
  readonly findStates: (ids: readonly ExecutionId[]) => Promise<readonly ExecutionState[]>
  /** Keeps what functions have logged. */
  readonly appendRunLogs: (lines: readonly RunLogLine[]) => Promise<void>
  /** Keeps the text of a source file, once. */
  readonly keepSource: (source: SourceText, seenAt: Instant) => Promise<void>
  /** Records that an executor lives, or has stopped. */
  readonly beatExecutor: (executor: RegisteredExecutor) => Promise<void>
}

/** What the timers watcher needs. */
export interface TimersStorage {
  readonly findExpired: (request: TimersRequest) => Promise<ExpiredTimers>
  readonly findNextTimers: () => Promise<NextTimers>
  readonly append: (request: AppendRequest) => Answer<ExecutionState>
  /** Fires or cancels a delay; the first one wins. */
  readonly endDelay: (request: EndDelayRequest) => Answer<DelayEnd>
  readonly setAside: (rows: readonly SetAside[]) => Promise<void>
  /** One step of carrying a cancellation down; true when the execution has finished with it. */
  readonly closeCancelled: (request: CommandRequest) => Answer<boolean>
}

/** A response from outside, or by hand. */
export interface RespondCommand {
  readonly executionId: ExecutionId
  readonly createdAt: Instant
  readonly response: ExecutionResponse
}

/** What clients need: to write, */
export interface CommandStorage {
  readonly create: (request: CreateRequest) => Answer<ExecutionState>
  /** Creates many in one transaction; each is accepted or refused for itself. */
  readonly createMany: (
    requests: readonly CreateRequest[],
  ) => Promise<readonly Result<ExecutionState, Refusal>[]>
  readonly respond: (command: RespondCommand) => Answer<undefined>
  /**
   * Sends a message, once for each message id in its channel. Refused when the execution has
   * finished or is being cancelled, unless the message is there already.
   */
  readonly send: (request: SendRequest) => Answer<SendEnd>
  readonly cancel: (request: CancelRequest) => Answer<'cancelled' | 'already_finished'>
  readonly pause: (request: CommandRequest) => Answer<ExecutionState>
  readonly unpause: (request: CommandRequest) => Answer<ExecutionState>
  readonly complete: (request: CompleteRequest) => Answer<ExecutionState>
  readonly setDelayPause: (request: {
    readonly delayId: DelayId
    readonly paused: boolean
  }) => Answer<undefined>
  readonly registerFunctions: (functions: readonly RegisteredFunction[]) => Promise<void>
}

/** and to read. */
export interface ReadStorage {
  readonly findState: (id: ExecutionId) => Promise<ExecutionState | undefined>
  readonly findReport: (id: ExecutionId) => Promise<StateReport | undefined>
  readonly findRecord: (id: ExecutionId, limit: number) => Promise<ExecutionRecord | undefined>
  readonly findEvent: (id: ExecutionId, version: Version) => Promise<LoggedEvent | undefined>
  readonly findWaits: (id: ExecutionId) => Promise<Waits>
  readonly listEvents: (page: EventsPage) => Promise<readonly LoggedEvent[]>
  readonly listResponses: (page: ResponsesPage) => Promise<readonly ListedResponse[]>
  readonly listExecutions: (request: ListRequest) => Promise<ListedPage>
  /** Children of an execution, finished ones too, ascending by id. */
  readonly listChildren: (page: ChildrenPage) => Promise<readonly ListedExecution[]>
  /** What executors hold, at most so many. */
  readonly listLocked: (limit: number) => Promise<readonly ExecutionState[]>
  readonly listRunLogs: (page: RunLogPage) => Promise<readonly StoredLogLine[]>
  readonly findSource: (hash: string) => Promise<SourceText | undefined>
  readonly listFunctions: () => Promise<readonly RegisteredFunction[]>
  readonly listExecutors: (limit: number) => Promise<readonly RegisteredExecutor[]>
}

/** Everything a storage does, and the notice board that goes with it. */
export interface Storage extends ExecutorStorage, TimersStorage, CommandStorage, ReadStorage {
  readonly notifications: Notifications
  /** Finishes what was asked for and lets go of the database. Idempotent. */
  readonly close: () => Promise<void>
}

/** The storage over an open database. */
export function createStorage(driver: Driver, notifications: Notifications): Storage {
  const write = createWrite(driver, notifications)
  return {
    ...executorMethods(driver, write),
    ...timersMethods(driver, write),
    ...commandMethods(driver, write),
    ...readMethods(driver),
    notifications,
    close: async () => {
      notifications.close()
      await driver.close()
    },
  }
}

/** Runs a write, posts its notices, and gives the part that the caller asked for. */
type Write = <Value extends { readonly notices: readonly Notice[] }, Picked>(
  protocol: () => WriteProtocol<Value, Refusal>,
  pick: (value: Value) => Picked,
) => Answer<Picked>

function createWrite(driver: Driver, notifications: Notifications): Write {
  const relay = driver.relay ?? ((deliver) => deliver())
  return async (protocol, pick) => {
    let isAnnounced = false
    const run = (): ReturnType<typeof protocol> => {
      // Whoever was told of an earlier try may have looked in vain.
      isAnnounced = false
      return protocol()
    }
    const result = await driver.write(run, ({ notices }) => {
      isAnnounced = true
      notifications.announce(notices)
    })
    if (!result.ok) return result
    const { value } = result
    relay(() => {
      notifications.publish(value.notices, { isAnnounced })
    })
    return accept(pick(value))
  }
}

/** A write that only posts notices. */
function* posting(
  protocol: WriteProtocol<readonly Notice[], Refusal>,
): WriteProtocol<{ readonly notices: readonly Notice[] }, Refusal> {
  const result = yield* protocol
  return result.ok ? accept({ notices: result.value }) : result
}

const stateOf = ({ state }: { readonly state: ExecutionState }): ExecutionState => state

function appendMethod(write: Write): ExecutorStorage['append'] {
  return (request) => {
    const written = writeAppend(request)
    return write(() => advance(request, written), stateOf)
  }
}

function sendMethod(write: Write): CommandStorage['send'] {
  return (request) => {
    const { executionId } = request
    const entry = writeMessage(request)
    return write(
      () => sendMessage(executionId, entry),
      ({ end }) => end,
    )
  }
}

function executorMethods(driver: Driver, write: Write): ExecutorStorage {
  return {
    lockDue: async (request) => {
      const batch = await write(
        () => lockDue(request()),
        (value) => value,
      )
      return batch.ok ? batch.value : { locked: [], setAside: [], notices: [] }
    },
    findNextDue: (targets) => driver.read(() => findNextDue(targets)),
    append: appendMethod(write),
    findStates: (ids) => driver.read(() => findStates(ids)),
    appendRunLogs: async (lines) => {
      await driver.write(() => appendRunLogs(lines))
    },
    keepSource: async (source, seenAt) => {
      await driver.write(() => keepSource(source, seenAt))
    },
    beatExecutor: async (executor) => {
      await driver.write(() => beatExecutor(executor))
    },
  }
}

function timersMethods(driver: Driver, write: Write): TimersStorage {
  return {
    findExpired: (request) => driver.read(() => findExpired(request)),
    findNextTimers: () => driver.read(() => findNextTimers()),
    append: appendMethod(write),
    endDelay: (request) =>
      write(
        () => endDelay(request),
        ({ end }) => end,
      ),
    setAside: async (rows) => {
      await driver.write(() => setAside(rows))
    },
    closeCancelled: (request) =>
      write(
        () => closeCancelled(request),
        ({ finished }) => finished,
      ),
  }
}

function commandMethods(driver: Driver, write: Write): CommandStorage {
  const nothing = (): undefined => undefined
  return {
    create: (request) => {
      const creation = writeCreation(request)
      return write(() => createExecution(creation), stateOf)
    },
    createMany: async (requests) => {
      const creations = requests.map(writeCreation)
      const created = await write(
        () => createListed(creations),
        ({ results }) => results,
      )
      return created.ok ? created.value : []
    },
    respond: ({ executionId, createdAt, response }) => {
      const entry = writeResponse(response, createdAt)
      return write(() => posting(respond({ executionId, entry })), nothing)
    },
    send: sendMethod(write),
    cancel: (request) =>
      write(
        () => cancelExecution(request),
        ({ end }) => end,
      ),
    pause: (request) => write(() => pauseExecution(request), stateOf),
    unpause: (request) => write(() => unpauseExecution(request), stateOf),
    complete: (request) => {
      // A copy: the outcome is compared and written when the transaction runs, not now.
      const copy = { ...request, outcome: structuredClone(request.outcome) }
      return write(() => completeExecution(copy), stateOf)
    },
    setDelayPause: (request) => write(() => posting(setDelayPause(request)), nothing),
    registerFunctions: async (functions) => {
      await driver.write(() => registerFunctions(functions))
    },
  }
}

function readMethods(driver: Driver): ReadStorage {
  return {
    findState: (id) => driver.read(() => findState(id)),
    findReport: (id) => driver.read(() => findReport(id)),
    findRecord: (id, limit) => driver.read(() => findRecord(id, limit)),
    findEvent: (id, version) => driver.read(() => findEvent(id, version)),
    findWaits: (id) => driver.read(() => findWaits(id)),
    listEvents: (page) => driver.read(() => listEvents(page)),
    listResponses: (page) => driver.read(() => listResponses(page)),
    listExecutions: (request) => driver.read(() => listExecutions(request)),
    listChildren: (page) => driver.read(() => listChildren(page)),
    listLocked: (limit) => driver.read(() => listLocked(limit)),
    listRunLogs: (page) => driver.read(() => listRunLogs(page)),
    findSource: (hash) => driver.read(() => findSource(hash)),
    listFunctions: () => driver.read(() => listFunctions()),
    listExecutors: (limit) => driver.read(() => listExecutors(limit)),
  }
}
