/** What goes into a child, when it is due, and what comes back from a member of a join set. */

import { encodeValue } from '../../base/codec.ts'
import { isSteleError, SteleError } from '../../base/error.ts'
import { canonicalJson, copyJson, type Json } from '../../base/json.ts'
import { addDuration, type Instant } from '../../base/time.ts'
import type { ChildRequestEvent, ScheduleIntent } from '../../model/event.ts'
import type { StoredOutcome } from '../../model/outcome.ts'
import type { ListedResponse } from '../../storage/read.ts'
import { findDefinition } from '../definition.ts'
import type { AnyFunction } from '../function-ref.ts'
import { parseWith, type Schema } from '../schema.ts'
import { hashOfInput } from './mismatch.ts'
import type { Recorder } from './recorder.ts'

/** How a member of a join set has ended. */
export function outcomeOf({ response, outcome }: ListedResponse): StoredOutcome {
  if (outcome !== undefined) return outcome
  const isOk = response.type !== 'delay_finished' || response.result === 'ok'
  return isOk ? { type: 'ok' } : { type: 'execution_failure', kind: 'cancelled' }
}

/** The instant that an intent means, when it is asked for at `now`. */
export function dueAt(intent: ScheduleIntent, now: Instant): Instant {
  if (intent.type === 'in') return addDuration(now, intent.in)
  return intent.type === 'at' ? intent.at : now
}

/** An input on its way to a child. */
export interface PreparedInput {
  /** As the code passed it, in stored form. */
  readonly given: Json | undefined
  /** What is executed, as the schema of the function has it; asked for new calls alone. */
  readonly parse: () => ParsedInput
}

/** An input as it is recorded. */
export interface ParsedInput {
  readonly input: Json | undefined
  /** Why the schema refuses it. */
  readonly refusal: string | undefined
  readonly givenHash: number | undefined
}

/** The stored form of an input. Throws what makes it unfit to be stored. */
export function prepareInput(recorder: Recorder, fn: AnyFunction, input: unknown): PreparedInput {
  const { findFunction } = recorder.options
  const definition = findDefinition(fn) ?? findFunction(fn.name)
  const schema = definition?.settings.input
  if (schema === undefined) {
    const given = store(recorder, input)
    return { given, parse: () => ({ input: given, refusal: undefined, givenHash: undefined }) }
  }
  const asked = { schema, value: input, name: fn.name }
  const given = tryStore(recorder, input)
  if (given === undefined) {
    // Only the schema makes something of it that can be stored.
    const parsed = parseInput(recorder, asked)
    return { given: parsed.input, parse: () => parsed }
  }
  return {
    given: given.stored,
    parse: () => {
      const parsed = parseInput(recorder, asked)
      const isSame = canonicalJson(parsed.input) === canonicalJson(given.stored)
      return isSame
        ? parsed
        : { ...parsed, givenHash: hashOfInput(recorder.options.codec, given.stored) }
    },
  }
}

interface AskedInput {
  readonly schema: Schema
  readonly value: unknown
  readonly name: string
}

function parseInput(recorder: Recorder, { schema, value, name }: AskedInput): ParsedInput {
  const givenHash = undefined
  try {
    const root = `input of ${name}`
    const consequence = 'No child was started.'
    const parsed = parseWith({ schema, value, root, code: 'invalid_input', consequence })
    return { input: store(recorder, parsed), refusal: undefined, givenHash }
  } catch (cause) {
    if (!isSteleError(cause, 'invalid_input')) throw cause
    return { input: undefined, refusal: cause.message, givenHash }
  }
}

function store({ options }: Recorder, value: unknown): Json | undefined {
  const { codec, valueBytes } = options
  const stored = encodeValue(codec, { value, root: 'input', valueBytes })
  // A copy: it is written at the end of the turn, and until then the code may change its object.
  return stored === undefined ? undefined : copyJson(stored)
}

/** The stored form, or nothing when there is none without the schema. */
function tryStore(
  recorder: Recorder,
  value: unknown,
): { readonly stored: Json | undefined } | undefined {
  try {
    return { stored: store(recorder, value) }
  } catch {
    return undefined
  }
}

/** The error for an input that was refused, now or when the call was made first. */
export function refusedInput(reason: string): SteleError {
  return new SteleError('invalid_input', reason)
}

/** The field of an event that holds an input. */
export function inputOf(input: Json | undefined): { readonly input?: Json } {
  return input === undefined ? {} : { input }
}

/** The fields of a request that say what became of its input. */
export function requestOf({
  input,
  refusal,
  givenHash,
}: ParsedInput): Pick<ChildRequestEvent, 'input' | 'givenHash' | 'reason' | 'result'> {
  return {
    ...inputOf(input),
    ...(givenHash === undefined ? {} : { givenHash }),
    result: refusal === undefined ? 'ok' : 'invalid_input',
    ...(refusal === undefined ? {} : { reason: refusal }),
  }
}
