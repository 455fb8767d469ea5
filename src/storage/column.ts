/** Reading single columns. A database that holds something else was not written by us. */

import { SteleError } from '../base/error.ts'
import { isJsonObject, type Json, type JsonObject } from '../base/json.ts'
import type { Row } from './protocol.ts'

/** A column that must hold a text. */
export function textOf(row: Row, column: string): string {
  const value = row[column]
  if (typeof value === 'string') return value
  throw corruptColumn(row, column, 'a text')
}

/** A text, or nothing. */
export function textOrNone(row: Row, column: string): string | undefined {
  return isNone(row[column]) ? undefined : textOf(row, column)
}

const integerText = /^-?\d+$/

/** A column that must hold a safe integer. Postgres sends them as text. */
export function integerOf(row: Row, column: string): number {
  const value = row[column]
  const integer = typeof value === 'string' && integerText.test(value) ? Number(value) : value
  if (typeof integer === 'number' && Number.isSafeInteger(integer)) return integer
  throw corruptColumn(row, column, 'an integer')
}

/** An integer, or nothing. */
export function integerOrNone(row: Row, column: string): number | undefined {
  return isNone(row[column]) ? undefined : integerOf(row, column)
}

/** A flag stored as 0 or 1. */
export function flagOf(row: Row, column: string): boolean {
  const flag = integerOf(row, column)
  if (flag === 0 || flag === 1) return flag === 1
  throw corruptColumn(row, column, '0 or 1')
}

/** A column that must hold one of these words. */
export function wordOf<Word extends string>(
  row: Row,
  column: string,
  words: readonly Word[],
): Word {
  const value = row[column]
  const word = words.find((candidate) => candidate === value)
  if (word !== undefined) return word
  throw corruptColumn(row, column, `one of ${words.join(', ')}`)
}

/** A column that must hold the text of a JSON object. */
export function objectOf(row: Row, column: string): JsonObject {
  const value = jsonOf(row, column)
  if (isJsonObject(value)) return value
  throw corruptColumn(row, column, 'a JSON object')
}

/** A column that must hold the text of a JSON value. */
export function jsonOf(row: Row, column: string): Json {
  const text = textOf(row, column)
  try {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what JSON.parse gives is JSON
    return JSON.parse(text) as Json
  } catch (cause) {
    throw corrupt(row, { column, expected: 'JSON', cause })
  }
}

/** The `storage_corrupt` of a column. */
export function corruptColumn(row: Row, column: string, expected: string): SteleError {
  return corrupt(row, { column, expected })
}

interface Corruption {
  readonly column: string
  readonly expected: string
  readonly cause?: unknown
}

function corrupt(row: Row, { column, expected, cause }: Corruption): SteleError {
  const executionId = row['execution_id']
  const owner = typeof executionId === 'string' ? executionId : 'a row'
  return new SteleError(
    'storage_corrupt',
    `Column ${column} of ${owner} does not hold ${expected}. ` +
      'Something other than Stele wrote to the database; restore it from a backup.',
    { fields: { executionId, column }, cause },
  )
}

function isNone(value: unknown): boolean {
  return value === null || value === undefined
}
