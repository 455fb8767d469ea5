/** `checkReplay`: today's code of a workflow against the logs of yesterday; nothing is run. */

import { type Codec, defaultCodec } from '../base/codec.ts'
import { SteleError } from '../base/error.ts'
import type { Json } from '../base/json.ts'
import { silentLogger } from '../base/logger.ts'
import { invalidOption, readOptions, requireObject } from '../base/options.ts'
import { systemScheduler } from '../base/time.ts'
import type { CreatedEvent, ExecutionEvent, LoggedEvent, Version } from '../model/event.ts'
import { type ExecutionId, requireExecutionId } from '../model/ids.ts'
import type { JoinSetId } from '../model/join-set.ts'
import type { Outcome, StoredOutcome } from '../model/outcome.ts'
import type { ExecutionResponse } from '../model/response.ts'
import type { ListedResponse } from '../storage/read.ts'
import { findDefinition, type WorkflowDefinition } from '../workers/definition.ts'
import type { AnyFunction } from '../workers/function-ref.ts'
import { Frame } from '../workers/workflow/frame.ts'
import { workflowGuard } from '../workers/workflow/guard.ts'
import { mismatchError } from '../workers/workflow/mismatch.ts'
import { createScope } from '../workers/workflow/scope.ts'
import { defaultLimits } from './limits.ts'
import type { EventView, LogView, ResponseView } from './view.ts'

/** Options of a check. */
export interface CheckReplayOptions {
  /** The codec of the engine that wrote the log. */
  readonly codec?: Codec | undefined
  /** Other functions that the workflow refers to by name only: for their schemas. */
  readonly functions?: readonly AnyFunction[] | undefined
}

/** What a check found: code and log agree. */
export interface ReplayReport {
  /** Events of the log. */
  readonly events: number
  /** Where the code stands after the last of them. */
  readonly end: 'finished' | 'waiting'
}

/**
 * Replays a log, as `handle.log()` gave it, against a workflow; steps and children are answered
 * from the log, and nothing is written. Rejects with `nondeterminism` when the two part, with the
 * version, what was expected, and what the code does.
 */
export async function checkReplay(
  workflow: AnyFunction,
  log: LogView,
  options: CheckReplayOptions = {},
): Promise<ReplayReport> {
  const { codec = defaultCodec, functions = [] } = readOptions(
    options,
    ['codec', 'functions'],
    'checkReplay',
  )
  const definition = requireWorkflow(workflow)
  const { executionId, created, createdAt } = readBeginning(log, definition)
  const known = new Map(functions.map((fn) => [fn.name, findDefinition(fn)]))
  const frame = new Frame({
    executionId,
    created: { ...created, ...storedInput(codec, created) },
    createdAt,
    definition,
    codec,
    deploymentId: created.deploymentId,
    valueBytes: defaultLimits.valueBytes,
    errorDetailBytes: defaultLimits.errorDetailBytes,
    findFunction: (name) => known.get(name),
    wallNow: () => createdAt,
    enter: (entered, run) => workflowGuard.run(createScope(entered, silentLogger), run),
  })
  frame.add(
    log.events.map((event) => storeEvent(codec, event)),
    storeResponses(codec, log.responses),
  )
  const release = workflowGuard.install({ globals: true })
  try {
    await replay(frame)
  } finally {
    release()
  }
  return report(frame, log)
}

/** Turns after which other work of the process gets its turn. */
const turnsPerYield = 200

async function replay(frame: Frame): Promise<void> {
  for (let turns = 1; frame.hasNext(); turns += 1) {
    frame.beginTurn()
    await new Promise<void>((resolve) => systemScheduler.onQuiet(resolve))
    frame.endTurn()
    if (turns % turnsPerYield === 0) {
      await new Promise<void>((resolve) => systemScheduler.soon(resolve))
    }
  }
  frame.checkAtRest()
}

function report(frame: Frame, { events }: LogView): ReplayReport {
  const { executionId } = frame.options
  const fault = frame.fault()
  if (fault?.type === 'mismatch') throw mismatchError(executionId, fault.mismatch)
  if (fault?.type === 'foreign') throw faultError(executionId, fault.reason)
  if (fault !== undefined) throw faultError(executionId, 'the stored input cannot be read')
  const last = events.at(-1)
  if (last !== undefined && isEndedByCode(last) && !frame.isClosed()) {
    const actual = 'has not ended'
    const expected = 'the handler has ended'
    throw mismatchError(executionId, { version: last.version, expected, actual })
  }
  return { events: events.length, end: frame.isClosed() ? 'finished' : 'waiting' }
}

/** Whether the code itself came to this end; a cancelled workflow is ended without it. */
function isEndedByCode(event: EventView): boolean {
  if (event.type !== 'finished') return false
  const { outcome } = event
  return outcome.type !== 'execution_failure' || outcome.kind === 'uncategorized'
}

function faultError(executionId: string, reason: string): SteleError {
  return new SteleError('nondeterminism', `${executionId}: ${reason}`, { fields: { executionId } })
}

function requireWorkflow(workflow: AnyFunction): WorkflowDefinition {
  requireObject(workflow, 'checkReplay.workflow')
  const definition = findDefinition(workflow)
  if (definition?.kind === 'workflow' && definition.handler !== undefined) return definition
  throw invalidOption(
    'checkReplay.workflow',
    'must be what `defineWorkflow` with a handler, or `implement`, gave',
  )
}

interface Beginning {
  readonly executionId: ExecutionId
  readonly created: CreatedEvent
  readonly createdAt: number
}

function readBeginning(log: LogView, { settings }: WorkflowDefinition): Beginning {
  requireObject(log, 'checkReplay.log')
  const first = isLog(log) ? log.events[0] : undefined
  if (first?.type !== 'created') {
    throw invalidOption('checkReplay.log', 'must be what `log()` of a handle gave')
  }
  const { name } = settings.id
  if (first.function.name !== name) {
    throw invalidOption('checkReplay.log', `is of ${first.function.name}, not of ${name}`)
  }
  const { version: _first, createdAt, ...created } = first
  return { executionId: requireExecutionId(log.id), created, createdAt }
}

/** From JSON, it may be anything. */
function isLog({ events, responses }: LogView): boolean {
  return Array.isArray(events) && Array.isArray(responses)
}

function storedInput(codec: Codec, { input }: CreatedEvent): { readonly input?: Json } {
  const stored = codec.encode(input)
  return stored === undefined ? {} : { input: stored }
}

// ── shown → stored ──────────────────────────────────────────────────────────────────────────────

function storeEvent(codec: Codec, { version, createdAt, ...shown }: EventView): LoggedEvent {
  return { version, createdAt, event: encodeFields(codec, shown) }
}

function encodeFields(codec: Codec, shown: Omit<EventView, keyof Place>): ExecutionEvent {
  const fields: Record<string, unknown> = { ...shown }
  for (const key of ['input', 'value']) {
    if (fields[key] !== undefined) fields[key] = codec.encode(fields[key])
  }
  if (isOutcome(fields['outcome'])) fields['outcome'] = storeOutcome(codec, fields['outcome'])
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the same event, values stored
  return fields as unknown as ExecutionEvent
}

interface Place {
  readonly version: Version
  readonly createdAt: number
}

function isOutcome(value: unknown): value is Outcome {
  return typeof value === 'object' && value !== null && 'type' in value
}

function storeOutcome(codec: Codec, outcome: Outcome): StoredOutcome {
  if (outcome.type === 'execution_failure') return outcome
  const value = codec.encode(outcome.value)
  return value === undefined ? { type: outcome.type } : { type: outcome.type, value }
}

function storeResponses(
  codec: Codec,
  responses: readonly ResponseView[],
): readonly ListedResponse[] {
  const ordinals = new Map<JoinSetId, number>()
  return responses.map(({ cursor, createdAt, afterVersion: _after, outcome, ...response }) => {
    const ordinal = (ordinals.get(response.joinSetId) ?? 0) + 1
    ordinals.set(response.joinSetId, ordinal)
    const place = { cursor, createdAt, ordinal, afterVersion: 0 }
    const end = outcome === undefined ? {} : { outcome: storeOutcome(codec, outcome) }
    return { ...place, response: storeMessage(codec, response), ...end }
  })
}

function storeMessage(codec: Codec, response: ExecutionResponse): ExecutionResponse {
  if (response.type !== 'message' || response.payload === undefined) return response
  const payload = codec.encode(response.payload)
  return payload === undefined ? response : { ...response, payload }
}
