/** Saying no: a function's own failure as a value, returned or thrown. */

import { readOptions, requireBoolean, showValue } from '../base/options.ts'

/** A failure that a handler returns. */
export interface Err<Failure> {
  /** Tells a failure from a value. */
  readonly '~err': true
  /** The failure, as the caller will see it. */
  readonly value: Failure
  /** Never retried. */
  readonly permanent: boolean
}

/** Settings of a failure. */
export interface ErrOptions {
  /** Never retried, whatever the budget. */
  readonly permanent?: boolean | undefined
}

/**
 * A failure as the result of a handler: `return err({ code: 'card_declined' })`. Retried while
 * retries last, then final; `permanent` ones at once. Throws `invalid_option` for other options.
 */
export function err<const Failure>(value: Failure, options: ErrOptions = {}): Err<Failure> {
  const { permanent = false } = readOptions(options, ['permanent'], 'err')
  return { '~err': true, value, permanent: requireBoolean(permanent, 'err.permanent') }
}

const activityErrorMark = Symbol.for('stele.activity_error')
const permanentErrorMark = Symbol.for('stele.permanent_error')

/** Thrown by a handler deep inside: the same as returning `err(value)` from it. */
export class ActivityError<Failure = unknown> extends Error {
  /** Name of the class; ask `instanceof` within one copy of the package. */
  override readonly name = 'ActivityError'
  /** The failure, as the caller will see it. */
  readonly value: Failure
  /** Never retried. */
  readonly permanent: boolean

  constructor(value: Failure, options: ErrOptions & { readonly cause?: unknown } = {}) {
    const given = readOptions(options, ['permanent', 'cause'], 'ActivityError')
    const { permanent = false, cause } = given
    super('The activity failed with a value', { cause })
    this.value = value
    this.permanent = requireBoolean(permanent, 'ActivityError.permanent')
    Object.defineProperty(this, activityErrorMark, { value: true })
  }
}

/** Thrown by a handler for something that no repetition can help. */
export class PermanentError extends Error {
  /** Name of the class; ask `instanceof` within one copy of the package. */
  override readonly name = 'PermanentError'

  constructor(message: string, options: { readonly cause?: unknown } = {}) {
    super(textOf(message), { cause: readOptions(options, ['cause'], 'PermanentError').cause })
    Object.defineProperty(this, permanentErrorMark, { value: true })
  }
}

/** Whether a handler returned `err(…)`. Never throws, whatever it is given. */
export function isErr(value: unknown): value is Err<unknown> {
  return reads(value, '~err')
}

/** Whether a handler threw an `ActivityError`, of any copy of the package. */
export function isActivityError(value: unknown): value is ActivityError {
  return reads(value, activityErrorMark)
}

/** Whether a handler threw a `PermanentError`, of any copy of the package. */
export function isPermanentError(value: unknown): value is PermanentError {
  return reads(value, permanentErrorMark)
}

/** Whether a failure says of itself that no repetition can help. */
export function isPermanent(failure: object): boolean {
  return reads(failure, 'permanent')
}

/** As `Error` has it, except that what has no text is shown instead of thrown about. */
function textOf(message: unknown): string {
  try {
    return String(message)
  } catch {
    return showValue(message)
  }
}

function reads(value: unknown, key: PropertyKey): boolean {
  try {
    return typeof value === 'object' && value !== null && Reflect.get(value, key) === true
  } catch {
    return false
  }
}
