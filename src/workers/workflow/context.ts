/** What a workflow's handler is given beside its input. Types only; `calls.ts` makes it. */

import type { Duration, Instant } from '../../base/time.ts'
import type { Outcome } from '../../model/outcome.ts'
import type { RetryOptions } from '../function-options.ts'
import type { AnyFunction, Args, FailureOf, InputOf, NameOf, OutputOf } from '../function-ref.ts'
import type { RunLog } from '../run-log.ts'
import type { Schema } from '../schema.ts'

/** The schemas of a workflow's message channels, by name. */
export type MessageSchemas = Readonly<Record<string, Schema>>

/** Options of a child. */
export interface ChildOptions {
  /** The child does not begin before this time has passed. */
  readonly delay?: Duration | undefined
}

/** Options of a call. */
export interface CallOptions extends ChildOptions {
  /** Names the child: it becomes part of its id. Default: the name of the function. */
  readonly name?: string | undefined
}

/** Options of a sleep. */
export interface SleepOptions {
  /** Names the delay: it becomes part of its id. Default `sleep`. */
  readonly name?: string | undefined
}

/** Options of a local step. */
export interface StepOptions {
  /** How failed attempts are repeated. Default: 5 times, from 100 ms on, doubling. */
  readonly retry?: RetryOptions | undefined
  /** The limit of one attempt. Default 5 minutes. */
  readonly timeout?: Duration | undefined
}

/** What the code of a local step is given. */
export interface StepContext {
  /** Aborted when time is up, on cancellation, when the lock is lost, and when the engine stops. */
  readonly signal: AbortSignal
  /** The number of this attempt, from 1. */
  readonly attempt: number
  /** The same in every attempt of this step, and in no other step: pass it to what you call. */
  readonly idempotencyKey: string
}

/** When a detached execution begins. Default: at once. */
export interface ScheduleOptions {
  /** Not before this instant. */
  readonly at?: Date | number | undefined
  /** Not before this time has passed. */
  readonly in?: Duration | undefined
}

/** Options of a join set. */
export interface JoinSetOptions<F> {
  /** What may be submitted; gives responses their types. */
  readonly of?: F | readonly F[] | undefined
  /**
   * When a child fails: its response is given like any other (`collect`, the default); the others
   * are cancelled as well (`cancel`); or it is left out of what `next` gives (`ignore`).
   */
  readonly onFailure?: 'collect' | 'cancel' | 'ignore' | undefined
  /**
   * What becomes of children that are open when the set closes: cancelled, awaited, or left alone.
   * Default: activities are cancelled, workflows awaited. Delays are always cancelled.
   */
  readonly onClose?: 'cancel' | 'await' | 'abandon' | undefined
  /** How many children may be open at once; further ones are created as others end. */
  readonly concurrency?: number | undefined
}

/** A child that was submitted. */
export interface Child<F extends AnyFunction> {
  /** The id of its execution. */
  readonly id: string
  /** Name of its function. */
  readonly name: NameOf<F>
}

/** What became of a child. */
export interface ChildResponse<Output, Failure, Name extends string> {
  /** A child, not a delay. */
  readonly kind: 'child'
  /** Name of its function. */
  readonly name: Name
  /** The id of its execution. */
  readonly id: string
  /** How it ended. */
  readonly outcome: Outcome<Output, Failure>
  /** The value; reading it throws an `ExecutionError` when there is none. */
  readonly value: Output
}

/** A delay that has ended. */
export interface DelayResponse {
  /** A delay, not a child. */
  readonly kind: 'delay'
  /** Delays have no function. */
  readonly name?: undefined
  /** The id of the delay. */
  readonly id: string
  /** `ok` when it fired, `execution_failure` of kind `cancelled` when it was cancelled. */
  readonly outcome: Outcome<undefined, never>
  /** A delay has no value; reading it throws when it was cancelled. */
  readonly value: never
}

/** What a join set gives. */
export type JoinSetResponse<F extends AnyFunction> =
  | (F extends AnyFunction ? ChildResponse<OutputOf<F>, FailureOf<F>, NameOf<F>> : never)
  | DelayResponse

/** A named bucket of children and delays, whose ends are taken in the order in which they come. */
export interface JoinSet<F extends AnyFunction>
  extends AsyncIterable<JoinSetResponse<F>>,
    AsyncDisposable {
  /** Its name; made up when none was given. */
  readonly name: string
  /** Starts a child. Throws `invalid_input`, `value_not_storable` or `join_set_closed`. */
  readonly submit: <G extends F>(fn: G, ...args: Args<InputOf<G>, ChildOptions>) => Child<G>
  /** Starts a delay, or one that ends at an instant. */
  readonly delay: (duration: Duration | Date) => { readonly id: string }
  /**
   * The next end; rejects with `join_set_exhausted` when everything has been given. With a timeout:
   * `undefined` when the time is up.
   */
  readonly next: {
    (): Promise<JoinSetResponse<F>>
    (options: { readonly timeout: Duration }): Promise<JoinSetResponse<F> | undefined>
  }
  /** The next end if it is there already, without waiting. */
  readonly tryNext: () => JoinSetResponse<F> | undefined
  /**
   * One child for each input; gives their values in the order of the inputs. Rejects with the
   * first failure, unless the set ignores failures: then failed ones are left out. Ends of other
   * members that come meanwhile are passed over, so give it a set of its own.
   */
  readonly map: <G extends F>(fn: G, inputs: readonly InputOf<G>[]) => Promise<OutputOf<G>[]>
  /** Cancels one child or delay, or all that are open. Their ends are still given. */
  readonly cancel: (id?: string) => void
  /** Ends the set as `onClose` says; resolves when nothing of it is open. Idempotent. */
  readonly close: () => Promise<void>
}

/** A channel of messages to a workflow, buffered from its creation on. */
export interface MessageChannel<Payload> extends AsyncIterable<Payload> {
  /** The next message; with a timeout, `undefined` when the time is up. */
  readonly next: {
    (): Promise<Payload>
    (options: { readonly timeout: Duration }): Promise<Payload | undefined>
  }
}

/**
 * What a workflow's handler is given. Everything it does is recorded, and repeated from the record
 * after a crash: so it must be reached by the same code in the same order. Destructure it.
 */
export interface WorkflowContext<Messages = object> {
  /** The id of this execution. */
  readonly executionId: string
  /** The texts given at `submit`; children inherit them. */
  readonly metadata: Readonly<Record<string, string>>
  /** Runs a child to its end: its value, or a rejection with `ExecutionError`. */
  readonly call: <F extends AnyFunction>(
    fn: F,
    ...args: Args<InputOf<F>, CallOptions>
  ) => Promise<OutputOf<F>>
  /** The same, with the outcome as a value. */
  readonly outcome: <F extends AnyFunction>(
    fn: F,
    ...args: Args<InputOf<F>, CallOptions>
  ) => Promise<Outcome<OutputOf<F>, FailureOf<F>>>
  /**
   * Runs code here, at least once until its end is recorded, and from the record afterwards.
   * Rejects with `ExecutionError` when its retries are used up.
   */
  readonly step: <Value>(
    name: string,
    run: (context: StepContext) => Promise<Value> | Value,
    options?: StepOptions,
  ) => Promise<Value>
  /** Waits for any length of time, holding nothing. */
  readonly sleep: (duration: Duration, options?: SleepOptions) => Promise<void>
  /** Waits until an instant. */
  readonly sleepUntil: (instant: Date | number, options?: SleepOptions) => Promise<void>
  /** Opens a join set; without a name, one is made up. */
  readonly joinSet: <F extends AnyFunction = AnyFunction>(
    name?: string,
    options?: JoinSetOptions<F>,
  ) => JoinSet<F>
  /** Starts an execution of its own, that this one neither waits for nor cancels; gives its id. */
  readonly schedule: <F extends AnyFunction>(
    fn: F,
    ...args: Args<InputOf<F>, ScheduleOptions>
  ) => { readonly id: string }
  /** The channels declared in the options. */
  readonly messages: { readonly [Name in keyof Messages]: MessageChannel<Messages[Name]> }
  /** The latest instant among what the execution has seen, in milliseconds since 1970. */
  readonly now: () => Instant
  /** A number in [0, 1), the same at each replay. */
  readonly random: () => number
  /** A UUID, the same at each replay. */
  readonly uuid: () => string
  /** Kept with the run and shown by the engine's logger; not repeated by a replay. */
  readonly log: RunLog
  /** Whether this execution takes the new side of a change: decided once, and recorded. */
  readonly patched: (id: string) => boolean
}
