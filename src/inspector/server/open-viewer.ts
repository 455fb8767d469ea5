/** `openViewer`: a local web page that shows what an engine does, or did. */

import { SteleError } from '../../base/error.ts'
import { type Assets, createAssets } from './assets.ts'
import type { FrameHub } from './frame-hub.ts'
import { createFrameSockets } from './frame-sockets.ts'
import { createLive } from './live.ts'
import { readPast } from './past.ts'
import { openSource } from './source.ts'
import { isWildcard, resolveViewerOptions, type ViewerOptions } from './viewer-options.ts'
import { createViewerServer, listen } from './viewer-server.ts'

/** A viewer that listens. */
export interface Viewer extends AsyncDisposable {
  /** Open this in a browser. Whoever has it can see everything: it holds the token. */
  readonly url: string
  /** The port it listens on. */
  readonly port: number
  /** Stops listening and closes every connection; the engine goes on. Idempotent. */
  readonly close: () => Promise<void>
}

/**
 * Opens a viewer: of an engine in this process, or of a database, which is then only read. Rejects
 * with `invalid_option`, `viewer_unavailable` when it cannot listen, or what opening the database
 * rejects with.
 */
export async function openViewer(options: ViewerOptions): Promise<Viewer> {
  return openViewerWith(options, { assets: createAssets() })
}

/** What a viewer is opened with beside its options. */
export interface ViewerParts {
  /** The tests run the source, and the files of its build. */
  readonly assets: Assets
  /** What the actors of the engine do, for the bridge. */
  readonly hub?: FrameHub | undefined
}

/** The same, with parts of the caller's. */
export async function openViewerWith(
  options: ViewerOptions,
  { assets, hub }: ViewerParts,
): Promise<Viewer> {
  const settings = resolveViewerOptions(options)
  const { host, port, rules, allowActions, keepAlive, random, scheduler, logger } = settings
  const { engine, storage, codec } = settings.read
  const { clock } = settings
  const ports = { clock, random, scheduler }
  const source = await openSource({ engine, storage, codec, actions: allowActions, ...ports })
  const { notifications } = source.context.storage
  const live = createLive({ notifications, scheduler })
  const frames = createFrameSockets({ hub, readPast: (id) => readPast(source.context, id) })
  const shown = { source, assets, live, frames }
  const server = createViewerServer({ ...shown, rules, allowActions, random, logger })
  if (!keepAlive) {
    server.unref()
    server.on('connection', (socket) => socket.unref())
  }
  const listening = await listen(server, { host, port }).catch(async (cause: unknown) => {
    await source.close()
    throw unavailable(host, port, cause)
  })
  const close = closeOnce(async () => {
    live.close()
    frames.close()
    const closed = new Promise<void>((resolve) => server.close(() => resolve()))
    server.closeAllConnections()
    await closed
    await source.close()
  })
  source.context.onStop(() => {
    close().catch(() => undefined)
  })
  const shownHost = isWildcard(host) ? '127.0.0.1' : host
  const place = shownHost.includes(':') ? `[${shownHost}]` : shownHost
  const url = `http://${place}:${listening}/?token=${rules.token}`
  return { url, port: listening, close, [Symbol.asyncDispose]: close }
}

function closeOnce(close: () => Promise<void>): () => Promise<void> {
  let closing: Promise<void> | undefined
  return () => {
    closing ??= close()
    return closing
  }
}

function unavailable(host: string, port: number, cause: unknown): SteleError {
  return new SteleError(
    'viewer_unavailable',
    `The viewer cannot listen on ${host}:${port}. Give another port, or none for a free one.`,
    { fields: { host, port }, cause },
  )
}
