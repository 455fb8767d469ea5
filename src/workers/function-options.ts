/** Settings that every kind of function has, their defaults, and their check. */

import { invalidOption, requireInteger, requireKnownKeys, requireObject } from '../base/options.ts'
import { type Duration, type Milliseconds, parseDuration } from '../base/time.ts'
import {
  type FunctionId,
  type FunctionKind,
  requireFunctionName,
  requireFunctionVersion,
} from '../model/function-id.ts'
import type { RetryPolicy } from '../model/retry.ts'
import { requireSchema, type Schema } from './schema.ts'

/** How failed attempts are repeated. */
export interface RetryOptions {
  /** Repetitions after the first attempt. Default 5; workflows: for ever. */
  readonly maxRetries?: number | undefined
  /** Wait before the first repetition, doubling with each. Default 100 ms. */
  readonly backoff?: Duration | undefined
  /** The wait never grows beyond this. Default: 100 years; workflows: a minute. */
  readonly maxBackoff?: Duration | undefined
  /** Share of the wait, 0 to 1, that is spread over executions by their id. Default 0. */
  readonly jitter?: number | undefined
}

/** Options of a function. */
export interface FunctionOptions<Name extends string, Accepted, Input, Returned, Output, Failure> {
  /** Letter first, then letters, digits, `_`, `/`, `-`; at most 64. */
  readonly name: Name
  /** Default `'1'`. */
  readonly version?: string | undefined
  /** Checks and parses the input where it is submitted. */
  readonly input?: Schema<Accepted, Input> | undefined
  /** Checks and parses what the handler returns. */
  readonly output?: Schema<Returned, Output> | undefined
  /** Checks and parses the values of `err(…)`. */
  readonly failure?: Schema<Failure> | undefined
  /** How failed attempts are repeated. Default: 5 times, from 100 ms on, doubling. */
  readonly retry?: RetryOptions | undefined
  /** The limit of one attempt; of a workflow: of one that records nothing. Default 5 minutes. */
  readonly timeout?: Duration | undefined
  /** How soon others take over after a crash. Default: the engine's, 30 seconds. */
  readonly lockExpiry?: Duration | undefined
  /** How many runs at once in one engine. Default: only the engine's own limit. */
  readonly concurrency?: number | undefined
}

/** Options in the form the engine uses. */
export interface FunctionSettings {
  readonly id: FunctionId
  readonly input: Schema | undefined
  readonly output: Schema | undefined
  readonly failure: Schema | undefined
  readonly retry: RetryPolicy
  readonly timeout: Milliseconds
  readonly lockExpiry: Milliseconds | undefined
  readonly concurrency: number | undefined
}

/** Defaults of activities, in one place. */
export const activityDefaults = {
  version: '1',
  maxRetries: 5,
  backoff: 100,
  timeout: 5 * 60 * 1000,
} as const

/** Defaults of workflows, where they differ. Attempts of a workflow are repeated for ever. */
export const workflowDefaults = {
  maxRetries: null,
  maxBackoff: 60 * 1000,
} as const

const knownOptions = [
  'name',
  'version',
  'input',
  'output',
  'failure',
  'retry',
  'timeout',
  'lockExpiry',
  'concurrency',
] as const
const knownRetryOptions = ['maxRetries', 'backoff', 'maxBackoff', 'jitter'] as const

/** Most runs of anything at once. */
export const concurrencyMax = 10_000
/** Most repetitions that can be asked for. */
export const maxRetriesMax = 1_000_000

/** Any options, for the check. */
export type AnyFunctionOptions = FunctionOptions<
  string,
  unknown,
  unknown,
  unknown,
  unknown,
  unknown
>

/** Checks options and fills in the defaults. Throws `invalid_name` or `invalid_option`. */
export function resolveFunctionOptions(
  kind: FunctionKind,
  options: AnyFunctionOptions,
  ownOptions: readonly string[] = [],
): FunctionSettings {
  requireObject(options, `Options of the ${kind}`)
  const name = requireFunctionName(options.name)
  requireKnownKeys(options, [...knownOptions, ...ownOptions], name)
  const version = requireFunctionVersion(options.version ?? activityDefaults.version)
  return {
    id: { kind, name, version },
    input: optional(options.input, (given) => requireSchema(given, `${name}.input`)),
    output: optional(options.output, (given) => requireSchema(given, `${name}.output`)),
    failure: optional(options.failure, (given) => requireSchema(given, `${name}.failure`)),
    retry: resolveRetry(options.retry ?? {}, name, kind),
    timeout: positive(options.timeout ?? activityDefaults.timeout, `${name}.timeout`),
    lockExpiry: optional(options.lockExpiry, (given) => positive(given, `${name}.lockExpiry`)),
    concurrency: optional(options.concurrency, (given) =>
      requireInteger(given, `${name}.concurrency`, { min: 1, max: concurrencyMax }),
    ),
  }
}

/** Checks how attempts of `name` are repeated, and fills in the defaults of its kind. */
export function resolveRetry(retry: RetryOptions, name: string, kind: FunctionKind): RetryPolicy {
  requireKnownKeys(retry, knownRetryOptions, `${name}.retry`)
  const defaults = kind === 'activity' ? activityDefaults : workflowDefaults
  const { maxBackoff = 'maxBackoff' in defaults ? defaults.maxBackoff : undefined, jitter } = retry
  const bounds = { min: 0, max: maxRetriesMax }
  const maxRetries = retry.maxRetries ?? defaults.maxRetries
  return {
    maxRetries:
      maxRetries === null ? null : requireInteger(maxRetries, `${name}.retry.maxRetries`, bounds),
    backoff: parseDuration(retry.backoff ?? activityDefaults.backoff),
    ...(maxBackoff === undefined ? {} : { maxBackoff: parseDuration(maxBackoff) }),
    ...(jitter === undefined ? {} : { jitter: share(jitter, `${name}.retry.jitter`) }),
  }
}

function optional<Given, Value>(
  given: Given | undefined,
  resolve: (given: Given) => Value,
): Value | undefined {
  return given === undefined ? undefined : resolve(given)
}

function positive(duration: Duration, name: string): Milliseconds {
  const length = parseDuration(duration)
  if (length > 0) return length
  throw invalidOption(name, 'must be longer than nothing')
}

function share(value: number, name: string): number {
  if (typeof value === 'number' && value >= 0 && value <= 1) return value
  throw invalidOption(name, `must be from 0 to 1, not ${String(value)}`)
}
