/** The error of an execution that ended without a value. */

import { isSteleError, SteleError } from '../base/error.ts'
import type { Outcome } from '../model/outcome.ts'
import type { AnyFunction, FailureOf, OutputOf } from './function-ref.ts'

/** An outcome that is not a value. */
export type FailedOutcome<Output = unknown, Failure = unknown> = Exclude<
  Outcome<Output, Failure>,
  { readonly type: 'ok' }
>

/** What an execution error is about. */
export interface ExecutionErrorOptions<Output, Failure> {
  /** The execution that ended. */
  readonly executionId: string
  /** Name of its function. */
  readonly functionName: string
  /** How it ended. */
  readonly outcome: FailedOutcome<Output, Failure>
  /** What was thrown, when something was. */
  readonly cause?: unknown
}

/** Thrown by `result()` and `call`: match on `outcome`, never on the message. */
export class ExecutionError<Output = unknown, Failure = unknown> extends SteleError {
  /** Name of the class; ask `isExecutionError`. */
  override readonly name = 'ExecutionError'
  /** The execution that ended. */
  readonly executionId: string
  /** Name of its function. */
  readonly functionName: string
  /** How the execution ended. */
  readonly outcome: FailedOutcome<Output, Failure>

  constructor(options: ExecutionErrorOptions<Output, Failure>) {
    const { executionId, functionName, outcome, cause } = options
    super('execution_failed', messageOf(options), {
      fields: { executionId, functionName, outcome },
      cause,
    })
    this.executionId = executionId
    this.functionName = functionName
    this.outcome = outcome
  }
}

function messageOf(options: ExecutionErrorOptions<unknown, unknown>): string {
  const what = describeFailure(options)
  if (options.outcome.type === 'err') return `${what}; read \`outcome.value\`.`
  return `${what}; read \`outcome\`, or the log of the execution.`
}

/** What happened to which execution, without advice. */
export function describeFailure(
  failed: Pick<ExecutionErrorOptions<unknown, unknown>, 'executionId' | 'functionName' | 'outcome'>,
): string {
  const { executionId, functionName, outcome } = failed
  const who = `${functionName} ${executionId}`
  if (outcome.type === 'err') return `${who} returned an error`
  const reason = outcome.reason === undefined ? '' : `: ${outcome.reason}`
  return `${who} failed (${outcome.kind})${reason}`
}

/** Whether `error` is an execution error, and of this function when one is given. */
export function isExecutionError<F extends AnyFunction = AnyFunction>(
  error: unknown,
  fn?: F,
): error is ExecutionError<OutputOf<F>, FailureOf<F>> {
  if (!isSteleError(error, 'execution_failed')) return false
  return fn === undefined || ('functionName' in error && error.functionName === fn.name)
}
