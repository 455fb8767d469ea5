/** Submitting: everything is checked and written out before anything is stored. */

import { type Codec, encodeValue } from '../base/codec.ts'
import { SteleError } from '../base/error.ts'
import { canonicalJson, type Json } from '../base/json.ts'
import { invalidOption, readObject, readOptions, requireBoolean } from '../base/options.ts'
import {
  addDuration,
  type Duration,
  type Instant,
  parseDuration,
  parseInstant,
} from '../base/time.ts'
import type { CreatedEvent } from '../model/event.ts'
import { type ExecutionId, newExecutionId, requireNewExecutionId } from '../model/ids.ts'
import type { CreateRequest } from '../storage/create.ts'
import { findDefinition } from '../workers/definition.ts'
import { type AnyFunction, requireFunctionRef } from '../workers/function-ref.ts'
import { parseWith } from '../workers/schema.ts'
import type { ClientContext } from './client-context.ts'

/** Options of a submission. */
export interface SubmitOptions {
  /** The execution's id; submitting it again with the same input gives the same execution. */
  readonly id?: string | undefined
  /** Not before this instant. */
  readonly scheduledAt?: Date | number | undefined
  /** Not before this time has passed. */
  readonly delay?: Duration | undefined
  /** Created paused: nothing happens before `unpause`. */
  readonly paused?: boolean | undefined
  /** Texts that travel with the execution. */
  readonly metadata?: Readonly<Record<string, string>> | undefined
}

/** Options of a submission of many: ids, if given, one for each input. */
export interface SubmitManyOptions extends Omit<SubmitOptions, 'id'> {
  /** Ids of the executions, in the order of the inputs. */
  readonly ids?: readonly string[] | undefined
}

/** Options that one submission and many have in common. */
export const sharedOptions = ['scheduledAt', 'delay', 'paused', 'metadata'] as const

/** Makes the request to create an execution. Throws typed errors; writes nothing. */
export function prepareSubmission(
  context: ClientContext,
  fn: AnyFunction,
  submission: { readonly input: unknown; readonly options: SubmitOptions },
): CreateRequest {
  context.requireOpen()
  const id = requireFunctionRef(fn)
  const options = readOptions(submission.options, ['id', ...sharedOptions], 'submit')
  const { paused } = options
  if (paused !== undefined) requireBoolean(paused, 'submit.paused')
  const now = context.clock.now()
  const stored = storeInput(context, fn, submission.input)
  const event: CreatedEvent = {
    type: 'created',
    function: id,
    ...(stored === undefined ? {} : { input: stored }),
    scheduledAt: scheduleOf(options, now),
    deploymentId: context.deploymentId,
    ...metadataOf(context, options),
  }
  return { executionId: idOf(context, options), createdAt: now, event, paused }
}

/** Whether the execution that has the id already is the one that was asked for. */
export async function requireSameSubmission(
  { storage, codec }: ClientContext,
  { executionId, event }: CreateRequest,
): Promise<void> {
  const existing = await storage.findEvent(executionId, 0)
  const created = existing?.event
  if (created?.type === 'created' && isSame(codec, created, event)) return
  throw new SteleError(
    'execution_id_conflict',
    `${executionId} exists already with another function or input. ` +
      'Submit under another id; the existing execution is untouched.',
    { fields: { executionId } },
  )
}

function isSame(codec: Codec, left: CreatedEvent, right: CreatedEvent): boolean {
  return (
    left.function.kind === right.function.kind &&
    left.function.name === right.function.name &&
    (canonicalJson(left.input) === canonicalJson(right.input) ||
      sortedInput(codec, left) === sortedInput(codec, right))
  )
}

/** Plain JSON is sorted as it is; what only the codec can read is read, sorted and written. */
function sortedInput(codec: Codec, { input }: CreatedEvent): string {
  try {
    return canonicalJson(codec.encode(sortKeys(codec.decode(input), new Map())))
  } catch {
    return canonicalJson(input)
  }
}

/** A copy whose plain objects have their keys in order; `copies` keeps cycles finite. */
function sortKeys(value: unknown, copies: Map<object, unknown>): unknown {
  if (typeof value !== 'object' || value === null) return value
  const known = copies.get(value)
  if (known !== undefined) return known
  if (Array.isArray(value)) {
    const copy: unknown[] = []
    copies.set(value, copy)
    for (const part of value) copy.push(sortKeys(part, copies))
    return copy
  }
  if (value instanceof Map) {
    const copy = new Map<unknown, unknown>()
    copies.set(value, copy)
    for (const [key, part] of value) copy.set(key, sortKeys(part, copies))
    return copy
  }
  if (Object.getPrototypeOf(value) !== Object.prototype) return value
  const copy: Record<string, unknown> = {}
  copies.set(value, copy)
  for (const key of Object.keys(value).toSorted()) {
    copy[key] = sortKeys(Reflect.get(value, key), copies)
  }
  return copy
}

function storeInput(context: ClientContext, fn: AnyFunction, input: unknown): Json | undefined {
  const definition = findDefinition(fn) ?? context.definitions.get(fn.name)
  const value = parseWith({
    schema: definition?.settings.input,
    value: input,
    root: `input of ${fn.name}`,
    code: 'invalid_input',
    consequence: 'Nothing was written.',
  })
  const { valueBytes } = context.limits
  return encodeValue(context.codec, { value, root: 'input', valueBytes })
}

function scheduleOf({ scheduledAt, delay }: SubmitOptions, now: Instant): Instant {
  if (scheduledAt !== undefined && delay !== undefined) {
    throw invalidOption('submit.delay', 'and submit.scheduledAt exclude each other; give one')
  }
  if (scheduledAt !== undefined) return parseInstant(scheduledAt)
  return delay === undefined ? now : addDuration(now, parseDuration(delay))
}

function metadataOf(
  { codec, limits }: ClientContext,
  { metadata: given }: SubmitOptions,
): Pick<CreatedEvent, 'metadata'> {
  if (given === undefined) return {}
  const metadata = readObject(given, 'submit.metadata')
  for (const [key, value] of Object.entries(metadata)) {
    if (typeof value !== 'string') throw invalidOption(`submit.metadata.${key}`, 'must be a text')
  }
  encodeValue(codec, { value: metadata, root: 'metadata', valueBytes: limits.valueBytes })
  return { metadata }
}

function idOf(context: ClientContext, { id }: SubmitOptions): ExecutionId {
  return id === undefined ? newExecutionId(context.mintUlid()) : requireNewExecutionId(id)
}
