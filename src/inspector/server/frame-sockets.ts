/** The sockets of the bridge to the hosted inspector: frames, as fast as they are read. */

import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { type WebSocket, WebSocketServer } from 'ws'
import type { FrameHub } from './frame-hub.ts'
import { bufferedMax, frameMax } from './live.ts'
import { createLiveQueue } from './live-queue.ts'

/** Bridges at once: each has what every actor does converted for it. */
export const bridgesMax = 4
/** Frames that wait for one bridge. */
const framesWaitingMax = 5_000

/** The sockets of the bridge. */
export interface FrameSockets {
  /** Takes over a connection that has been let in; `false` when there are too many. */
  readonly take: (request: IncomingMessage, socket: Duplex, head: Buffer) => boolean
  readonly close: () => void
}

/** No bridge yet. Without a hub a bridge has nothing to say. */
export function createFrameSockets(hub: Pick<FrameHub, 'join'> | undefined): FrameSockets {
  const server = new WebSocketServer({
    noServer: true,
    maxPayload: frameMax,
    perMessageDeflate: false,
    clientTracking: false,
  })
  const sockets = new Set<WebSocket>()
  const join = (socket: WebSocket): void => {
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
    const leave = hub?.join((frame) => {
      queue.push(JSON.stringify(frame))
    })
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
