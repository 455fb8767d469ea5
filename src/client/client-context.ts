/** What clients and handles stand on. */

import type { Codec } from '../base/codec.ts'
import { SteleError } from '../base/error.ts'
import type { Cancel, Clock, Scheduler } from '../base/time.ts'
import type { MintUlid } from '../base/ulid.ts'
import type { DeploymentId } from '../model/ids.ts'
import type { Storage } from '../storage/storage.ts'
import type { FunctionDefinition } from '../workers/definition.ts'
import type { Limits } from './limits.ts'
import type { Lookout } from './lookout.ts'

/** The surroundings of a client. */
export interface ClientContext {
  readonly storage: Storage
  readonly clock: Clock
  readonly scheduler: Scheduler
  readonly mintUlid: MintUlid
  readonly codec: Codec
  readonly limits: Limits
  /** Sees for all who wait what other processes have finished. */
  readonly lookout: Lookout
  readonly deploymentId: DeploymentId
  /** Functions that this engine executes, by name. */
  readonly definitions: ReadonlyMap<string, FunctionDefinition>
  /** Throws `engine_stopped` once the engine is stopped. */
  readonly requireOpen: () => void
  readonly onStop: (listener: () => void) => Cancel
  /** Permits of the executors in this process, by their ids; absent where there is no engine. */
  readonly permits?: (() => ReadonlyMap<string, PermitCount>) | undefined
}

/** Runs that an executor may have at once, and those that it could still take. */
export interface PermitCount {
  readonly total: number
  readonly free: number
}

/** Whether an engine is open, and who wants to know when it closes. */
export interface StopSwitch {
  readonly requireOpen: () => void
  readonly onStop: (listener: () => void) => Cancel
  readonly stop: () => void
}

/** A switch that is open. */
export function createStopSwitch(): StopSwitch {
  const listeners = new Set<() => void>()
  let stopped = false
  return {
    requireOpen: () => {
      if (stopped) throw stoppedError()
    },
    onStop: (listener) => {
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
      }
    },
    stop: () => {
      stopped = true
      for (const listen of listeners) listen()
    },
  }
}

/** The error for everything that is asked of a stopped engine. */
export function stoppedError(): SteleError {
  return new SteleError(
    'engine_stopped',
    'The engine is stopped. Create another one on the same storage; nothing is lost.',
  )
}

/** A private field of engines, which viewers of this package may read. */
const contexts = new WeakMap<object, ClientContext>()

/** Lets `findContext` know what an engine stands on. */
export function shareContext(engine: object, context: ClientContext): void {
  contexts.set(engine, context)
}

/** What an engine stands on; `undefined` for whatever is no engine of this copy of the package. */
export function findContext(engine: object): ClientContext | undefined {
  return contexts.get(engine)
}
