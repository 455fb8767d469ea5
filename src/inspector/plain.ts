/**
 * Any value → plain JSON for somebody to look at. Never throws, ends for every value, and is
 * bounded: what does not fit is replaced by a text that says so. Not for storing: see the codec.
 */

import type { Json } from '../base/json.ts'
import { readMember } from '../base/options.ts'

/** How much is shown, and what actors are called. */
export interface PlainOptions {
  /** Most characters of JSON; what is beyond is cut, with a marker. Default: all of it. */
  readonly charsMax?: number | undefined
  /** The name of an actor that is part of a value. Default: its own id. */
  readonly nameOfActor?: ((actor: object) => string) | undefined
}

/** Levels of nesting that are shown; deeper ones would end in the stack of whoever reads them. */
const depthMax = 200

/** What stands where there was no more room. */
export const cutMark = '[cut: too large to show]'
const deepMark = '[cut: too deep to show]'
const circleMark = '[circular]'

/** The value as JSON; `undefined` where JSON has nothing for it. */
export function plainOf(value: unknown, options: PlainOptions = {}): Json | undefined {
  const { charsMax = Number.POSITIVE_INFINITY, nameOfActor = ownName } = options
  return show(value, { room: charsMax, nameOfActor, above: new Set() })
}

/** Whether a value is an actor of XState, ours or another copy's. */
export function isActor(value: object): boolean {
  return (
    typeof readMember(value, 'sessionId') === 'string' &&
    typeof readMember(value, 'getSnapshot') === 'function'
  )
}

interface Showing {
  /** Characters that are left. */
  room: number
  readonly nameOfActor: (actor: object) => string
  /** The objects that the present one is part of. */
  readonly above: Set<object>
}

function ownName(actor: object): string {
  return String(readMember(actor, 'id'))
}

function show(value: unknown, showing: Showing): Json | undefined {
  if (value === undefined || value === null || typeof value === 'boolean') return value
  if (typeof value === 'string') return showText(value, showing)
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value)
  return typeof value === 'object' ? showObject(value, showing) : showRare(value, showing)
}

function showRare(value: unknown, showing: Showing): Json {
  if (typeof value === 'bigint') return showText(`${value}n`, showing)
  if (typeof value === 'symbol') return showText(value.toString(), showing)
  return { type: showText(String(readMember(value, 'name')), showing) }
}

function showText(text: string, showing: Showing): string {
  // Of a text that is far too long, not even the length in JSON is asked.
  const length = text.length > showing.room ? text.length : JSON.stringify(text).length
  if (length <= showing.room) {
    showing.room -= length
    return text
  }
  const kept = Math.max(0, Math.min(text.length, Math.floor(showing.room / 2)))
  showing.room = 0
  return `${text.slice(0, kept)}…${cutMark}`
}

function showObject(value: object, showing: Showing): Json {
  if (showing.room <= 0) return cutMark
  if (showing.above.has(value)) return circleMark
  if (showing.above.size >= depthMax) return deepMark
  showing.above.add(value)
  try {
    return showParts(value, showing)
  } catch (cause) {
    return `[throws: ${String(readMember(cause, 'message'))}]`
  } finally {
    showing.above.delete(value)
  }
}

function showParts(value: object, showing: Showing): Json {
  showing.room -= 2
  if (isArrayLike(value)) return showList(value, showing)
  if (isActor(value)) return { xstate$$type: 1, id: showing.nameOfActor(value) }
  const text = textOfObject(value)
  if (text !== undefined) return showText(text, showing)
  if (value instanceof Error) return showError(value, showing)
  const toJSON: unknown = Reflect.get(value, 'toJSON')
  if (typeof toJSON !== 'function') return showFields(value, showing)
  const own: unknown = Reflect.apply(toJSON, value, [])
  return show(own, showing) ?? null
}

/** Maps are shown as their entries, sets as their members. */
function isArrayLike(value: object): value is Iterable<unknown> & object {
  return Array.isArray(value) || value instanceof Map || value instanceof Set
}

/** Objects that a text says more of than their fields. */
function textOfObject(value: object): string | undefined {
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer)
    return `[${value.byteLength} bytes]`
  // Asked for its tag, since it may come from another realm, and this floor has no clock.
  switch (Object.prototype.toString.call(value)) {
    case '[object Date]':
      return textOfDate(value)
    case '[object RegExp]':
    case '[object URL]':
      // oxlint-disable-next-line typescript/no-base-to-string -- these two have a text of their own
      return String(value)
    case '[object Promise]':
      return '[promise]'
    default:
      return undefined
  }
}

function textOfDate(value: object): string {
  const toISOString: unknown = readMember(value, 'toISOString')
  try {
    return typeof toISOString === 'function' ? String(Reflect.apply(toISOString, value, [])) : ''
  } catch {
    return 'Invalid Date'
  }
}

function showError(error: Error, showing: Showing): Json {
  const { name, message, cause } = error
  const shown = Object.assign({ name, message }, error, cause === undefined ? {} : { cause })
  return showFields(shown, showing)
}

function showList(list: Iterable<unknown>, showing: Showing): Json {
  const shown: Json[] = []
  for (const entry of list) {
    if (showing.room <= 0) {
      shown.push(cutMark)
      break
    }
    showing.room -= 1
    shown.push(show(entry, showing) ?? null)
  }
  return shown
}

function showFields(value: object, showing: Showing): Json {
  const fields: Record<string, Json> = {}
  for (const key of Object.keys(value)) {
    if (showing.room <= 0) {
      define(fields, '…', cutMark)
      break
    }
    showing.room -= key.length + 4
    const shown = showField(value, key, showing)
    if (shown !== undefined) define(fields, key, shown)
  }
  return fields
}

/** A getter that throws hides itself, not its neighbours. */
function showField(value: object, key: string, showing: Showing): Json | undefined {
  let field: unknown
  try {
    field = Reflect.get(value, key)
  } catch (cause) {
    return `[throws: ${String(readMember(cause, 'message'))}]`
  }
  return show(field, showing)
}

/** Also for a key such as `__proto__`, which an assignment would take for something else. */
function define(fields: Record<string, Json>, key: string, value: Json): void {
  if (key !== '__proto__') {
    fields[key] = value
    return
  }
  Object.defineProperty(fields, key, {
    value,
    enumerable: true,
    configurable: true,
    writable: true,
  })
}
