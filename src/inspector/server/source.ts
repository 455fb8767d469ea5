/** What a viewer looks at: the engine of this process, or the database of engines elsewhere. */

import { basename } from 'node:path'
import { type Codec, defaultCodec } from '../../base/codec.ts'
import { invalidOption } from '../../base/options.ts'
import type { Random } from '../../base/random.ts'
import type { Clock, Scheduler } from '../../base/time.ts'
import { type ClientContext, findContext } from '../../client/client-context.ts'
import type { StorageFactory } from '../../client/engine-options.ts'
import { openClient } from '../../client/open-client.ts'

/** What a viewer looks at. */
export interface ViewerSource {
  readonly kind: 'engine' | 'database'
  /** What it is called, for people. */
  readonly name: string
  readonly context: ClientContext
  /** Lets go of what was opened for the viewer; an engine goes on. */
  readonly close: () => Promise<void>
}

/** What to look at, and what a database is opened with. */
export interface SourceOptions {
  readonly engine?: object | undefined
  readonly storage?: string | StorageFactory | undefined
  readonly actions: boolean
  readonly codec?: Codec | undefined
  readonly clock: Clock
  readonly random: Random
  readonly scheduler: Scheduler
}

/** Opens what is to be looked at. Rejects with `invalid_option`, or what opening it throws. */
export async function openSource(options: SourceOptions): Promise<ViewerSource> {
  const { engine, storage, actions, clock, random, scheduler } = options
  if ((engine === undefined) === (storage === undefined)) {
    throw invalidOption('openViewer', 'needs either an `engine` or a `storage`')
  }
  if (engine !== undefined) return sourceOfEngine(engine)
  if (storage === undefined) throw invalidOption('openViewer.storage', 'is missing')
  const codec = readableCodec(options.codec ?? defaultCodec)
  const opened = await openClient({
    storage,
    // Whoever acts writes, as any client does.
    readOnly: !actions,
    codec,
    clock,
    random,
    scheduler,
  })
  const name = typeof storage === 'string' ? basename(storage) : 'database'
  return { kind: 'database', name, context: opened.context, close: opened.close }
}

function sourceOfEngine(engine: object): ViewerSource {
  const context = findContext(engine)
  if (context === undefined) {
    throw invalidOption('openViewer.engine', 'must be what `createEngine` of this package gave')
  }
  const codec = readableCodec(context.codec)
  return {
    kind: 'engine',
    name: context.deploymentId,
    context: { ...context, codec },
    close: () => Promise.resolve(),
  }
}

/** What a codec cannot read is looked at as it is stored: a viewer must not fail over a value. */
function readableCodec(codec: Codec): Codec {
  return {
    encode: (value) => codec.encode(value),
    decode: (stored) => {
      try {
        return codec.decode(stored)
      } catch {
        return stored
      }
    },
  }
}
