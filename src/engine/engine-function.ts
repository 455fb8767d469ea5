/** A function as executors know it: identity and settings, without its code. */

import type { Milliseconds } from '../base/time.ts'
import type { FunctionId } from '../model/function-id.ts'
import type { RetryPolicy } from '../model/retry.ts'
import type { LockingStrategy } from '../storage/lock.ts'

/** What an executor needs to know of a function. */
export interface EngineFunction {
  readonly id: FunctionId
  readonly retry: RetryPolicy
  /** The limit of one attempt. */
  readonly timeout: Milliseconds
  /** How soon others take over after a crash; renewed while the process lives. */
  readonly lockExpiry: Milliseconds
  /** How many runs at once in this engine, when it has a limit of its own. */
  readonly concurrency?: number | undefined
  readonly strategy: LockingStrategy
  /** The machine's config as JSON text, for viewers; absent for code. */
  readonly definition?: string | undefined
}
