/** What an application holds of one execution. */

import { decodeValue, defaultCodec, encodeValue } from '../base/codec.ts'
import { SteleError } from '../base/error.ts'
import { readOptions, requireBoolean, requireInteger, requireText } from '../base/options.ts'
import { type Duration, parseDuration } from '../base/time.ts'
import type { LoggedEvent } from '../model/event.ts'
import type { ExecutionId } from '../model/ids.ts'
import type { Outcome, StoredOutcome } from '../model/outcome.ts'
import type { FinishedState } from '../model/state.ts'
import type { ListedResponse, StateReport } from '../storage/read.ts'
import type { LogLevel } from '../storage/run-log.ts'
import type { Storage } from '../storage/storage.ts'
import { findDefinition } from '../workers/definition.ts'
import type { ExecutionError } from '../workers/execution-error.ts'
import type { Args } from '../workers/function-ref.ts'
import { executionErrorOf, readOutcome } from '../workers/outcomes.ts'
import type { ClientContext } from './client-context.ts'
import { type Explanation, explainExecution } from './explain.ts'
import { notFoundError, refusalError } from './refusal-error.ts'
import { type SendOptions, send } from './send.ts'
import { type ExecutionTree, readTree, type TreeOptions } from './tree.ts'
import { type LogView, type StateView, viewLog, viewState } from './view.ts'
import { waitFinished } from './wait-finished.ts'

/** How long to wait. Without a timeout: as long as it takes. */
export interface Timeout {
  /** How long; zero asks once. */
  readonly timeout?: Duration | undefined
}

/** A page of stored log lines. */
export interface LogsPage {
  /** Only lines after this one; `lineId` of the last line seen. */
  readonly after?: number | undefined
  /** At most this many, up to `limits.listPage`. Default: as many as that. */
  readonly limit?: number | undefined
}

/** A line that a function logged. */
export interface LogLineView {
  /** Position among all lines of the storage; later ones have higher ids. */
  readonly lineId: number
  /** The run that logged it. */
  readonly runId: string
  /** When it was logged, by the clock of the engine. */
  readonly createdAt: number
  /** How serious it is. */
  readonly level: LogLevel
  /** The sentence. */
  readonly message: string
  /** What was logged beside the sentence. */
  readonly fields?: unknown
}

/** One execution, as its client sees it. Destructure freely; no member needs `this`. */
export interface Handle<Output, Failure = unknown> {
  /** The id of the execution. */
  readonly id: string
  /** The value; rejects with `ExecutionError` otherwise, or with `result_timeout`. */
  readonly result: (options?: Timeout) => Promise<Output>
  /** How it ended, as a value. Rejects with `result_timeout`. */
  readonly outcome: (options?: Timeout) => Promise<Outcome<Output, Failure>>
  /** Where it stands now. */
  readonly state: () => Promise<StateView>
  /** The whole event log, and the inbox. */
  readonly log: () => Promise<LogView>
  /** What the function logged while it ran. */
  readonly logs: (page?: LogsPage) => Promise<readonly LogLineView[]>
  /** Idempotent. A running handler's `signal` aborts. */
  readonly cancel: (options?: {
    readonly reason?: string
  }) => Promise<'cancelled' | 'already_finished'>
  /** Rejects with `illegal_state` when paused already, or when an activity is running. */
  readonly pause: () => Promise<void>
  /** Rejects with `illegal_state` when it is not paused. */
  readonly unpause: () => Promise<void>
  /** Why it is where it is. */
  readonly explain: () => Promise<Explanation>
  /** The execution with its children, and theirs. */
  readonly tree: (options?: TreeOptions) => Promise<ExecutionTree>
}

/** One execution of a workflow. */
export interface WorkflowHandle<Output, Failure = unknown, Messages = object>
  extends Handle<Output, Failure> {
  /**
   * Sends a message; resolves when it is durable, and buffered until the workflow asks. Rejects
   * with `unknown_channel`, `invalid_input`, `already_finished`, or `illegal_state` when cancelled.
   */
  readonly send: <Channel extends keyof Messages & string>(
    channel: Channel,
    ...args: Args<Messages[Channel], SendOptions>
  ) => Promise<void>
}

/** Events, and responses, read at once while a log is collected. */
const logPage = 1_000

/** Executors that are looked at for an explanation; the ones heard of last. */
const explainedExecutorsMax = 1_000

/** A handle; the execution need not exist, every method says so then. */
export function createHandle(context: ClientContext, id: ExecutionId, fn?: object): AnyHandle {
  return new LazyHandle({ context, id, fn })
}

type AnyHandle = WorkflowHandle<unknown, unknown, Record<string, unknown>>

/** Members are made when they are read: most handles are asked for one thing, or for nothing. */
class LazyHandle implements AnyHandle {
  readonly id: string
  readonly #subject: Subject

  constructor(subject: Subject) {
    this.id = subject.id
    this.#subject = subject
  }

  get result(): AnyHandle['result'] {
    const subject = this.#subject
    return (options) => awaitResult(subject, options)
  }

  get outcome(): AnyHandle['outcome'] {
    const subject = this.#subject
    const { codec } = subject.context
    return async (options) => readOutcome(codec, await awaitOutcome(subject, options))
  }

  get state(): AnyHandle['state'] {
    const subject = this.#subject
    return async () => viewState(subject.context.codec, await getReport(subject))
  }

  get log(): AnyHandle['log'] {
    const subject = this.#subject
    return () => readLog(subject)
  }

  get logs(): AnyHandle['logs'] {
    const subject = this.#subject
    return (page) => readLogs(subject, page)
  }

  get cancel(): AnyHandle['cancel'] {
    const subject = this.#subject
    return (options) => cancel(subject, options)
  }

  get pause(): AnyHandle['pause'] {
    const subject = this.#subject
    return () => command(subject, 'pause', subject.context.storage.pause)
  }

  get unpause(): AnyHandle['unpause'] {
    const subject = this.#subject
    return () => command(subject, 'unpause', subject.context.storage.unpause)
  }

  get explain(): AnyHandle['explain'] {
    const subject = this.#subject
    return () => explain(subject)
  }

  get tree(): AnyHandle['tree'] {
    const subject = this.#subject
    return (options) => tree(subject, options)
  }

  get send(): AnyHandle['send'] {
    const { context, id, fn } = this.#subject
    return (channel, ...args) => {
      const [payload, options] = args
      const definition = fn === undefined ? undefined : findDefinition(fn)
      return send(context, { executionId: id, channel, payload, options, definition })
    }
  }
}

/** The execution that a handle is about, and what its methods stand on. */
interface Subject {
  readonly context: ClientContext
  readonly id: ExecutionId
  /** The function that the caller named, if it did. */
  readonly fn?: object | undefined
}

async function awaitResult(subject: Subject, options: Timeout | undefined): Promise<unknown> {
  const { context, id } = subject
  const outcome = await awaitOutcome(subject, options)
  if (outcome.type === 'ok') return decodeValue(context.codec, outcome.value, 'result')
  throw await executionError(context, id, outcome)
}

async function awaitOutcome(
  { context, id }: Subject,
  options: Timeout = {},
): Promise<StoredOutcome> {
  context.requireOpen()
  const { timeout } = readOptions(options, ['timeout'], 'result')
  const request = {
    executionId: id,
    timeout: timeout === undefined ? undefined : parseDuration(timeout),
  }
  return outcomeAt(context, await waitFinished(context, request))
}

async function getReport({ context, id }: Subject): Promise<StateReport> {
  context.requireOpen()
  const report = await context.storage.findReport(id)
  if (report === undefined) throw notFoundError(id)
  return report
}

async function readLog({ context, id }: Subject): Promise<LogView> {
  context.requireOpen()
  if ((await context.storage.findState(id)) === undefined) throw notFoundError(id)
  const events = await collectEvents(context, id)
  return viewLog(context.codec, { id, events, responses: await collectResponses(context, id) })
}

async function readLogs(
  { context, id }: Subject,
  options: LogsPage = {},
): Promise<readonly LogLineView[]> {
  context.requireOpen()
  const { storage, codec, limits } = context
  const { after = 0, limit = limits.listPage } = readOptions(options, ['after', 'limit'], 'logs')
  const max = Number.MAX_SAFE_INTEGER
  const asked = requireInteger(limit, 'logs.limit', { min: 1, max })
  const page = {
    executionId: id,
    after: requireInteger(after, 'logs.after', { min: 0, max }),
    limit: Math.min(asked, limits.listPage),
  }
  const lines = await storage.listRunLogs(page)
  return lines.map(({ executionId: _same, fields, ...line }) => ({
    ...line,
    ...(fields === undefined ? {} : { fields: decodeValue(codec, fields, 'log line') }),
  }))
}

async function cancel(
  { context, id }: Subject,
  options: { readonly reason?: string } = {},
): Promise<'cancelled' | 'already_finished'> {
  context.requireOpen()
  const { reason } = readOptions(options, ['reason'], 'cancel')
  if (reason !== undefined) requireReason(context, reason)
  const { storage, clock } = context
  const result = await storage.cancel({ executionId: id, createdAt: clock.now(), reason })
  if (!result.ok) throw refusalError(result.error, id, 'cancel')
  return result.value
}

/** A reason is stored as it is, whatever the codec does to values, and is as long as they. */
function requireReason({ limits: { valueBytes } }: ClientContext, reason: unknown): void {
  const value = requireText(reason, 'cancel.reason')
  encodeValue(defaultCodec, { value, root: 'cancel.reason', valueBytes })
}

async function command(
  { context, id }: Subject,
  attempted: 'pause' | 'unpause',
  run: Storage['pause'],
): Promise<void> {
  context.requireOpen()
  const result = await run({ executionId: id, createdAt: context.clock.now() })
  if (!result.ok) throw refusalError(result.error, id, attempted)
}

async function tree({ context, id }: Subject, options: TreeOptions = {}): Promise<ExecutionTree> {
  context.requireOpen()
  const { listPage } = context.limits
  const { limit = listPage, logs = false } = readOptions(options, ['limit', 'logs'], 'tree')
  const asked = requireInteger(limit, 'tree.limit', { min: 1, max: Number.MAX_SAFE_INTEGER })
  const wantsLogs = requireBoolean(logs, 'tree.logs')
  return readTree(context, {
    executionId: id,
    limit: Math.min(asked, listPage),
    readLog: wantsLogs ? (one) => readLog({ context, id: one }) : undefined,
  })
}

async function explain(subject: Subject): Promise<Explanation> {
  const { storage, clock, definitions } = subject.context
  const report = await getReport(subject)
  const definition = definitions.get(report.state.function.name)
  return explainExecution({
    report,
    waits: await storage.findWaits(subject.id),
    executors: await storage.listExecutors(explainedExecutorsMax),
    now: clock.now(),
    isStub: definition?.kind === 'activity' && definition.handler === undefined,
  })
}

async function outcomeAt(
  { storage }: ClientContext,
  { executionId, version }: FinishedState,
): Promise<StoredOutcome> {
  const entry = await storage.findEvent(executionId, version)
  if (entry?.event.type === 'finished') return entry.event.outcome
  throw new SteleError(
    'storage_corrupt',
    `${executionId} has finished, but its log does not end in a finished event. ` +
      'Something other than Stele wrote to the database; restore it from a backup.',
    { fields: { executionId, version } },
  )
}

async function executionError(
  { storage, codec }: ClientContext,
  executionId: ExecutionId,
  outcome: Exclude<StoredOutcome, { readonly type: 'ok' }>,
): Promise<ExecutionError> {
  const state = await storage.findState(executionId)
  const functionName = state?.function.name ?? 'the function'
  return executionErrorOf(codec, { executionId, functionName, outcome })
}

async function collectEvents(
  { storage }: ClientContext,
  executionId: ExecutionId,
): Promise<readonly LoggedEvent[]> {
  const events: LoggedEvent[] = []
  for (;;) {
    const page = await storage.listEvents({ executionId, from: events.length, limit: logPage })
    events.push(...page)
    if (page.length < logPage) return events
  }
}

async function collectResponses(
  { storage }: ClientContext,
  executionId: ExecutionId,
): Promise<readonly ListedResponse[]> {
  const responses: ListedResponse[] = []
  for (;;) {
    const after = responses.at(-1)?.cursor ?? 0
    const page = await storage.listResponses({ executionId, after, limit: logPage })
    responses.push(...page)
    if (page.length < logPage) return responses
  }
}
