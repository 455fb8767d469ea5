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

/** Objects up to which a value is taken for plain: a part used twice is walked twice. */
const plainObjectsMax = 1_000_000

/**
 * The default codec: JSON, and beyond it Date, BigInt, Map, Set, undefined, Uint8Array and the
 * other typed arrays, Error, NaN, -0, Infinity, URL, RegExp, cyclic and repeated references.
 */
export const defaultCodec: Codec = {
  encode: (value) => {
    if (value === undefined) return undefined
    if (isPlain(value, { depth: 0, objects: 0 })) return value
    const text = devalue.stringify(value, reducers, { operations })
    // What is stored must be readable: a class instance that calls itself a URL is not, nor is
    // what nests deeper than the stack reaches.
    devalue.parse(text, revivers)
    return { [reservedKey]: text }
  },
  decode: (stored) => {
    const text = encodedText(stored)
    const value: unknown = text === undefined ? stored : devalue.parse(text, revivers)
    return value
  },
}

function encodedText(stored: Json | undefined): string | undefined {
  if (typeof stored !== 'object' || stored === null || Array.isArray(stored)) return undefined
  if (!Object.hasOwn(stored, reservedKey)) return undefined
  const text: unknown = Reflect.get(stored, reservedKey)
  return typeof text === 'string' ? text : undefined
}

/** How deep the walk is, and how many objects it has met. */
interface Walk {
  depth: number
  objects: number
}

function isPlain(value: unknown, walk: Walk): value is Json {
  if (typeof value === 'object') return value === null || isPlainObject(value, walk)
  if (typeof value === 'number') return Number.isFinite(value) && !Object.is(value, -0)
  return typeof value === 'string' || typeof value === 'boolean'
}

function isPlainObject(value: object, walk: Walk): value is JsonObject | readonly Json[] {
  walk.objects += 1
  if (walk.depth >= plainDepthMax || walk.objects > plainObjectsMax) return false
  // JSON would ask it instead of reading the value.
  if (typeof Reflect.get(value, 'toJSON') === 'function') return false
  const prototype: unknown = Object.getPrototypeOf(value)
  walk.depth += 1
  const plain =
    prototype === Array.prototype
      ? Array.isArray(value) && isPlainArray(value, walk)
      : prototype === Object.prototype && isPlainRecord(value, walk)
  walk.depth -= 1
  return plain
}

function isPlainRecord(value: object, walk: Walk): boolean {
  if (Object.getOwnPropertySymbols(value).length > 0) return false
  for (const key of Object.keys(value)) {
    if (key === reservedKey || key === '__proto__') return false
    if (!isPlain(Reflect.get(value, key), walk)) return false
  }
  return true
}

function isPlainArray(value: readonly unknown[], walk: Walk): boolean {
  for (let index = 0; index < value.length; index += 1) {
    if (!isPlain(value[index], walk)) return false
  }
  return !hasNames(value)
}

/** Whether an array has named properties, as the result of a regular expression has. */
function hasNames(value: readonly unknown[]): boolean {
  const last = Object.keys(value).at(-1)
  return last !== undefined && !(Number(last) < value.length && String(Number(last)) === last)
}

const reducers = {
  Error: (value: unknown) => (value instanceof Error ? fieldsOf(value) : undefined),
  Names: (value: unknown) => {
    if (!Array.isArray(value) || !hasNames(value)) return undefined
    throw new SteleError('value_not_storable', 'The array has named properties; spread it')
  },
}

const revivers = {
  Error: ({ name, message, ...fields }: ErrorParts) => {
    const known = Object.hasOwn(errorClasses, name) ? errorClasses[name] : undefined
    const error = new (known ?? Error)(message)
    if (error.name !== name) define(error, 'name', name)
    for (const [key, field] of Object.entries(fields)) define(error, key, field)
    return error
  },
}

/** Only what a view shows is stored, not all of the buffer it looks into. */
const operations: Pick<devalue.StringifyOperations, 'viewInfo'> = {
  viewInfo: ({ buffer, byteLength, byteOffset }: ArrayBufferView) => {
    const shown = buffer.slice(byteOffset, byteOffset + byteLength)
    return { buffer: shown, byteOffset: 0, byteLength, bufferByteLength: byteLength }
  },
}

/** An error as it is stored. */
interface ErrorParts {
  readonly name: string
  readonly message: string
  readonly [key: string]: unknown
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

function fieldsOf(error: Error): ErrorParts {
  const fields: Record<string, unknown> = {}
  for (const key of errorKeys) {
    if (Object.hasOwn(error, key)) fields[key] = Reflect.get(error, key)
  }
  return { name: error.name, message: error.message, ...fields }
}

/** As the classes of the language define them: hidden, except for `code`, which is Node's. */
function define(target: object, key: string, value: unknown): void {
  const enumerable = key === 'code'
  Object.defineProperty(target, key, { value, enumerable, configurable: true, writable: true })
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
  const { stored, text } = tryEncode(codec, request)
  if (text === undefined) return undefined
  // A code unit takes at most three bytes, so most texts need no counting.
  if (text.length * 3 <= request.valueBytes) return stored
  const bytes = new TextEncoder().encode(text).length
  if (bytes <= request.valueBytes) return stored
  throw new SteleError(
    'value_too_large',
    `${request.root} takes ${bytes} bytes in stored form; the limit is ${request.valueBytes}. ` +
      'Store the data elsewhere and pass a reference, or raise `limits.valueBytes`.',
    { fields: { path: request.root, bytes, limit: request.valueBytes } },
  )
}

/** The stored form and its text. Both are made here, since both read the value. */
interface Encoded {
  readonly stored: Json | undefined
  readonly text: string | undefined
}

function tryEncode(codec: Codec, request: EncodeRequest): Encoded {
  try {
    return encode(codec, request.value)
  } catch (cause) {
    const path = request.root + faultPath(codec, request.value, cause)
    const message = `${path} cannot be stored: ${reasonOf(cause)}.`
    const advice = 'Pass data only, or give the engine a `codec` that knows how to write it.'
    throw new SteleError('value_not_storable', `${message} ${advice}`, { fields: { path }, cause })
  }
}

function encode(codec: Codec, value: unknown): Encoded {
  const stored = codec.encode(value)
  if (isPromise(stored)) throw promiseError(stored)
  const text = stored === undefined ? undefined : jsonText(stored)
  return { stored, text }
}

/** The text of what a codec gave; functions and symbols have none. */
function jsonText(stored: Json): string {
  const text: string | undefined = JSON.stringify(stored)
  if (typeof text === 'string') return text
  throw codecError(`the codec gave a ${typeof stored}, which is not JSON`)
}

/** A promise nobody waits for must not reject unheard. */
function promiseError(promise: unknown): SteleError {
  Promise.resolve(promise).catch(() => undefined)
  return codecError('the codec answers with a promise; it must answer at once')
}

function codecError(problem: string): SteleError {
  return new SteleError('value_not_storable', problem)
}

function isPromise(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'then' in value && isFunction(value.then)
}

function isFunction(value: unknown): boolean {
  return typeof value === 'function'
}

/** Decodes a stored value, or throws `value_unreadable`; `root` says what it is to its user. */
export function decodeValue(codec: Codec, stored: Json | undefined, root: string): unknown {
  try {
    return codec.decode(stored)
  } catch (cause) {
    const message = `The stored ${root} cannot be read: ${reasonOf(cause)}.`
    const advice = 'Give the engine the `codec` that wrote it.'
    throw new SteleError('value_unreadable', `${message} ${advice}`, { fields: { root }, cause })
  }
}

function reasonOf(cause: unknown): string {
  try {
    if (cause instanceof Error) return cause.message.replace(/\.$/, '')
    return String(cause)
  } catch {
    return 'reading it failed'
  }
}

/** Where in the value the codec stumbled: devalue says so; for anything else we look. */
function faultPath(codec: Codec, value: unknown, cause: unknown): string {
  if (cause instanceof devalue.DevalueError) return cause.path ?? ''
  // The end of the stack: no part is at fault, and looking for one would be slow.
  if (cause instanceof RangeError) return ''
  return findFault(codec, value, new Set()) ?? ''
}

/** The path of the innermost part that cannot be encoded by itself; nothing if that is too deep. */
function findFault(codec: Codec, value: unknown, outer: Set<unknown>): string | undefined {
  if (typeof value !== 'object' || value === null || outer.has(value)) return ''
  if (outer.size > plainDepthMax) return undefined
  outer.add(value)
  for (const key of safeKeys(value)) {
    const segment = Array.isArray(value) ? `[${key}]` : segmentOf(key)
    let part: unknown
    try {
      part = Reflect.get(value, key)
      encode(codec, part)
    } catch (cause) {
      const inner =
        cause instanceof devalue.DevalueError ? cause.path : findFault(codec, part, outer)
      return inner === undefined ? undefined : segment + inner
    }
  }
  return ''
}

function segmentOf(key: string): string {
  return /^[\w$]+$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`
}

function safeKeys(value: object): readonly string[] {
  try {
    const keys = Object.keys(value)
    return value instanceof Error ? [...errorKeys, ...keys] : keys
  } catch {
    return []
  }
}
