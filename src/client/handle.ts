/** What an application holds of one execution. */

import { assert } from '../base/assert.ts'
import { decodeValue, defaultCodec, encodeValue } from '../base/codec.ts'
import { SteleError } from '../base/error.ts'
import { readOptions, requireInteger, requireText } from '../base/options.ts'
import { type Duration, parseDuration } from '../base/time.ts'
import type { LoggedEvent } from '../model/event.ts'
import type { ExecutionId } from '../model/ids.ts'
import type { Outcome, StoredOutcome } from '../model/outcome.ts'
import type { FinishedState } from '../model/state.ts'
import type { ListedResponse, StateReport } from '../storage/read.ts'
import type { LogLevel } from '../storage/run-log.ts'
import type { Storage } from '../storage/storage.ts'
import { ExecutionError } from '../workers/execution-error.ts'
import { reviveError } from '../workers/stored-error.ts'
import type { ClientContext } from './client-context.ts'
import { type Explanation, explainExecution } from './explain.ts'
import { notFoundError, refusalError } from './refusal-error.ts'
import { type LogView, type StateView, viewLog, viewOutcome, viewState } from './view.ts'
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
}

/** Events, and responses, read at once while a log is collected. */
const logPage = 1_000

/** Executors that are looked at for an explanation; the ones heard of last. */
const explainedExecutorsMax = 1_000

/** A handle; the execution need not exist, every method says so then. */
export function createHandle(context: ClientContext, id: ExecutionId): Handle<unknown> {
  const { storage, codec } = context
  const subject: Subject = { context, id }
  return {
    id,
    result: (options) => awaitResult(subject, options),
    outcome: async (options) => viewOutcome(codec, await awaitOutcome(subject, options)),
    state: async () => viewState(codec, await getReport(subject)),
    log: () => readLog(subject),
    logs: (page) => readLogs(subject, page),
    cancel: (options) => cancel(subject, options),
    pause: () => command(subject, 'pause', storage.pause),
    unpause: () => command(subject, 'unpause', storage.unpause),
    explain: () => explain(subject),
  }
}

/** The execution that a handle is about, and what its methods stand on. */
interface Subject {
  readonly context: ClientContext
  readonly id: ExecutionId
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
  return viewLog(context.codec, { events, responses: await collectResponses(context, id) })
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

async function explain(subject: Subject): Promise<Explanation> {
  const { storage, clock, definitions } = subject.context
  const report = await getReport(subject)
  const definition = definitions.get(report.state.function.name)
  return explainExecution({
    report,
    waits: await storage.findWaits(subject.id),
    executors: await storage.listExecutors(explainedExecutorsMax),
    now: clock.now(),
    isStub: definition !== undefined && definition.handler === undefined,
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
  const shown = viewOutcome(codec, outcome)
  const error = outcome.type === 'execution_failure' ? outcome.error : undefined
  const cause = error === undefined ? {} : { cause: reviveError(error) }
  assert(shown.type !== 'ok', 'showing an outcome keeps its type')
  return new ExecutionError({ executionId, functionName, outcome: shown, ...cause })
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
