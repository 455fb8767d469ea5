/** `openViewer`: a local web page that shows what an engine does, or did. */

import { SteleError } from '../../base/error.ts'
import { type Assets, createAssets } from './assets.ts'
import { createLive } from './live.ts'
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
  return openViewerWith(options, createAssets())
}

/** The same, with files from elsewhere: the tests run the source, and its build. */
export async function openViewerWith(options: ViewerOptions, assets: Assets): Promise<Viewer> {
  const settings = resolveViewerOptions(options)
  const { host, port, rules, allowActions, keepAlive, random, scheduler, logger } = settings
  const { engine, storage, codec } = settings.read
  const { clock } = settings
  const ports = { clock, random, scheduler }
  const source = await openSource({ engine, storage, codec, actions: allowActions, ...ports })
  const { notifications } = source.context.storage
  const live = createLive({ notifications, scheduler })
  const server = createViewerServer({ source, rules, allowActions, assets, live, random, logger })
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
