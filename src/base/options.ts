/** Options are defended: an unknown key or a value out of range is refused by name. */

import { SteleError } from './error.ts'

/** Refuses keys that nobody knows; a misspelled option must not be ignored. */
export function requireKnownKeys(options: object, known: readonly string[], owner: string): void {
  requireObject(options, owner)
  const unknown = Object.keys(options).find((key) => !known.includes(key))
  if (unknown === undefined) return
  throw invalidOption(`${owner}.${unknown}`, `is not an option; known are ${known.join(', ')}`)
}

/** Refuses what is no object: JavaScript may pass anything. */
export function requireObject(options: unknown, owner: string): asserts options is object {
  if (typeof options === 'object' && options !== null) return
  throw invalidOption(owner, `must be an object of options, not ${shown(options)}`)
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
  throw invalidOption(name, `must be an integer from ${min} to ${max}, not ${shown(value)}`)
}

/** One of a few words. */
export function requireOneOf<Word extends string>(
  value: unknown,
  name: string,
  words: readonly Word[],
): Word {
  const word = words.find((candidate) => candidate === value)
  if (word !== undefined) return word
  throw invalidOption(name, `must be one of ${words.join(', ')}, not ${shown(value)}`)
}

/** The error for an option: what it is called, and what is wrong. */
export function invalidOption(name: string, problem: string): SteleError {
  return new SteleError('invalid_option', `${name} ${problem}.`, { fields: { option: name } })
}

function shown(value: unknown): string {
  if (value === null) return 'null'
  return typeof value === 'string' || typeof value === 'number'
    ? JSON.stringify(value)
    : typeof value
}
