/** The sockets of the bridge to the hosted inspector: frames, as fast as they are read. */

import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { type WebSocket, WebSocketServer } from 'ws'
import type { Frame } from '../frame.ts'
import type { FrameHub } from './frame-hub.ts'
import { bufferedMax, frameMax } from './live.ts'
import { createLiveQueue } from './live-queue.ts'

/** Bridges at once: each has what every actor does converted for it. */
export const bridgesMax = 4
/** Frames that wait for one bridge; of a longer past the end is seen. */
const framesWaitingMax = 20_000

/** The sockets of the bridge. */
export interface FrameSockets {
  /** Takes over a connection that has been let in; `false` when there are too many. */
  readonly take: (request: IncomingMessage, socket: Duplex, head: Buffer) => boolean
  readonly close: () => void
}

/** Where frames come from. */
export interface FrameSources {
  /** What the actors of an engine do; without it a bridge to them has nothing to say. */
  readonly hub: Pick<FrameHub, 'join'> | undefined
  /** What an execution did, from its log. Rejects when there is none. */
  readonly readPast: (id: string) => Promise<readonly Frame[]>
}

/** No bridge yet. One that names an execution gets its past; any other what goes on. */
export function createFrameSockets({ hub, readPast }: FrameSources): FrameSockets {
  const server = new WebSocketServer({
    noServer: true,
    maxPayload: frameMax,
    perMessageDeflate: false,
    clientTracking: false,
  })
  const sockets = new Set<WebSocket>()
  const join = (socket: WebSocket, request: IncomingMessage): void => {
    sockets.add(socket)
    const queue = createLiveQueue(
      {
        isRoomy: () => socket.readyState === socket.OPEN && socket.bufferedAmount < bufferedMax,
        send: (text, onSent) => {
          socket.send(text, onSent)
        },
      },
      framesWaitingMax,
    )
    const tell = (frame: Frame): void => {
      queue.push(JSON.stringify(frame))
    }
    const id = idOf(request)
    const leave = id === undefined ? hub?.join(tell) : undefined
    if (id !== undefined) {
      readPast(id).then(
        (frames) => frames.forEach(tell),
        () => {
          socket.close()
        },
      )
    }
    socket.on('close', () => {
      sockets.delete(socket)
      leave?.()
    })
    // A frame that is too large, or broken: the socket closes by itself.
    socket.on('error', () => undefined)
  }
  return {
    take: (request, socket, head) => {
      if (sockets.size >= bridgesMax) return false
      server.handleUpgrade(request, socket, head, join)
      return true
    },
    close: () => {
      for (const socket of sockets) socket.terminate()
      server.close()
    },
  }
}

/** The execution that a bridge is about. */
function idOf({ url = '/' }: IncomingMessage): string | undefined {
  return new URL(url, 'http://localhost').searchParams.get('id') ?? undefined
}
