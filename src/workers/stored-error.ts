/** Anything thrown → data of bounded size. Nothing a thrown value does while being read escapes. */

import type { StoredError } from '../model/outcome.ts'

/** Causes of causes that are kept. */
export const causeDepthMax = 8
/** Parts of an `AggregateError` that are kept. */
export const aggregatePartsMax = 16
/** Errors that are kept of one thrown value, causes and parts together. */
export const errorsKeptMax = 64
/** Length of the sentence that names a failure. */
export const reasonLengthMax = 1_000

/** A thrown value as data. */
export interface Thrown {
  /** One sentence. */
  readonly reason: string
  /** The stack, cut to the limit. */
  readonly detail?: string
  readonly error: StoredError
}

/** Describes what was thrown; no part is longer than `detailBytes` allows. */
export function describeThrown(thrown: unknown, detailBytes: number): Thrown {
  const error = toStoredError(thrown, {
    depth: 0,
    bytes: detailBytes,
    kept: { left: errorsKeptMax },
  })
  const reason = cut(error.message, reasonLengthMax)
  return { reason, ...(error.stack === undefined ? {} : { detail: error.stack }), error }
}

interface Budget {
  readonly depth: number
  readonly bytes: number
  /** Shared by the whole tree: an error may contain itself many times. */
  readonly kept: { left: number }
}

function toStoredError(thrown: unknown, { depth, bytes, kept }: Budget): StoredError {
  kept.left -= 1
  if (typeof thrown !== 'object' || thrown === null) {
    return { name: 'NonError', message: cut(textOf(thrown), bytes) }
  }
  const inner = { depth: depth + 1, bytes: Math.floor(bytes / 2), kept }
  const stack = read(thrown, 'stack')
  const code = read(thrown, 'code')
  return {
    name: cut(stringOr(read(thrown, 'name'), 'Error'), reasonLengthMax),
    message: cut(stringOr(read(thrown, 'message'), textOf(thrown)), bytes),
    ...codeOf(code),
    ...(typeof stack === 'string' ? { stack: cut(stack, bytes) } : {}),
    ...(depth < causeDepthMax ? { ...causeOf(thrown, inner), ...partsOf(thrown, inner) } : {}),
  }
}

function causeOf(thrown: object, budget: Budget): { readonly cause?: StoredError } {
  const cause = budget.kept.left > 0 ? read(thrown, 'cause') : undefined
  return cause === undefined ? {} : { cause: toStoredError(cause, budget) }
}

function partsOf(thrown: object, budget: Budget): { readonly errors?: readonly StoredError[] } {
  const share = { ...budget, bytes: Math.floor(budget.bytes / aggregatePartsMax) }
  const parts: StoredError[] = []
  try {
    const errors = read(thrown, 'errors')
    if (!Array.isArray(errors)) return {}
    const count = Math.min(errors.length, aggregatePartsMax)
    for (let index = 0; index < count && budget.kept.left > 0; index += 1) {
      parts.push(toStoredError(errors[index], share))
    }
    return { errors: parts }
  } catch {
    // A proxy: what could be read is kept.
    return parts.length === 0 ? {} : { errors: parts }
  }
}

function read(thrown: object, key: string): unknown {
  try {
    return Reflect.get(thrown, key)
  } catch {
    return undefined
  }
}

function stringOr(value: unknown, otherwise: string): string {
  return typeof value === 'string' ? value : otherwise
}

function textOf(value: unknown): string {
  try {
    if (typeof value === 'object') return JSON.stringify(value) ?? 'an object'
    // oxlint-disable-next-line typescript/no-base-to-string -- objects went the other way
    return String(value)
  } catch {
    return 'a value that cannot be shown'
  }
}

/** A code that can be stored: Node's texts, and numbers that JSON knows. */
function codeOf(code: unknown): { readonly code?: string | number } {
  if (typeof code === 'string') return { code: cut(code, reasonLengthMax) }
  return typeof code === 'number' && Number.isFinite(code) ? { code } : {}
}

/** The text, or as much of it as takes `bytes` at most in UTF-8, and a marker. */
function cut(text: string, bytes: number): string {
  // A code unit takes at most three bytes, so most texts need no counting.
  if (text.length * 3 <= bytes) return text
  const encoded = new TextEncoder().encode(text)
  if (encoded.length <= bytes) return text
  const kept = new TextDecoder().decode(encoded.subarray(0, Math.max(0, bytes)))
  return `${kept.replace(/\uFFFD$/, '')}… [cut, ${encoded.length} bytes in all]`
}

/** The error that a stored one describes: name, message, code, stack and cause chain. */
export function reviveError(stored: StoredError): Error {
  const cause = stored.cause === undefined ? undefined : reviveError(stored.cause)
  const options = cause === undefined ? undefined : { cause }
  const error =
    stored.errors === undefined
      ? new Error(stored.message, options)
      : new AggregateError(stored.errors.map(reviveError), stored.message, options)
  const { name, stack, code } = stored
  for (const [key, value] of Object.entries({ name, stack, code })) {
    if (value === undefined) continue
    Object.defineProperty(error, key, { value, configurable: true, writable: true })
  }
  return error
}
