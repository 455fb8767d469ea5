/** What a database must offer. Whoever implements this runs every transaction of the house. */

import type { Result } from '../base/result.ts'
import type { Protocol } from './protocol.ts'

/** A protocol that writes: whenever it ends in a refusal, what it wrote is rolled back. */
export type WriteProtocol<Value, Refusal> = Protocol<Result<Value, Refusal>>

/** A database, opened. Every method rejects with a `storage_…` error when the database fails. */
export interface Driver {
  /**
   * Runs a writing transaction, atomically and serialised with all others of this database.
   * Resolves after its commit is durable, or after its refusal was rolled back.
   *
   * A driver whose transactions take in several writes calls `onAccepted` before the commit, when
   * the protocol has run for the first time and was not refused: what is asked for in there may
   * share the commit. The commit may still fail, or the protocol be run again, without a call.
   * Other drivers never call it.
   */
  readonly write: <Value, Refusal>(
    protocol: () => WriteProtocol<Value, Refusal>,
    onAccepted?: (value: Value) => void,
  ) => Promise<Result<Value, Refusal>>
  /** Runs a reading transaction on one consistent snapshot. */
  readonly read: <Value>(protocol: () => Protocol<Value>) => Promise<Value>
  /** Whether somebody outside this driver has committed since the last time it was asked. */
  readonly hasForeignChanges: () => boolean
  /** Hands over what a commit has to tell to this process; at once when absent. */
  readonly relay?: ((deliver: () => void) => void) | undefined
  /** Finishes what was asked for and lets go of the database. Idempotent. */
  readonly close: () => Promise<void>
}
