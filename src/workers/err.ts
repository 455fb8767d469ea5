/** Saying no: a function's own failure as a value, returned or thrown. */

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
 * retries last, then final; `permanent` ones at once.
 */
export function err<const Failure>(value: Failure, options: ErrOptions = {}): Err<Failure> {
  return { '~err': true, value, permanent: options.permanent === true }
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
    super('The activity failed with a value', { cause: options.cause })
    this.value = value
    this.permanent = options.permanent === true
    Object.defineProperty(this, activityErrorMark, { value: true })
  }
}

/** Thrown by a handler for something that no repetition can help. */
export class PermanentError extends Error {
  /** Name of the class; ask `instanceof` within one copy of the package. */
  override readonly name = 'PermanentError'

  constructor(message: string, options: { readonly cause?: unknown } = {}) {
    super(message, { cause: options.cause })
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

function reads(value: unknown, key: PropertyKey): boolean {
  try {
    return typeof value === 'object' && value !== null && Reflect.get(value, key) === true
  } catch {
    return false
  }
}
