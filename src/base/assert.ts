/** Invariants, checked on both sides of a border. A failed one is a bug of ours, never of users. */

import { SteleError } from './error.ts'

/** Throws `internal` unless the invariant holds. */
export function assert(holds: boolean, invariant: string): asserts holds {
  if (!holds) throw new SteleError('internal', `Invariant broken: ${invariant}. Please report it.`)
}

/** The last arm of an exhaustive `switch`: the compiler proves it is never reached. */
export function unreachable(value: never): never {
  throw new SteleError('internal', `Unexpected value ${JSON.stringify(value)}. Please report it.`)
}
