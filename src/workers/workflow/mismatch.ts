/** Whether a call is the one that the log records, and how to tell a person when it is not. */

import { isDeepStrictEqual } from 'node:util'
import { unreachable } from '../../base/assert.ts'
import type { Codec } from '../../base/codec.ts'
import { SteleError } from '../../base/error.ts'
import { hashText } from '../../base/hash.ts'
import { canonicalJson, type Json } from '../../base/json.ts'
import type { HistoryEvent, ScheduleIntent, Version } from '../../model/event.ts'

/** What user code does by calling: the part of its history that is matched in order. */
export type CallHistoryEvent = Extract<
  HistoryEvent,
  {
    readonly type:
      | 'join_set_create'
      | 'join_set_request'
      | 'join_next'
      | 'join_next_try'
      | 'join_next_too_many'
      | 'join_next_withdraw'
      | 'schedule'
  }
>

/** Where code and log part. */
export interface Mismatch {
  /** Version of the first event that the code does not repeat. */
  readonly version: Version
  /** What the log says, for people. */
  readonly expected: string
  /** What the code did instead, for people. */
  readonly actual: string
}

/** Whether two events record the same call. What was only measured is not compared. */
export function isSameCall(
  codec: Codec,
  recorded: CallHistoryEvent,
  actual: CallHistoryEvent,
): boolean {
  if (recorded.seq !== actual.seq || recorded.type !== actual.type) return false
  if (recorded.type === 'schedule') {
    return actual.type === 'schedule' && isSameSchedule(codec, recorded, actual)
  }
  if (!('joinSetId' in actual) || actual.joinSetId !== recorded.joinSetId) return false
  if (recorded.type === 'join_set_request') {
    return actual.type === recorded.type && isSameRequest(codec, recorded, actual)
  }
  return recorded.type !== 'join_next' || isSameAsk(recorded, actual)
}

type AskEvent = Extract<CallHistoryEvent, { readonly type: 'join_next' }>

function isSameAsk(recorded: AskEvent, actual: CallHistoryEvent): boolean {
  return (
    actual.type === 'join_next' &&
    actual.closing === recorded.closing &&
    actual.requestedFunction === recorded.requestedFunction
  )
}

type ScheduleCall = Extract<CallHistoryEvent, { readonly type: 'schedule' }>

function isSameSchedule(codec: Codec, recorded: ScheduleCall, actual: ScheduleCall): boolean {
  return (
    actual.executionId === recorded.executionId &&
    isSameIntent(actual.intent, recorded.intent) &&
    isSameTarget(codec, recorded, actual)
  )
}

type RequestEvent = Extract<CallHistoryEvent, { readonly type: 'join_set_request' }>

function isSameRequest(codec: Codec, recorded: RequestEvent, actual: RequestEvent): boolean {
  if (recorded.kind === 'delay') {
    return (
      actual.kind === 'delay' &&
      actual.delayId === recorded.delayId &&
      isSameIntent(actual.intent, recorded.intent)
    )
  }
  return (
    actual.kind === 'child' &&
    actual.childExecutionId === recorded.childExecutionId &&
    isSameTarget(codec, recorded, actual)
  )
}

/** What is called, and with what. */
interface Target {
  readonly function: { readonly kind: string; readonly name: string }
  /** Recorded: what is executed. Of a new call: what the code passed. */
  readonly input?: Json
  readonly givenHash?: number
  readonly result: string
}

/** The version of the function is not compared: callees change without their callers. */
function isSameTarget(codec: Codec, recorded: Target, actual: Target): boolean {
  return (
    recorded.function.kind === actual.function.kind &&
    recorded.function.name === actual.function.name &&
    isSameInput(codec, recorded, actual)
  )
}

/** What the code passes is compared with what it passed then, not with what a schema made of it. */
function isSameInput(codec: Codec, recorded: Target, actual: Target): boolean {
  const { givenHash, input, result } = recorded
  if (givenHash !== undefined) return givenHash === hashOfInput(codec, actual.input)
  // Refused, and in a form that cannot be stored: nothing is left to compare.
  return result === 'invalid_input' || isSameValue(codec, input, actual.input)
}

/** The hash of an input as the code passed it; the stacks of errors are left out. */
export function hashOfInput(codec: Codec, input: Json | undefined): number {
  return hashText(canonicalJson(withoutStacks(codec, input)))
}

function withoutStacks(codec: Codec, stored: Json | undefined): Json | undefined {
  try {
    const value = codec.decode(stored)
    return clearStacks(value, new Set()) ? codec.encode(value) : stored
  } catch {
    return stored
  }
}

/** Clears the stacks of all errors within a value that is nobody else's; false: it has none. */
function clearStacks(value: unknown, seen: Set<unknown>): boolean {
  if (typeof value !== 'object' || value === null || seen.has(value)) return false
  seen.add(value)
  const isError = value instanceof Error
  if (isError) value.stack = ''
  const parts: readonly unknown[] =
    value instanceof Map
      ? [...value.keys(), ...value.values()]
      : value instanceof Set
        ? [...value]
        : Object.values(value)
  const cleared = [...parts, ...(isError ? [value.cause] : [])].map((part) =>
    clearStacks(part, seen),
  )
  return isError || cleared.includes(true)
}

/** Whether two stored values say the same; the stack of an error differs with every replay. */
function isSameValue(codec: Codec, recorded: Json | undefined, actual: Json | undefined): boolean {
  if (canonicalJson(recorded) === canonicalJson(actual)) return true
  try {
    return isDeepStrictEqual(codec.decode(recorded), codec.decode(actual))
  } catch {
    return false
  }
}

function isSameIntent(left: ScheduleIntent, right: ScheduleIntent): boolean {
  if (left.type === 'in') return right.type === 'in' && left.in === right.in
  if (left.type === 'at') return right.type === 'at' && left.at === right.at
  return right.type === 'now'
}

/** Longest part of an input that is shown. */
const shownInputMax = 200

/** A recorded or attempted call, for people. */
export function describeCall(event: CallHistoryEvent): string {
  const place = `call ${event.seq}`
  switch (event.type) {
    case 'join_set_create':
      return `${place} opens join set ${event.joinSetId}`
    case 'join_set_request':
      return event.kind === 'child'
        ? `${place} runs ${describeTarget(event)} as ${event.childExecutionId}`
        : `${place} starts delay ${event.delayId} (${describeIntent(event.intent)})`
    case 'join_next':
      return `${place} ${event.closing ? 'closes' : 'awaits'} ${event.joinSetId}`
    case 'join_next_try':
      return `${place} looks into ${event.joinSetId}`
    case 'join_next_too_many':
      return `${place} awaits ${event.joinSetId}, of which nothing is open`
    case 'join_next_withdraw':
      return `${place} gives up awaiting ${event.joinSetId}`
    case 'schedule':
      return `${place} schedules ${describeTarget(event)} (${describeIntent(event.intent)})`
    default:
      return unreachable(event)
  }
}

function describeTarget(target: Target): string {
  const input = canonicalJson(target.input)
  const shown = input.length > shownInputMax ? `${input.slice(0, shownInputMax)}…` : input
  return `${target.function.kind} ${target.function.name}(${shown})`
}

function describeIntent(intent: ScheduleIntent): string {
  if (intent.type === 'in') return `in ${intent.in} ms`
  return intent.type === 'at' ? `at ${intent.at}` : 'at once'
}

/** Where code and log part, as a sentence without its full stop. */
export function describeParting({ version, expected, actual }: Mismatch): string {
  return (
    `the code does not do what the log says at version ${version}: ` +
    `expected ${expected}; the code: ${actual}`
  )
}

/** The same for a person who has to repair it. */
export function describeMismatch(mismatch: Mismatch): string {
  const parting = describeParting(mismatch)
  return (
    `${parting.slice(0, 1).toUpperCase()}${parting.slice(1)}. ` +
    'Restore the order of calls, or keep the old side behind `patched`; then unpause.'
  )
}

/** The error for a mismatch. */
export function mismatchError(executionId: string, mismatch: Mismatch): SteleError {
  return new SteleError('nondeterminism', `${executionId}: ${describeMismatch(mismatch)}`, {
    fields: { executionId, ...mismatch },
  })
}
