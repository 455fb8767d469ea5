/** Standard Schemas (zod, valibot, arktype, …): checked at the border, synchronously, once. */

import type { StandardSchemaV1 } from '@standard-schema/spec'
import { type ErrorCode, SteleError } from '../base/error.ts'

/** A Standard Schema: what a caller may pass, and what it becomes. */
export type Schema<Accepted = unknown, Parsed = Accepted> = StandardSchemaV1<Accepted, Parsed>

/** A schema that lets everything through: names a type without checking it. */
export function unchecked<T>(): Schema<T> {
  return {
    '~standard': {
      version: 1,
      vendor: 'stele',
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- unchecked, as the name says
      validate: (value) => ({ value: value as T }),
    },
  }
}

/** What to check, and how to speak of it. */
export interface ParseRequest {
  readonly schema: Schema | undefined
  readonly value: unknown
  /** What the value is: `input of charge`. */
  readonly root: string
  readonly code: ErrorCode
}

/** The parsed value; throws the given code, naming the first offending path. */
export function parseWith({ schema, value, root, code }: ParseRequest): unknown {
  if (schema === undefined) return value
  const result = schema['~standard'].validate(value)
  if (result instanceof Promise) {
    result.catch(() => undefined)
    throw new SteleError(
      'invalid_option',
      `The schema for the ${root} answers with a promise. Use one that validates synchronously.`,
    )
  }
  if (result.issues === undefined) return result.value
  const [issue] = result.issues
  const path = (issue?.path ?? []).map((part) => segment(part)).join('')
  throw new SteleError(
    code,
    `The ${root} is not valid: ${issue?.message ?? 'refused by its schema'}` +
      `${path === '' ? '' : ` (at ${path})`}. Nothing was written.`,
    { fields: { path, issues: result.issues.map(({ message }) => message) } },
  )
}

function segment(part: PropertyKey | StandardSchemaV1.PathSegment): string {
  const key = typeof part === 'object' ? part.key : part
  return typeof key === 'number' ? `[${key}]` : `.${String(key)}`
}
