/** JSON as data, and its canonical text. Knows nothing of what the data means. */

/** A value that JSON can say. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject

/** An object of JSON values. */
export interface JsonObject {
  /** A value by its key; a key without a value counts as absent. */
  readonly [key: string]: Json | undefined
}

/** Whether parsed JSON is an object, and neither an array nor null. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A copy, read to the end now: what it was made of may change later, or be a proxy. */
export function copyJson(value: Json): Json {
  if (typeof value !== 'object' || value === null) return value
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the text of a JSON value
  return JSON.parse(JSON.stringify(value)) as Json
}

/**
 * The canonical text of a value: object keys sorted by code unit, no white space. Equal values
 * have equal texts, whatever the order in which their keys were written.
 */
export function canonicalJson(value: Json | undefined): string {
  return value === undefined ? 'undefined' : JSON.stringify(sortKeys(value))
}

function sortKeys(value: Json): Json {
  if (Array.isArray(value)) return value.map(sortKeys)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value)
  entries.sort(([left], [right]) => (left < right ? -1 : 1))
  return Object.fromEntries(
    entries.map(([key, entry]) => [key, entry === undefined ? undefined : sortKeys(entry)]),
  )
}
