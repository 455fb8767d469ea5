/** A relay of frames that a test opens, breaks and opens again, on the loopback. */

import { type AddressInfo, createServer, type Server } from 'node:net'
import { type WebSocket, WebSocketServer } from 'ws'

/** A relay that writes down what it is sent. */
export interface Relay extends AsyncDisposable {
  readonly port: number
  readonly url: string
  /** What has arrived, as text. */
  readonly received: readonly string[]
  /** Resolves when so many messages have arrived in all. */
  readonly until: (count: number) => Promise<void>
  /** Resolves when somebody has connected for the nth time. */
  readonly connected: (times: number) => Promise<void>
  /** Reads nothing until `resume`. */
  readonly pause: () => void
  readonly resume: () => void
  /** Cuts every connection. */
  readonly cut: () => void
}

/** Opens one; `port` 0 is any that is free. */
export async function openRelay(port = 0): Promise<Relay> {
  const server = new WebSocketServer({ host: '127.0.0.1', port })
  const received: string[] = []
  const waiting = new Set<() => void>()
  let connections = 0
  server.on('connection', (socket: WebSocket) => {
    connections += 1
    tell(waiting)
    socket.on('error', () => undefined)
    socket.on('message', (data: Buffer) => {
      received.push(data.toString())
      tell(waiting)
    })
  })
  await new Promise((resolve) => server.once('listening', resolve))
  const cut = (): void => {
    for (const client of server.clients) client.terminate()
  }
  const place = portOf(server)
  return {
    port: place,
    url: `ws://127.0.0.1:${place}`,
    received,
    until: (count) => when(waiting, () => received.length >= count),
    connected: (times) => when(waiting, () => connections >= times),
    pause: () => {
      for (const client of server.clients) client.pause()
    },
    resume: () => {
      for (const client of server.clients) client.resume()
    },
    cut,
    [Symbol.asyncDispose]: async () => {
      cut()
      await new Promise((resolve) => {
        server.close(resolve)
      })
    },
  }
}

/** A port at which nobody listens. */
export async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const port = portOf(server)
  await new Promise((resolve) => {
    server.close(resolve)
  })
  return port
}

function portOf(server: Pick<WebSocketServer, 'address'> | Server): number {
  return (server.address() as AddressInfo).port
}

function tell(waiting: ReadonlySet<() => void>): void {
  for (const look of waiting) look()
}

function when(waiting: Set<() => void>, isSo: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    const look = (): void => {
      if (!isSo()) return
      waiting.delete(look)
      resolve()
    }
    waiting.add(look)
    look()
  })
}
