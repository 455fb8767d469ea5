/** Standard Schemas (zod, valibot, arktype, …): checked at the border, synchronously, once. */

import type { StandardSchemaV1 } from '@standard-schema/spec'
import { type ErrorCode, SteleError } from '../base/error.ts'
import { invalidOption } from '../base/options.ts'

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

/** Refuses what is no Standard Schema: one of another kind would fail with the first value only. */
export function requireSchema(value: unknown, option: string): Schema {
  if (isSchema(value)) return value
  throw invalidOption(
    option,
    'must be a Standard Schema, such as those of zod, valibot and arktype',
  )
}

function isSchema(value: unknown): value is Schema {
  // Those of arktype are functions.
  const mayBe = (typeof value === 'object' && value !== null) || typeof value === 'function'
  const standard: unknown = mayBe ? Reflect.get(value, '~standard') : undefined
  return (
    typeof standard === 'object' &&
    standard !== null &&
    typeof Reflect.get(standard, 'validate') === 'function'
  )
}

/** What to check, and how to speak of it. */
export interface ParseRequest {
  readonly schema: Schema | undefined
  readonly value: unknown
  /** What the value is: `input of charge`. */
  readonly root: string
  readonly code: ErrorCode
  /** What follows from a refusal, as a sentence for the message. */
  readonly consequence: string
}

/** The parsed value; throws the given code, naming the first offending path. */
export function parseWith(request: ParseRequest): unknown {
  const { schema, value, root, code, consequence } = request
  if (schema === undefined) return value
  const result = validate(request, schema)
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
      `${path === '' ? '' : ` (at ${path})`}. ${consequence}`,
    { fields: { path, issues: result.issues.map(({ message }) => message) } },
  )
}

/** A schema is code of the user's: what it throws becomes a refusal. */
function validate(
  { value, root, code, consequence }: ParseRequest,
  schema: Schema,
): ReturnType<Schema['~standard']['validate']> {
  try {
    return schema['~standard'].validate(value)
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : 'it threw'
    const message = `The schema for the ${root} failed: ${why}. ${consequence}`
    throw new SteleError(code, message, { cause })
  }
}

function segment(part: PropertyKey | StandardSchemaV1.PathSegment): string {
  const key = typeof part === 'object' ? part.key : part
  return typeof key === 'number' ? `[${key}]` : `.${String(key)}`
}
