/** The viewer of an inspector: opened on the engine that the inspector is given to. */

import type { InspectionEvent } from 'xstate'
import { SteleError } from '../base/error.ts'
import type { Logger } from '../base/logger.ts'
import { createAssets } from './server/assets.ts'
import { createFrameHub, type FrameHubOptions } from './server/frame-hub.ts'
import { openViewerWith, type Viewer } from './server/open-viewer.ts'
import { resolveViewerOptions, type ViewerOptions } from './server/viewer-options.ts'

/** Options of the viewer that an inspector opens. With any of them there is one. */
export type ViewingOptions = Pick<
  ViewerOptions,
  'port' | 'host' | 'token' | 'hosts' | 'actions' | 'keepAlive'
>

/** Names of these options. */
export const viewingOptions = ['port', 'host', 'token', 'hosts', 'actions', 'keepAlive'] as const

/** What it stands on. */
export interface ViewingSetup extends FrameHubOptions {
  readonly options: ViewingOptions
  readonly logger: Logger
}

/** A viewer that waits for its engine. */
export interface Viewing {
  readonly next: (event: InspectionEvent) => void
  /** Opens the viewer on an engine; of several the first. Never throws. */
  readonly attach: (engine: object) => void
  /** Resolves with the viewer; rejects when it cannot listen, or is closed before. */
  readonly viewer: () => Promise<Viewer>
  readonly close: () => Promise<void>
}

/** Checks the options now, and opens when there is an engine. Throws `invalid_option`. */
export function createViewing({ options, logger, ...frames }: ViewingSetup): Viewing {
  // Whoever gives a wrong option hears of it here, and not when an engine comes.
  resolveViewerOptions({ ...options, engine: {} })
  const hub = createFrameHub(frames)
  let settle: Settle | undefined
  const opening = new Promise<Viewer>((resolve, reject) => {
    settle = { resolve, reject }
  })
  // It may be that nobody asks for the URL.
  opening.catch(() => undefined)
  let isAttached = false
  return {
    next: hub.next,
    attach: (engine) => {
      if (isAttached) return
      isAttached = true
      openViewerWith({ ...options, engine, logger }, { assets: createAssets(), hub }).then(
        (viewer) => {
          logger.info({ port: viewer.port }, 'The viewer listens')
          settle?.resolve(viewer)
        },
        (cause: unknown) => {
          logger.warn({ err: cause }, 'The viewer could not be opened; the engine goes on')
          settle?.reject(cause)
        },
      )
    },
    viewer: () => opening,
    close: async () => {
      if (!isAttached) {
        isAttached = true
        settle?.reject(closedError())
      }
      const viewer = await opening.catch(() => undefined)
      await viewer?.close()
    },
  }
}

interface Settle {
  readonly resolve: (viewer: Viewer) => void
  readonly reject: (cause: unknown) => void
}

function closedError(): SteleError {
  return new SteleError(
    'viewer_unavailable',
    'The inspector was closed before an engine had it. Give it to `createEngine` as `inspect`.',
  )
}
