/** What every part of an engine stands on. Handed down; nothing here is global. */

import type { InspectionEvent, Observer } from 'xstate'
import type { Logger } from '../base/logger.ts'
import type { Clock, Scheduler } from '../base/time.ts'
import type { MintUlid } from '../base/ulid.ts'
import type { DeploymentId } from '../model/ids.ts'
import type { Storage } from '../storage/storage.ts'

/** An XState inspection observer, as `createActor({ inspect })` takes it. */
export type Inspector =
  | (Partial<Observer<InspectionEvent>> & {
      /** Called once with the engine, when it has been created. What it throws is dropped. */
      readonly attach?: ((engine: object) => void) | undefined
    })
  | ((event: InspectionEvent) => void)

/** The surroundings of executors and of the timers watcher. */
export interface EngineContext {
  readonly storage: Storage
  readonly clock: Clock
  readonly scheduler: Scheduler
  readonly mintUlid: MintUlid
  readonly logger: Logger
  readonly deploymentId: DeploymentId
  /** Already guarded: what it throws ends there. */
  readonly inspect?: ((event: InspectionEvent) => void) | undefined
}
