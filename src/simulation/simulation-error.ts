/** How a simulation fails: what does not hold, where, and what to do about it. */

import { SteleError } from '../base/error.ts'
import type { Instant } from '../base/time.ts'

/** What kind of failure it is. */
export type FailureKind =
  | 'invariant'
  | 'scenario'
  | 'liveness'
  | 'outside'
  | 'uncaught'
  | 'nondeterminism'

/** Why a simulation failed. */
export interface SimulationFailure {
  /** Which kind of failure it is. */
  readonly kind: FailureKind
  /** What does not hold; smaller cases must fail in the same one. */
  readonly invariant: string
  /** What happened, to whom. */
  readonly message: string
  /** True time. */
  readonly at: Instant
  /** Steps that the kernel had made. */
  readonly step: number
  /** What the scenario threw, when it did. */
  readonly cause?: unknown
}

/** Thrown in a scenario by `w.check` and the like. */
export class CheckError extends Error {
  readonly invariant: string

  constructor(invariant: string, message: string) {
    super(message)
    this.invariant = invariant
  }
}

/** The failure of something that a scenario threw. */
export function failureOf(
  thrown: unknown,
  place: Pick<SimulationFailure, 'at' | 'step'>,
): SimulationFailure {
  if (thrown instanceof CheckError) {
    const { invariant, message } = thrown
    return { kind: 'scenario', invariant, message, ...place }
  }
  const message = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)
  const name = nameOf(thrown)
  return { kind: 'scenario', invariant: `the scenario: ${name}`, message, ...place, cause: thrown }
}

/** The failure of something that a callback threw where nobody could catch it. */
export function uncaughtFailure(
  process: string,
  thrown: unknown,
  place: Pick<SimulationFailure, 'at' | 'step'>,
): SimulationFailure {
  const { message } = failureOf(thrown, place)
  const invariant = 'nothing is thrown where nobody can catch it'
  return { kind: 'uncaught', invariant, message: `${process}: ${message}`, ...place, cause: thrown }
}

/** Stable from one case to a smaller one: texts with ids in them are not. */
function nameOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return 'threw something'
  const code: unknown = Reflect.get(thrown, 'code')
  return typeof code === 'string' ? `${thrown.name} ${code}` : thrown.name
}

/** The error that `simTest` and `explore` reject with. */
export function simulationError(message: string, result: object): SteleError {
  return new SteleError('simulation_failed', message, { fields: { result } })
}
