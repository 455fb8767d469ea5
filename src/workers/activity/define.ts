/** `defineActivity`: a function that does I/O, may be retried, and is identified by its name. */

import { invalidOption } from '../../base/options.ts'
import {
  type ActivityDefinition,
  type AnyActivityHandler,
  attachDefinition,
} from '../definition.ts'
import type { Err } from '../err.ts'
import {
  type AnyFunctionOptions,
  type FunctionOptions,
  type FunctionSettings,
  resolveFunctionOptions,
} from '../function-options.ts'
import { type FunctionRef, type Implemented, phantoms } from '../function-ref.ts'
import type { ActivityContext } from './context.ts'

/** An activity that can be executed: what `functions: [...]` takes. */
export interface Activity<Input, Output, Failure = unknown, Name extends string = string>
  extends FunctionRef<Input, Output, Failure, Name>,
    Implemented {
  /** An activity, not a workflow. */
  readonly kind: 'activity'
}

/** An activity without implementation: for callers, recursion, or completion from outside. */
export interface ActivityDeclaration<
  Accepted,
  Output,
  Failure,
  Name extends string,
  Input,
  Returned,
> extends FunctionRef<Accepted, Output, Failure, Name> {
  /** An activity, not a workflow. */
  readonly kind: 'activity'
  /** Adds the implementation. */
  readonly implement: (
    handler: (
      input: Input,
      context: ActivityContext,
    ) => Promise<Returned | Err<Failure>> | Returned | Err<Failure>,
  ) => Activity<Accepted, Output, Failure, Name>
  /** An activity that nobody executes: `engine.complete(id, outcome)` ends it. */
  readonly stub: () => Activity<Accepted, Output, Failure, Name>
}

/** Says "no schema given": the handler's own return type counts. */
export interface Inferred {
  /** For the compiler only. */
  readonly '~inferred': true
}

/** What a handler returns when it succeeds. */
export type OkOf<Result> = Exclude<Result, Err<unknown>>

/** What a handler returns through `err(…)`; unknown when it never does. */
export type ErrOf<Result> = [Extract<Result, Err<unknown>>] extends [never]
  ? unknown
  : Result extends Err<infer Failure>
    ? Failure
    : never

/** A handler; with an output schema its result must fit the schema's input. */
export type Handler<Input, Context, Returned, Result> = [Returned] extends [Inferred]
  ? (input: Input, context: Context) => Promise<Result> | Result
  : (
      input: Input,
      context: Context,
    ) => Promise<NoInfer<Returned> | Err<unknown>> | NoInfer<Returned> | Err<unknown>

/**
 * Defines an activity. The input's type is the handler's first parameter, or that of the schema;
 * the output's is what the handler returns. Throws `invalid_name` or `invalid_option`.
 */
export function defineActivity<
  Name extends string,
  Result,
  Input = undefined,
  Accepted = Input,
  Returned = Inferred,
  Output = OkOf<Result>,
  Failure = ErrOf<Result>,
>(
  options: FunctionOptions<Name, Accepted, Input, Returned, Output, Failure>,
  handler: Handler<Input, ActivityContext, Returned, Result>,
): Activity<Accepted, Output, Failure, Name>
/** Declares an activity: `.implement(handler)` or `.stub()` make it executable. */
export function defineActivity<
  Name extends string,
  Input = undefined,
  Accepted = Input,
  Returned = undefined,
  Output = Returned,
  Failure = unknown,
>(
  options: FunctionOptions<Name, Accepted, Input, Returned, Output, Failure>,
): ActivityDeclaration<Accepted, Output, Failure, Name, Input, Returned>
export function defineActivity(
  options: AnyFunctionOptions,
  handler?: unknown,
): AnyActivity | AnyActivityDeclaration {
  const settings = resolveFunctionOptions('activity', options)
  if (handler !== undefined) return implement(settings, handler)
  return {
    ...reference({ kind: 'activity', settings }),
    implement: (given) => implement(settings, given),
    stub: () => ({ ...reference({ kind: 'activity', settings }), implemented: true }),
  }
}

type AnyActivity = Activity<never, unknown>
type AnyActivityDeclaration = ActivityDeclaration<never, unknown, unknown, string, unknown, unknown>

function implement(settings: FunctionSettings, handler: unknown): AnyActivity {
  if (!isHandler(handler)) {
    throw invalidOption(`The handler of ${settings.id.name}`, 'must be a function')
  }
  return { ...reference({ kind: 'activity', settings, handler }), implemented: true }
}

function isHandler(value: unknown): value is AnyActivityHandler {
  return typeof value === 'function'
}

function reference(
  definition: ActivityDefinition,
): FunctionRef<never, unknown> & { readonly kind: 'activity' } {
  const { name, version } = definition.settings.id
  const made = { kind: 'activity', name, version, ...phantoms() } as const
  return attachDefinition(made, definition)
}
