/**
 * Every error that leaves the library, in one table. It must not know who throws what:
 * only codes, what they mean, and the class that carries them.
 */

/**
 * Code → what it means and what to do. `docs/reference/errors.md` has one entry for each,
 * and a test compares the two.
 */
export const errorTable = {
  execution_failed: 'The execution ended without a value; read `outcome`.',
  result_timeout: 'The wait ended before the execution did; the execution goes on.',
  execution_not_found: 'No execution has this id in this storage.',
  delay_not_found: 'No open delay has this id in this storage.',
  execution_id_conflict: 'The id is taken by another function or another input.',
  invalid_execution_id: 'The text is not an execution id.',
  invalid_name: 'The text is not the name of a function, join set or channel.',
  already_finished: 'The execution has finished; its log is closed.',
  illegal_state: 'The execution is in a state in which this is not possible.',
  unknown_function: 'No function of this name is registered in this engine.',
  invalid_input: 'The input does not match the schema of the function.',
  value_not_storable: 'The value, or a part of it, cannot be stored.',
  value_unreadable: 'The codec cannot read what is stored.',
  value_too_large: 'The stored form of the value exceeds `limits.valueBytes`.',
  unknown_channel: 'The workflow has no message channel of this name.',
  nondeterminism: 'The code of a workflow does not do what its log says it did.',
  forbidden_in_workflow: 'Workflow code must not do this; the message says what to do instead.',
  outside_of_simulation: 'Code in a simulation reached for something that is not simulated.',
  simulation_failed: 'A simulation has found a failure; `result` says what, and how to repeat it.',
  join_set_closed: 'The join set is closed; nothing can be added to it.',
  join_set_exhausted: 'Everything in the join set has been answered; there is nothing to wait for.',
  lock_lost: 'This run no longer holds the lock; its result will not be recorded.',
  storage_unavailable: 'The storage did not answer, or is closed.',
  storage_full: 'The disk or the quota of the storage is full.',
  storage_read_only: 'The storage cannot be written to.',
  storage_corrupt: 'The storage holds something that Stele did not write.',
  schema_too_new: 'The database was written by a newer version of Stele.',
  engine_stopped: 'The engine is stopped, or stopping.',
  viewer_unavailable: 'The viewer cannot listen where it was told to.',
  invalid_machine: 'The machine cannot be read: XState refuses it, or it is too large to draw.',
  invalid_option: 'An option is unknown, or has a value outside its range.',
  internal: 'An invariant of Stele does not hold: a bug in Stele.',
} as const

/** The stable name of an error. Compare this, never a message. */
export type ErrorCode = keyof typeof errorTable

/** What an error says besides its code: identifiers and figures, by name. */
export type ErrorFields = Readonly<Record<string, unknown>>

/** What `toJSON` of an error gives. */
export interface ErrorJson {
  /** Name of the class. */
  readonly name: string
  /** The stable name of the error. */
  readonly code: ErrorCode
  /** What happened, and what to do. */
  readonly message: string
  /** Identifiers and figures that belong to the error. */
  readonly fields: ErrorFields
}

/** How to make a {@link SteleError}. */
export interface ErrorOptions {
  /** Identifiers and figures that belong to the error. */
  readonly fields?: ErrorFields | undefined
  /** What caused it. */
  readonly cause?: unknown
}

// Registered, so that two copies of the package recognise each other's errors.
const mark = Symbol.for('stele.error')

/**
 * The only error that public functions throw. The message says what happened, to which id, and
 * what to do; `code` is stable; `fields` holds the ids.
 */
export class SteleError extends Error {
  /** Name of the class; compare `code`, or ask `isSteleError`. */
  override readonly name: string = 'SteleError'
  /** The stable name of the error, one of those in `docs/reference/errors.md`. */
  readonly code: ErrorCode
  /** Identifiers and figures that belong to the error. */
  readonly fields: ErrorFields

  constructor(code: ErrorCode, message: string, options: ErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.fields = options.fields ?? {}
    Object.defineProperty(this, mark, { value: true })
  }

  /** The error as plain data, without stack and cause. */
  toJSON(): ErrorJson {
    return { name: this.name, code: this.code, message: this.message, fields: this.fields }
  }
}

/** Whether `error` is one of ours, and of the given code when one is given. */
export function isSteleError(error: unknown, code?: ErrorCode): error is SteleError {
  if (typeof error !== 'object' || error === null) return false
  try {
    return mark in error && (code === undefined || ('code' in error && error.code === code))
  } catch {
    // Anything can be thrown, a proxy whose traps throw too; that is not one of ours.
    return false
  }
}
