/**
 * Values of users ↔ JSON that can be stored. Plain JSON stays as it is, so that the database can
 * be read and queried; everything else goes through devalue under one reserved key.
 */

import * as devalue from 'devalue'
import { SteleError } from './error.ts'
import type { Json, JsonObject } from './json.ts'

/** How values of users become JSON, and JSON such values again. */
export interface Codec {
  /**
   * The stored form; `undefined` stands for `undefined`. Called and stringified in one turn, so a
   * plain value may be returned as it is. Throws when the value cannot be stored.
   */
  readonly encode: (value: unknown) => Json | undefined
  /** The value of a stored form. */
  readonly decode: (stored: Json | undefined) => unknown
}

/** The key under which a value that is not plain JSON is stored, as devalue's text. */
const reservedKey = '$devalue'

/** Nesting up to which a value is taken for plain; deeper or cyclic ones go through devalue. */
const plainDepthMax = 64

/**
 * The default codec: JSON, and beyond it Date, BigInt, Map, Set, undefined, Uint8Array and the
 * other typed arrays, Error, NaN, -0, Infinity, URL, RegExp, cyclic and repeated references.
 */
export const defaultCodec: Codec = {
  encode: (value) => {
    if (value === undefined) return undefined
    if (isPlain(value, 0)) return value
    return { [reservedKey]: devalue.stringify(value, reducers) }
  },
  decode: (stored) => {
    const text = encodedText(stored)
    return text === undefined ? stored : devalue.parse(text, revivers)
  },
}

function encodedText(stored: Json | undefined): string | undefined {
  if (typeof stored !== 'object' || stored === null || Array.isArray(stored)) return undefined
  const text = Object.hasOwn(stored, reservedKey) ? Reflect.get(stored, reservedKey) : undefined
  return typeof text === 'string' ? text : undefined
}

function isPlain(value: unknown, depth: number): value is Json {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return true
    case 'number':
      return Number.isFinite(value) && !Object.is(value, -0)
    case 'object':
      return value === null || isPlainObject(value, depth)
    default:
      return false
  }
}

function isPlainObject(value: object, depth: number): value is JsonObject | readonly Json[] {
  if (depth >= plainDepthMax) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype === Array.prototype) return Array.isArray(value) && isPlainArray(value, depth)
  if (prototype !== Object.prototype) return false
  if (Object.getOwnPropertySymbols(value).length > 0) return false
  for (const key of Object.keys(value)) {
    if (key === reservedKey || key === '__proto__') return false
    if (!isPlain(Reflect.get(value, key), depth + 1)) return false
  }
  return true
}

function isPlainArray(value: readonly unknown[], depth: number): boolean {
  for (let index = 0; index < value.length; index += 1) {
    if (!isPlain(value[index], depth + 1)) return false
  }
  // Named properties of an array would be lost by JSON.
  return Object.keys(value).length === value.length
}

const reducers = {
  Error: (value: unknown) =>
    value instanceof Error ? [value.name, value.message, ownFields(value)] : undefined,
}

const revivers = {
  Error: ([name, message, fields]: [string, string, Record<string, unknown>]) => {
    const error = new (errorClasses[name] ?? Error)(message)
    if (error.name !== name) define(error, 'name', name)
    for (const [key, field] of Object.entries(fields)) define(error, key, field)
    return error
  },
}

const errorClasses: Readonly<Record<string, new (message: string) => Error>> = {
  EvalError,
  RangeError,
  ReferenceError,
  SyntaxError,
  TypeError,
  URIError,
}

/** What an error carries beside name and message; the rest belongs to its class. */
const errorKeys = ['stack', 'cause', 'errors', 'code'] as const

function ownFields(error: Error): Record<string, unknown> {
  const fields: Record<string, unknown> = {}
  for (const key of errorKeys) {
    if (Object.hasOwn(error, key)) fields[key] = Reflect.get(error, key)
  }
  return fields
}

function define(target: object, key: string, value: unknown): void {
  Object.defineProperty(target, key, { value, configurable: true, writable: true })
}

/** What to encode, and how to speak of it. */
export interface EncodeRequest {
  readonly value: unknown
  /** What the value is to its user: `input`, `result`, … Paths in errors begin with it. */
  readonly root: string
  /** Largest allowed size of the stored form, in bytes of UTF-8. */
  readonly valueBytes: number
}

/**
 * Encodes a value, or throws `value_not_storable` with the path of the offending part, or
 * `value_too_large`. Nothing a value does while being read (a getter that throws, a hostile
 * proxy) escapes as anything else.
 */
export function encodeValue(codec: Codec, request: EncodeRequest): Json | undefined {
  const stored = tryEncode(codec, request)
  if (stored === undefined) return undefined
  const bytes = utf8Length(stored)
  if (bytes <= request.valueBytes) return stored
  throw new SteleError(
    'value_too_large',
    `${request.root} takes ${bytes} bytes in stored form; the limit is ${request.valueBytes}. ` +
      'Store the data elsewhere and pass a reference, or raise `limits.valueBytes`.',
    { fields: { path: request.root, bytes, limit: request.valueBytes } },
  )
}

function tryEncode(codec: Codec, request: EncodeRequest): Json | undefined {
  try {
    return codec.encode(request.value)
  } catch (cause) {
    const path = request.root + faultPath(request.value, cause)
    const message = `${path} cannot be stored: ${reasonOf(cause)}.`
    const advice = 'Pass data only, or give the engine a `codec` that knows how to write it.'
    throw new SteleError('value_not_storable', `${message} ${advice}`, { fields: { path }, cause })
  }
}

/** Bytes of UTF-8 that a JSON value takes as text. */
function utf8Length(stored: Json): number {
  return new TextEncoder().encode(JSON.stringify(stored)).length
}

function reasonOf(cause: unknown): string {
  try {
    if (cause instanceof Error) return cause.message.replace(/\.$/, '')
    return String(cause)
  } catch {
    return 'reading it failed'
  }
}

/** Where in the value the codec stumbled: devalue says so; for getters that throw we look. */
function faultPath(value: unknown, cause: unknown): string {
  if (cause instanceof devalue.DevalueError) return cause.path ?? ''
  return findThrowingPath(value, 0) ?? ''
}

function findThrowingPath(value: unknown, depth: number): string | undefined {
  if (typeof value !== 'object' || value === null || depth > plainDepthMax) return undefined
  for (const key of safeKeys(value)) {
    const segment = Array.isArray(value) ? `[${key}]` : `.${key}`
    try {
      const inner = findThrowingPath(Reflect.get(value, key), depth + 1)
      if (inner !== undefined) return segment + inner
    } catch {
      return segment
    }
  }
  return undefined
}

function safeKeys(value: object): readonly string[] {
  try {
    return Object.keys(value)
  } catch {
    return []
  }
}
