/** A client over a storage on which no engine of this process runs: for viewers and tools. */

import { type Codec, defaultCodec } from '../base/codec.ts'
import type { Random } from '../base/random.ts'
import type { Clock, Scheduler } from '../base/time.ts'
import { createUlids } from '../base/ulid.ts'
import { newDeploymentId } from '../model/ids.ts'
import { createNotifications } from '../storage/notifications.ts'
import { createStorage } from '../storage/storage.ts'
import { createCheckedClock, createSteadyClock } from './checked-clock.ts'
import { type ClientContext, createStopSwitch } from './client-context.ts'
import type { StorageFactory } from './engine-options.ts'
import { resolveLimits } from './limits.ts'
import { createLookout } from './lookout.ts'
import { openStorage } from './open-storage.ts'

/** What to open, and what it stands on. */
export interface OpenClientOptions {
  /** A file name, or a storage object. */
  readonly storage: string | StorageFactory
  /** Nothing is created, migrated or written. */
  readonly readOnly: boolean
  /** Default: the one that engines have by default. */
  readonly codec?: Codec | undefined
  readonly clock: Clock
  readonly random: Random
  readonly scheduler: Scheduler
}

/** An open storage, and what clients of it stand on. */
export interface OpenedClient {
  readonly context: ClientContext
  readonly close: () => Promise<void>
}

/** Opens a storage. Rejects with `invalid_option`, or with what opening it throws. */
export async function openClient(options: OpenClientOptions): Promise<OpenedClient> {
  const { storage: given, readOnly, random, scheduler } = options
  const clock = createCheckedClock(options.clock)
  const steady = createSteadyClock(clock)
  const driver = await openStorage(given, { clock: steady, random, scheduler, readOnly })
  const { hasForeignChanges } = driver
  const storage = createStorage(driver, createNotifications({ scheduler, hasForeignChanges }))
  const mintUlid = createUlids(steady, random)
  const { requireOpen, onStop, stop } = createStopSwitch()
  const context: ClientContext = {
    storage,
    clock,
    scheduler,
    mintUlid,
    codec: options.codec ?? defaultCodec,
    limits: resolveLimits(),
    lookout: createLookout({ storage, scheduler }),
    deploymentId: newDeploymentId(mintUlid()),
    definitions: new Map(),
    requireOpen,
    onStop,
  }
  return {
    context,
    close: async () => {
      stop()
      await storage.close()
    },
  }
}
