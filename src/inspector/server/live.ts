/** The sockets of a viewer: told of changes, and never waited for. */

import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { type WebSocket, WebSocketServer } from 'ws'
import type { Cancel, Milliseconds, Scheduler } from '../../base/time.ts'
import type { Notifications } from '../../storage/notifications.ts'
import { watchChanges } from './changes.ts'
import { createLiveQueue, type LiveQueue } from './live-queue.ts'

/** Bytes of a frame that a viewer may send: it has nothing to say. */
export const frameMax = 1_024
/** Sockets at once. */
export const socketsMax = 32
/** Texts that wait for one socket. */
const liveQueueMax = 100
/** Bytes that a socket may hold back before the next text waits. */
export const bufferedMax = 64 * 1024
/** How often a socket has to say that it lives. */
const pingInterval: Milliseconds = 30_000

/** What the sockets stand on. */
export interface LiveOptions {
  readonly notifications: Pick<Notifications, 'onCommit'>
  readonly scheduler: Scheduler
}

/** The sockets of a viewer. */
export interface Live {
  /** Takes over a connection that has been let in; `false` when there are too many. */
  readonly take: (request: IncomingMessage, socket: Duplex, head: Buffer) => boolean
  readonly close: () => void
}

/** No socket yet. */
export function createLive({ notifications, scheduler }: LiveOptions): Live {
  const server = new WebSocketServer({
    noServer: true,
    maxPayload: frameMax,
    perMessageDeflate: false,
    clientTracking: false,
  })
  const members = new Map<WebSocket, Member>()
  let unwatch: Cancel | undefined
  const tell = (message: object): void => {
    const text = JSON.stringify(message)
    for (const { queue } of members.values()) queue.push(text)
  }
  const leave = (socket: WebSocket): void => {
    members.delete(socket)
    if (members.size > 0) return
    unwatch?.()
    unwatch = undefined
  }
  const join = (socket: WebSocket): void => {
    members.set(socket, memberOf(socket))
    socket.on('close', () => {
      leave(socket)
    })
    // A frame that is too large, or broken: the socket closes by itself.
    socket.on('error', () => undefined)
    unwatch ??= watchAll({ notifications, scheduler, members, tell })
  }
  return {
    take: (request, socket, head) => {
      if (members.size >= socketsMax) return false
      server.handleUpgrade(request, socket, head, join)
      return true
    },
    close: () => {
      for (const socket of members.keys()) socket.terminate()
      server.close()
    },
  }
}

interface Member {
  readonly queue: LiveQueue
  /** False from a ping until its pong. */
  isAlive: boolean
}

function memberOf(socket: WebSocket): Member {
  const queue = createLiveQueue(
    {
      isRoomy: () => socket.readyState === socket.OPEN && socket.bufferedAmount < bufferedMax,
      send: (text, onSent) => {
        socket.send(text, onSent)
      },
    },
    liveQueueMax,
  )
  const member = { queue, isAlive: true }
  socket.on('pong', () => {
    member.isAlive = true
  })
  return member
}

interface WatchOptions extends LiveOptions {
  readonly members: ReadonlyMap<WebSocket, Member>
  readonly tell: (message: object) => void
}

/** While anybody is there: tells of changes, and lets go of those that are gone. */
function watchAll({ notifications, scheduler, members, tell }: WatchOptions): Cancel {
  const unwatch = watchChanges({ notifications, scheduler, tell })
  let timer: Cancel | undefined
  const look = (): void => {
    timer = scheduler.after(pingInterval, look)
    for (const [socket, member] of members) {
      if (!member.isAlive) socket.terminate()
      member.isAlive = false
      if (socket.readyState === socket.OPEN) socket.ping()
    }
  }
  timer = scheduler.after(pingInterval, look)
  return () => {
    unwatch()
    timer?.()
  }
}
