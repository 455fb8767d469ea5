/** The client half of an engine: submit, find, list, complete. Needs no executor to be running. */

import { defaultCodec, encodeValue } from '../base/codec.ts'
import { SteleError } from '../base/error.ts'
import { copyJson } from '../base/json.ts'
import {
  invalidOption,
  readOptions,
  requireBoolean,
  requireInteger,
  requireObject,
  requireOneOf,
  requireText,
} from '../base/options.ts'
import { type Instant, parseInstant } from '../base/time.ts'
import { requireExecutionId } from '../model/ids.ts'
import {
  type ExecutionFailure,
  failureKinds,
  type Outcome,
  type StoredOutcome,
} from '../model/outcome.ts'
import { type ExecutionStatus, executionStatuses } from '../model/state.ts'
import type { CreateRequest } from '../storage/create.ts'
import type { ListCursor } from '../storage/list.ts'
import type { SourceText } from '../storage/sources.ts'
import { findDefinition } from '../workers/definition.ts'
import {
  type AnyFunction,
  type Args,
  type FailureOf,
  type InputOf,
  isFunctionRef,
  type OutputOf,
  requireFunctionRef,
} from '../workers/function-ref.ts'
import type { ClientContext } from './client-context.ts'
import { createDelayHandle, type DelayHandle } from './delay.ts'
import { createHandle, type Handle, type WorkflowHandle } from './handle.ts'
import { notFoundError, refusalError } from './refusal-error.ts'
import {
  prepareSubmission,
  requireSameSubmission,
  type SubmitManyOptions,
  type SubmitOptions,
  sharedOptions,
} from './submit.ts'
import { type ListItem, viewListed } from './view.ts'

/** The handle of a function's executions. */
export type HandleOf<F extends AnyFunction> = F extends {
  readonly '~messages': (messages: infer Messages) => void
}
  ? WorkflowHandle<OutputOf<F>, FailureOf<F>, Messages>
  : Handle<OutputOf<F>, FailureOf<F>>

/** Which executions to list; everything given must hold. */
export interface ListQuery {
  /** Of this function, or of functions of this name. */
  readonly function?: AnyFunction | string | undefined
  /** In this state. */
  readonly status?: ExecutionStatus | undefined
  /** Paused, or not. */
  readonly paused?: boolean | undefined
  /** How finished ones ended. */
  readonly outcome?: Outcome['type'] | undefined
  /** Whose ids begin so. */
  readonly idPrefix?: string | undefined
  /** Created at or after. */
  readonly createdFrom?: Date | number | undefined
  /** Created before. */
  readonly createdBefore?: Date | number | undefined
  /** Children too. Default false. */
  readonly children?: boolean | undefined
}

/** Which part of a list. */
export interface PageQuery {
  /** At most this many, up to `limits.listPage`. Default 20. */
  readonly limit?: number | undefined
  /** `next` of the page before. */
  readonly after?: string | undefined
}

/** A page, newest first. */
export interface ListPage {
  /** As many as asked for, or what there is. */
  readonly items: readonly ListItem[]
  /** Pass as `after` to go on; absent on the last page. */
  readonly next?: string
}

/** Submits and finds executions. */
export interface Client {
  /**
   * Creates an execution; resolves when it is durable. With an `id` it is idempotent: the same
   * function and input give the same execution, anything else `execution_id_conflict`.
   */
  readonly submit: <F extends AnyFunction>(
    fn: F,
    ...args: Args<InputOf<F>, SubmitOptions>
  ) => Promise<HandleOf<F>>
  /**
   * Creates many, in transactions of up to 500. Ids that exist with the same input are fine; one
   * that exists with another rejects, after all others have been created.
   */
  readonly submitMany: <F extends AnyFunction>(
    fn: F,
    inputs: readonly InputOf<F>[],
    options?: SubmitManyOptions,
  ) => Promise<HandleOf<F>[]>
  /** A handle for an existing execution. Rejects with `execution_not_found`. */
  readonly get: <F extends AnyFunction = AnyFunction>(id: string, fn?: F) => Promise<HandleOf<F>>
  /** A page of executions, newest first. */
  readonly list: (query?: ListQuery, page?: PageQuery) => Promise<ListPage>
  /**
   * The text of a source file, by the `source.hash` of an event: as it was when the call was made.
   * `undefined` when it was not kept.
   */
  readonly source: (hash: string) => Promise<SourceText | undefined>
  /** A handle for a delay, by the id that the workflow or its log gave. */
  readonly delay: (id: string) => DelayHandle
  /** Ends a stub with an outcome, idempotently. */
  readonly complete: <F extends AnyFunction = AnyFunction>(
    id: string,
    outcome: Outcome<OutputOf<F>, FailureOf<F>>,
    fn?: F,
  ) => Promise<void>
}

/** Executions that one transaction of `submitMany` creates: keeps the event loop free. */
export const submitBatch = 500
/** Lines of a page when nothing else is said. */
const defaultPage = 20

/** The client of an engine. */
export function createClient(context: ClientContext): Client {
  return {
    submit: async (fn, ...args) => {
      const [input, options = {}] = args
      const request = prepareSubmission(context, fn, { input, options })
      const created = await context.storage.create(request)
      if (!created.ok) await requireSameSubmission(context, request)
      return handleFor(context, request.executionId, fn)
    },
    submitMany: async (fn, inputs, options = {}) => {
      const { ids, ...shared } = readOptions(options, ['ids', ...sharedOptions], 'submitMany')
      if (!Array.isArray(inputs)) throw invalidOption('submitMany.inputs', 'must be an array')
      if (ids !== undefined) requireIds(ids, inputs.length)
      // From, not map: a hole among the inputs is an input that is undefined.
      const requests = Array.from(inputs, (input, index) =>
        prepareSubmission(context, fn, { input, options: { ...shared, id: ids?.[index] } }),
      )
      await createInBatches(context, requests)
      return requests.map(({ executionId }) => handleFor(context, executionId, fn))
    },
    get: async (id, fn) => {
      context.requireOpen()
      const executionId = requireExecutionId(id)
      if (fn !== undefined) requireFunctionRef(fn)
      const state = await context.storage.findState(executionId)
      if (state === undefined) throw notFoundError(executionId)
      if (fn !== undefined) requireSameFunction(fn, state.function.name, executionId)
      return handleFor(context, executionId, fn)
    },
    list: (query = {}, page = {}) => listPage(context, query, page),
    source: async (hash) => {
      context.requireOpen()
      return context.storage.findSource(requireText(hash, 'source.hash'))
    },
    delay: (id) => createDelayHandle(context, id),
    complete: async (id, outcome, fn) => {
      await completeStub(context, { id, outcome, fn })
    },
  }
}

/** The one place where a handle is given the types of its function. */
function handleFor<F extends AnyFunction>(
  context: ClientContext,
  id: Parameters<typeof createHandle>[1],
  fn: F | undefined,
): HandleOf<F> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the function names its output
  return createHandle(context, id, fn) as unknown as HandleOf<F>
}

/** Ids that are missing would be made up, and the next submission would create all of it again. */
function requireIds(ids: readonly unknown[], count: number): void {
  if (!Array.isArray(ids) || ids.length !== count) {
    throw invalidOption('submitMany.ids', `must be an array of ${count}, one for each input`)
  }
  const index = ids.findIndex((id) => id === undefined)
  if (index >= 0) throw invalidOption(`submitMany.ids[${index}]`, 'is missing; give one for each')
}

async function createInBatches(
  context: ClientContext,
  requests: readonly CreateRequest[],
): Promise<void> {
  const taken: CreateRequest[] = []
  for (let start = 0; start < requests.length; start += submitBatch) {
    const batch = requests.slice(start, start + submitBatch)
    const results = await context.storage.createMany(batch)
    taken.push(...batch.filter((_, index) => results[index]?.ok === false))
  }
  // All that can be created is there before a conflict is told.
  for (const request of taken) await requireSameSubmission(context, request)
}

function requireSameFunction(fn: AnyFunction, name: string, executionId: string): void {
  if (requireFunctionRef(fn).name === name) return
  throw new SteleError(
    'unknown_function',
    `${executionId} is an execution of ${name}, not of ${fn.name}. Ask with the right function.`,
    { fields: { executionId, expected: fn.name, found: name } },
  )
}

const knownFilters = [
  'function',
  'status',
  'paused',
  'outcome',
  'idPrefix',
  'createdFrom',
  'createdBefore',
  'children',
]

async function listPage(
  context: ClientContext,
  query: ListQuery,
  page: PageQuery,
): Promise<ListPage> {
  context.requireOpen()
  const { function: fn, createdFrom, createdBefore, ...rest } = readFilter(query)
  const { limit: given = defaultPage, after } = readOptions(page, ['limit', 'after'], 'list page')
  const asked = requireInteger(given, 'list.limit', { min: 1, max: Number.MAX_SAFE_INTEGER })
  const limit = Math.min(asked, context.limits.listPage)
  const { items, next } = await context.storage.listExecutions({
    filter: {
      ...rest,
      ...(fn === undefined ? {} : { functionName: nameOf(fn) }),
      createdFrom: optionalInstant(createdFrom),
      createdBefore: optionalInstant(createdBefore),
    },
    after: after === undefined ? undefined : parseCursor(after),
    limit,
  })
  const shown = items.map(viewListed)
  if (next === undefined) return { items: shown }
  return { items: shown, next: `${next.createdAt}:${next.executionId}` }
}

function readFilter(query: ListQuery): ListQuery {
  const filter = readOptions(query, knownFilters, 'list')
  const { status, outcome, paused, children, idPrefix } = filter
  if (status !== undefined) requireOneOf(status, 'list.status', executionStatuses)
  if (outcome !== undefined) requireOneOf(outcome, 'list.outcome', outcomeTypes)
  if (paused !== undefined) requireBoolean(paused, 'list.paused')
  if (children !== undefined) requireBoolean(children, 'list.children')
  if (idPrefix !== undefined) requireText(idPrefix, 'list.idPrefix')
  return filter
}

/** A filter that says nothing would list everything. */
function nameOf(fn: AnyFunction | string): string {
  if (typeof fn === 'string') return fn
  if (isFunctionRef(fn)) return requireFunctionRef(fn).name
  throw invalidOption('list.function', 'must be a function of Stele, or the name of one')
}

function optionalInstant(instant: Date | number | undefined): Instant | undefined {
  return instant === undefined ? undefined : parseInstant(instant)
}

function parseCursor(text: string): ListCursor {
  const [, createdAt, executionId] = /^(\d+):(.+)$/.exec(requireText(text, 'list.after')) ?? []
  if (createdAt === undefined || executionId === undefined) {
    throw invalidOption('list.after', 'must be the `next` of a page')
  }
  return { createdAt: Number(createdAt), executionId }
}

interface Completion {
  readonly id: string
  readonly outcome: Outcome
  readonly fn: AnyFunction | undefined
}

async function completeStub(context: ClientContext, completion: Completion): Promise<void> {
  context.requireOpen()
  const executionId = requireExecutionId(completion.id)
  const state = await context.storage.findState(executionId)
  if (state === undefined) throw notFoundError(executionId)
  const { name, kind } = state.function
  if (completion.fn !== undefined) requireSameFunction(completion.fn, name, executionId)
  const own = completion.fn === undefined ? undefined : findDefinition(completion.fn)
  const definitions = [own, context.definitions.get(name)]
  if (kind !== 'activity' || definitions.some((known) => known?.handler !== undefined)) {
    throw new SteleError(
      'illegal_state',
      `${executionId} cannot be completed from outside: ${name} is not a stub. Let it run.`,
      { fields: { executionId, functionName: name } },
    )
  }
  const outcome = storeOutcome(context, completion.outcome)
  const createdAt = context.clock.now()
  const completed = await context.storage.complete({ executionId, createdAt, outcome })
  if (!completed.ok) throw refusalError(completed.error, executionId, 'complete')
}

function storeOutcome(context: ClientContext, outcome: Outcome): StoredOutcome {
  const { codec, limits } = context
  requireObject(outcome, 'complete.outcome')
  requireOneOf(outcome.type, 'complete.outcome.type', outcomeTypes)
  if (outcome.type === 'execution_failure') return storeFailure(context, outcome)
  const { valueBytes } = limits
  const value = encodeValue(codec, { value: outcome.value, root: 'outcome.value', valueBytes })
  return value === undefined
    ? { type: outcome.type }
    : { type: outcome.type, value: copyJson(value) }
}

const outcomeTypes = ['ok', 'err', 'execution_failure'] as const

function storeFailure(
  context: ClientContext,
  { kind, reason, detail }: ExecutionFailure,
): ExecutionFailure {
  return {
    type: 'execution_failure',
    kind: requireOneOf(kind, 'complete.outcome.kind', failureKinds),
    ...(reason === undefined ? {} : { reason: boundedText(context, reason, 'reason') }),
    ...(detail === undefined ? {} : { detail: boundedText(context, detail, 'detail') }),
  }
}

/** Texts of a failure are stored as they are, and are no longer than values. */
function boundedText(context: ClientContext, given: unknown, name: string): string {
  const root = `complete.outcome.${name}`
  const value = requireText(given, root)
  encodeValue(defaultCodec, { value, root, valueBytes: context.limits.valueBytes })
  return value
}
