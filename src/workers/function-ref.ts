/** References to functions and what their types say. Everything that can be called is one. */

import { SteleError } from '../base/error.ts'
import { readMember, readOptions, requireOneOf, showSubject } from '../base/options.ts'
import {
  type FunctionId,
  type FunctionKind,
  functionKinds,
  requireFunctionName,
  requireFunctionVersion,
} from '../model/function-id.ts'

/**
 * A function that can be submitted or called: its identity, and in `~types` and `~failure` (which
 * exist for the compiler alone) what it takes and gives.
 */
export interface FunctionRef<Input, Output, Failure = unknown, Name extends string = string> {
  /** What kind of function it is. */
  readonly kind: FunctionKind
  /** Unique among the functions of an engine. */
  readonly name: Name
  /** The author's word for this state of the code; `'1'` by default. */
  readonly version: string
  /** For the compiler only; throws when called. */
  readonly '~types': (input: Input) => Output
  /** For the compiler only; throws when called. */
  readonly '~failure': () => Failure
}

/** Any function, whatever it takes and gives. */
export type AnyFunction = FunctionRef<never, unknown>

/** The literal name of a function. */
export type NameOf<F extends AnyFunction> = F['name']

/** What callers of a function must pass. */
export type InputOf<F extends AnyFunction> =
  F extends FunctionRef<infer Input, unknown> ? Input : never

/** What a function gives when it succeeds. */
export type OutputOf<F extends AnyFunction> =
  F extends FunctionRef<never, infer Output> ? Output : never

/** What a function gives when it says no. */
export type FailureOf<F extends AnyFunction> =
  F extends FunctionRef<never, unknown, infer Failure> ? Failure : never

/** Arguments of a call: an input that may be `undefined` may be left out. */
export type Args<Input, Options> = [Input] extends [never]
  ? [input?: never, options?: Options]
  : undefined extends Input
    ? [input?: Input, options?: Options]
    : [input: Input, options?: Options]

/** What `functions: [...]` takes; a declaration alone is not implemented. */
export interface Implemented {
  /** There is a handler, or it is a stub. */
  readonly implemented: true
}

/** The types-only members, supplied for real. */
export function phantoms(): Pick<FunctionRef<never, never, never>, '~types' | '~failure'> {
  return { '~types': typesOnly, '~failure': typesOnly }
}

function typesOnly(): never {
  throw new SteleError(
    'internal',
    '`~types` and `~failure` are for the compiler; do not call them.',
  )
}

/**
 * A reference by name, for a process that does not load the implementation:
 * `functionRef<typeof checkout>('checkout')` with `import type`. Activities only need their name;
 * `kind` and `version` say which one it is when there are several. Throws `invalid_name` or
 * `invalid_option`.
 */
export function functionRef<F extends AnyFunction>(
  name: NameOf<F>,
  identity: { readonly kind?: F['kind']; readonly version?: string } = {},
): F {
  const { kind = 'activity', version = '1' } = readOptions(
    identity,
    ['kind', 'version'],
    'functionRef',
  )
  const id = requireFunctionId({ kind, name, version })
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the caller names the type
  return { ...id, ...phantoms() } as unknown as F
}

/** What identifies a function of Stele; `unknown_function` for anything else. */
export function requireFunctionRef(fn: unknown): FunctionId {
  if (isFunctionRef(fn)) {
    const { kind, name, version } = fn
    return requireFunctionId({ kind, name, version })
  }
  throw new SteleError(
    'unknown_function',
    `${showSubject(fn)} is not a function of Stele. ` +
      'Pass what `defineActivity` or `functionRef` gave you.',
  )
}

/** Whether something was made to be a function of Stele. Never throws. */
export function isFunctionRef(fn: unknown): fn is AnyFunction {
  const members = ['~types', 'kind', 'name', 'version']
  return typeof fn === 'object' && members.every((member) => readMember(fn, member) !== undefined)
}

function requireFunctionId(id: { readonly [Key in keyof FunctionId]: unknown }): FunctionId {
  return {
    kind: requireOneOf(id.kind, 'functionRef.kind', functionKinds),
    name: requireFunctionName(id.name),
    version: requireFunctionVersion(id.version),
  }
}
