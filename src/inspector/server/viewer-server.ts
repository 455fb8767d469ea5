/** The viewer's HTTP server: one gate before everything, then pages, files, questions, actions. */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Logger } from '../../base/logger.ts'
import { invalidOption } from '../../base/options.ts'
import type { Random } from '../../base/random.ts'
import { questions } from './api.ts'
import { actions, parseAction } from './api-actions.ts'
import { warmCharts } from './api-charts.ts'
import type { Assets } from './assets.ts'
import { readBody } from './body.ts'
import type { FrameSockets } from './frame-sockets.ts'
import { checkRequest, type GateRules } from './gate.ts'
import { pagePolicy } from './headers.ts'
import type { Live } from './live.ts'
import { statelyHost, statelyPage, viewerPage } from './page.ts'
import { createQuery } from './query.ts'
import { errorReply, jsonReply, type Reply, refusalReply, send } from './respond.ts'
import type { ViewerSource } from './source.ts'
import { mintToken } from './token.ts'
import type { InfoAnswer } from './wire.ts'

/** Bytes of the head of a request. */
const headMax = 16 * 1024
/** How long a request may take to arrive, in milliseconds. */
const requestTimeout = 10_000
/** Connections at once. */
const connectionsMax = 128

/** What the server stands on. */
export interface ViewerServerOptions {
  readonly source: ViewerSource
  readonly rules: GateRules
  readonly allowActions: boolean
  readonly assets: Assets
  readonly live: Live
  readonly frames: FrameSockets
  readonly random: Random
  readonly logger: Logger
}

/** A request that was let in. */
interface Visit {
  readonly request: IncomingMessage
  readonly url: URL
  /** The token came in the URL: the browser is to keep it. */
  readonly isNew: boolean
}

/** The server, which does not listen yet. */
export function createViewerServer(options: ViewerServerOptions): Server {
  const server = createServer({ maxHeaderSize: headMax, requestTimeout }, (request, response) => {
    void answer(options, request, response)
  })
  server.maxConnections = connectionsMax
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    upgrade(options, { request, socket, head })
  })
  // What cannot be read as a request is not worth an answer.
  server.on('clientError', (_cause, socket) => {
    socket.destroy()
  })
  return server
}

async function answer(
  options: ViewerServerOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  try {
    const { method = '', url = '', headers } = request
    const gate = checkRequest(options.rules, { method, url, headers })
    if (!gate.ok) {
      send(response, refusalReply(gate.status, gate.reason))
      return
    }
    const visit = { request, url: gate.url, isNew: gate.by === 'url' }
    send(response, await replyTo(options, visit))
  } catch (cause) {
    options.logger.warn({ err: cause }, 'A viewer could not be answered')
    send(response, errorReply(cause))
  }
}

async function replyTo(options: ViewerServerOptions, visit: Visit): Promise<Reply> {
  const { method } = visit.request
  if (method === 'POST') return act(options, visit)
  if (method !== 'GET') return refusalReply(405, 'The viewer knows GET and POST.')
  const { pathname, searchParams } = visit.url
  if (pathname === '/' || pathname === '/stately') return pageReply(options, visit)
  if (pathname === '/api/info') return jsonReply(infoOf(options))
  const question = questions.get(pathname)
  if (question !== undefined) {
    return attempt(() => question(options.source, createQuery(searchParams)))
  }
  const asset = await options.assets(pathname)
  if (asset === undefined) return refusalReply(404, 'There is nothing under this path.')
  return { status: 200, ...asset }
}

/** What a question is refused for is an answer, and no fault of the viewer's. */
async function attempt(run: () => Promise<object>): Promise<Reply> {
  try {
    return jsonReply(await run())
  } catch (cause) {
    const reply = errorReply(cause)
    if (reply.status >= 500) throw cause
    return reply
  }
}

async function act(
  { source, allowActions }: ViewerServerOptions,
  { request, url }: Visit,
): Promise<Reply> {
  const action = actions.get(url.pathname)
  if (action === undefined) return refusalReply(404, 'There is no such action.')
  if (!allowActions) return refusalReply(403, 'This viewer only looks: `actions` is off.')
  if (!/^application\/json\b/.test(request.headers['content-type'] ?? '')) {
    return refusalReply(415, 'The body must be JSON.')
  }
  const body = await readBody(request)
  if (body === undefined) return tooLarge
  return attempt(() => action(source, parseAction(body)))
}

const tooLarge: Reply = {
  ...refusalReply(413, 'The body is too large.'),
  // The rest of it is not read.
  headers: { Connection: 'close' },
}

function infoOf({ source, allowActions }: ViewerServerOptions): InfoAnswer {
  const { kind, name, context } = source
  return { source: kind, name, actions: allowActions, now: context.clock.now() }
}

function pageReply({ random, rules }: ViewerServerOptions, { url, isNew }: Visit): Reply {
  warmCharts()
  const nonce = mintToken(random)
  const isBridge = url.pathname === '/stately'
  const policy = pagePolicy({ nonce, host: url.host, ...(isBridge ? { frame: statelyHost } : {}) })
  const cookie = `${rules.cookieName}=${rules.token}; HttpOnly; SameSite=Strict; Path=/`
  return {
    status: 200,
    type: 'text/html; charset=utf-8',
    body: isBridge ? statelyPage({ nonce }) : viewerPage({ nonce }),
    headers: {
      'Content-Security-Policy': policy,
      ...(isNew ? { 'Set-Cookie': cookie } : {}),
    },
  }
}

interface Upgrade {
  readonly request: IncomingMessage
  readonly socket: Duplex
  readonly head: Buffer
}

/** Refused sockets are told why in one line, and closed. */
function upgrade(
  { rules, live, frames }: ViewerServerOptions,
  { request, socket, head }: Upgrade,
): void {
  socket.on('error', () => undefined)
  const { url = '', headers } = request
  const gate = checkRequest(rules, { method: 'GET', url, headers, isUpgrade: true })
  if (!gate.ok) {
    refuseSocket(socket, gate.status)
    return
  }
  const takers = new Map<string, Live | FrameSockets>([
    ['/live', live],
    ['/frames', frames],
  ])
  const taker = takers.get(gate.url.pathname)
  if (taker === undefined) refuseSocket(socket, 404)
  else if (!taker.take(request, socket, head)) refuseSocket(socket, 503)
}

function refuseSocket(socket: Duplex, status: number): void {
  socket.end(`HTTP/1.1 ${status} Refused\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
}

/** Listens; gives the port. Rejects with the error of the system. */
export function listen(server: Server, address: { host: string; port: number }): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(address.port, address.host, () => {
      server.removeListener('error', reject)
      const found = server.address()
      if (typeof found === 'object' && found !== null) resolve(found.port)
      else reject(invalidOption('openViewer.port', 'is none that can be listened on'))
    })
  })
}
