/** Options are defended: an unknown key or a value out of range is refused by name. */

import { SteleError } from './error.ts'

/** Refuses keys that nobody knows; a misspelled option must not be ignored. */
export function requireKnownKeys(options: object, known: readonly string[], owner: string): void {
  readOptions(options, known, owner)
}

/**
 * A plain copy of the options, each read once, so that a getter or a proxy says the same to
 * whoever checks and to whoever uses. Refuses what is no object, and keys that nobody knows.
 */
export function readOptions<Options extends object>(
  options: Options,
  known: readonly string[],
  owner: string,
): Options {
  const copy = readObject(options, owner, known)
  const unknown = Object.keys(copy).find((key) => !known.includes(key))
  if (unknown === undefined) return copy
  throw invalidOption(`${owner}.${unknown}`, `is not an option; known are ${known.join(', ')}`)
}

/** A plain copy: its own keys, and of those it inherits the `inherited` ones. */
export function readObject<Given extends object>(
  given: Given,
  owner: string,
  inherited: readonly string[] = [],
): Given {
  requireObject(given, owner)
  try {
    const copy = { ...given }
    for (const key of inherited) {
      const value: unknown = Object.hasOwn(copy, key) ? undefined : Reflect.get(given, key)
      if (value !== undefined) Reflect.set(copy, key, value)
    }
    return copy
  } catch (cause) {
    throw new SteleError('invalid_option', `${owner} throws while it is read. Pass plain data.`, {
      fields: { option: owner },
      cause,
    })
  }
}

/** Refuses what is no object, or a list: JavaScript may pass anything. */
export function requireObject(options: unknown, owner: string): asserts options is object {
  if (typeof options === 'object' && options !== null && !isArray(options)) return
  throw invalidOption(owner, `must be an object of options, not ${showValue(options)}`)
}

/** Refuses what lacks one of the functions that will be called. */
export function requireFunctions(value: unknown, name: string, functions: readonly string[]): void {
  const missing = functions.find((key) => typeof readMember(value, key) !== 'function')
  if (missing === undefined) return
  if ((typeof value !== 'object' || value === null) && typeof value !== 'function') {
    const members = functions.join(', ')
    throw invalidOption(name, `must be an object with ${members}, not ${showValue(value)}`)
  }
  const found = showValue(readMember(value, missing))
  throw invalidOption(`${name}.${missing}`, `must be a function, not ${found}`)
}

/** A member of whatever is given; `undefined` if there is none, or if asking for it throws. */
export function readMember(value: unknown, key: PropertyKey): unknown {
  if (typeof value !== 'object' && typeof value !== 'function') return undefined
  try {
    return value === null ? undefined : Reflect.get(value, key)
  } catch {
    return undefined
  }
}

/** True or false; nothing that merely counts as one of them. */
export function requireBoolean(value: unknown, name: string): boolean {
  if (typeof value === 'boolean') return value
  throw invalidOption(name, `must be true or false, not ${showValue(value)}`)
}

/** A text. */
export function requireText(value: unknown, name: string): string {
  if (typeof value === 'string') return value
  throw invalidOption(name, `must be a text, not ${showValue(value)}`)
}

/** Bounds of a numeric option, both allowed. */
export interface NumberBounds {
  readonly min: number
  readonly max: number
}

/** An integer within bounds. */
export function requireInteger(value: unknown, name: string, { min, max }: NumberBounds): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max) {
    return value
  }
  throw invalidOption(name, `must be an integer from ${min} to ${max}, not ${showValue(value)}`)
}

/** One of a few words. */
export function requireOneOf<Word extends string>(
  value: unknown,
  name: string,
  words: readonly Word[],
): Word {
  const word = words.find((candidate) => candidate === value)
  if (word !== undefined) return word
  throw invalidOption(name, `must be one of ${words.join(', ')}, not ${showValue(value)}`)
}

/** The error for an option: what it is called, and what is wrong. */
export function invalidOption(name: string, problem: string): SteleError {
  return new SteleError('invalid_option', `${name} ${problem}.`, { fields: { option: name } })
}

/** Longest text that is shown whole in a message. */
const shownTextMax = 100

/** A value within a message, as `not …`. Never throws, whatever it is given. */
export function showValue(value: unknown): string {
  if (typeof value === 'string') return showText(value)
  if (typeof value === 'bigint') return `${value}n`
  if (typeof value === 'function') return 'a function'
  if (typeof value === 'object' && value !== null) return isArray(value) ? 'an array' : 'an object'
  return String(value)
}

/** The same at the beginning of a sentence: `An object …`, but `undefined …`. */
export function showSubject(value: unknown): string {
  const text = showValue(value)
  return typeof value === 'object' || typeof value === 'function' ? text.replace(/^a/, 'A') : text
}

function showText(text: string): string {
  const isLong = text.length > shownTextMax
  return JSON.stringify(isLong ? `${text.slice(0, shownTextMax)}…` : text)
}

/** `Array.isArray` throws for a proxy that was revoked. */
function isArray(value: object): boolean {
  try {
    return Array.isArray(value)
  } catch {
    return false
  }
}
