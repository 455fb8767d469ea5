/** `stele`: what an application imports. Named re-exports only. */

export type { Codec } from './base/codec.ts'
export {
  type ErrorCode,
  type ErrorFields,
  type ErrorJson,
  type ErrorOptions,
  isSteleError,
  SteleError,
} from './base/error.ts'
export { type Duration, type DurationUnit, type Instant, parseDuration } from './base/time.ts'
export { createEngine, type Engine, type FunctionsByName } from './client/create-engine.ts'
export type { ActivityContext, LogFunction, RunLog } from './workers/activity/context.ts'
export {
  type Activity,
  type ActivityDeclaration,
  defineActivity,
  type ErrOf,
  type Handler,
  type Inferred,
  type OkOf,
} from './workers/activity/define.ts'
export { ActivityError, type Err, type ErrOptions, err, PermanentError } from './workers/err.ts'
export { ExecutionError, type FailedOutcome, isExecutionError } from './workers/execution-error.ts'
export {
  activityDefaults,
  type FunctionOptions,
  type RetryOptions,
} from './workers/function-options.ts'
export {
  type AnyFunction,
  type Args,
  type FailureOf,
  type FunctionRef,
  functionRef,
  type Implemented,
  type InputOf,
  type NameOf,
  type OutputOf,
} from './workers/function-ref.ts'
export { type Schema, unchecked } from './workers/schema.ts'
