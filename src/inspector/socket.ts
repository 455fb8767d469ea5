/**
 * A connection to a relay that listens somewhere, such as `createInspectorServer` of
 * `@statelyai/inspect`. It comes back after every loss, holds a bounded number of frames meanwhile,
 * and never keeps the process alive.
 */

import { connect as connectPlain, isIP, type Socket } from 'node:net'
import { connect as connectSecure } from 'node:tls'
import { WebSocket } from 'ws'
import type { Logger } from '../base/logger.ts'
import { readMember } from '../base/options.ts'
import type { Cancel, Milliseconds, Scheduler } from '../base/time.ts'
import type { Frame } from './frame.ts'
import { createFrameBuffer, type FrameBuffer } from './frame-buffer.ts'
import type { FrameSink } from './frame-sink.ts'

/** What a connection stands on. */
export interface SocketOptions {
  /** `ws://…` or `wss://…`. */
  readonly url: string
  /** Timers that do not keep the process alive. */
  readonly scheduler: Scheduler
  readonly logger: Logger
  /** Frames that wait at most. */
  readonly framesMax: number
}

/** Pause after a first failure; it doubles with each. */
const backoffMin: Milliseconds = 250
/** Longest pause between two attempts. */
const backoffMax: Milliseconds = 10_000
/** How long an attempt may take. */
const handshakeMax: Milliseconds = 2_000
/** How long the relay may take to answer a goodbye. */
const goodbyeMax: Milliseconds = 1_000
/** Bytes that may be on their way; more would pile up in memory when the relay is slow. */
const bytesInFlightMax = 4 * 1024 * 1024
/** Frames that are written before it is asked again how many bytes are on their way. */
const framesAtOnce = 100
/** Pause before a slow relay is tried again. */
const slowPause: Milliseconds = 50
/** Largest message that is taken from a relay, which has nothing to tell. */
const incomingBytesMax = 16 * 1024 * 1024

/** Connects at once, and again whenever the connection is lost. */
export function createSocket(options: SocketOptions): FrameSink {
  const socket = new RelaySocket(options)
  socket.connect()
  return { send: socket.send, drained: socket.drained, close: socket.close }
}

class RelaySocket {
  readonly #options: SocketOptions
  readonly #buffer: FrameBuffer
  #socket: WebSocket | undefined
  #isOpen = false
  #isClosed = false
  #isFlushing = false
  #failures = 0
  #retry: Cancel = () => undefined
  #writing = 0
  #waiting: (() => void)[] = []

  constructor(options: SocketOptions) {
    this.#options = options
    this.#buffer = createFrameBuffer(options.framesMax)
  }

  readonly connect = (): void => {
    const socket = open(this.#options.url)
    this.#socket = socket
    socket.on('open', () => {
      this.#opened()
    })
    // After an error comes a close; whoever listens to neither crashes.
    socket.on('error', (cause) => {
      this.#failed(cause)
    })
    socket.on('close', () => {
      this.#lost()
    })
    // What a relay says to others is not for us.
    socket.on('message', () => undefined)
  }

  readonly send = (frame: Frame): void => {
    if (this.#isClosed) return
    this.#buffer.add(frame)
    this.#flushSoon()
  }

  readonly drained = (): Promise<void> =>
    new Promise((resolve) => {
      this.#waiting.push(resolve)
      this.#flush()
    })

  readonly close = (): Promise<void> => {
    this.#isClosed = true
    this.#retry()
    const socket = this.#socket
    if (socket === undefined) return Promise.resolve()
    return new Promise((resolve) => {
      socket.once('close', () => {
        resolve()
      })
      socket.close()
      // The package itself waits for half a minute.
      this.#options.scheduler.after(goodbyeMax, () => {
        socket.terminate()
      })
    })
  }

  #opened(): void {
    const { logger, url } = this.#options
    if (this.#failures > 0) logger.info({ url }, 'The inspector is connected again')
    this.#failures = 0
    this.#isOpen = true
    this.#flush()
  }

  #failed(cause: Error): void {
    const { logger, url } = this.#options
    if (this.#failures > 0 || this.#isClosed) return
    logger.warn({ url, err: cause }, 'The inspector has no connection; it is tried again')
  }

  #lost(): void {
    this.#isOpen = false
    this.#socket = undefined
    // A relay that was started anew knows nobody.
    this.#buffer.startAnew()
    if (this.#isClosed) return
    const pause = Math.min(backoffMax, backoffMin * 2 ** Math.min(this.#failures, 10))
    this.#failures += 1
    this.#retry = this.#options.scheduler.after(pause, this.connect)
  }

  #flushSoon(): void {
    if (this.#isFlushing || !this.#isOpen) return
    this.#isFlushing = true
    this.#options.scheduler.soon(() => {
      this.#isFlushing = false
      this.#flush()
    })
  }

  #flush(): void {
    while (this.#isOpen && this.#buffer.hasMore()) {
      if ((this.#socket?.bufferedAmount ?? 0) > bytesInFlightMax) {
        this.#flushLater()
        return
      }
      for (const frame of this.#buffer.take(framesAtOnce)) this.#write(frame)
    }
    this.#tellWaiting()
  }

  #flushLater(): void {
    if (this.#isFlushing) return
    this.#isFlushing = true
    this.#options.scheduler.after(slowPause, () => {
      this.#isFlushing = false
      this.#flush()
    })
  }

  #write(frame: Frame): void {
    this.#writing += 1
    // An error comes as an event as well.
    this.#socket?.send(JSON.stringify(frame), () => {
      this.#writing -= 1
      this.#tellWaiting()
    })
  }

  #tellWaiting(): void {
    if (this.#writing > 0 || this.#buffer.hasMore()) return
    for (const resolve of this.#waiting.splice(0)) resolve()
  }
}

/** A socket that the process need not wait for, from its first packet on. */
function open(url: string): WebSocket {
  const isSecure = url.startsWith('wss:')
  return new WebSocket(url, {
    handshakeTimeout: handshakeMax,
    maxPayload: incomingBytesMax,
    perMessageDeflate: false,
    createConnection: (options: unknown): Socket => {
      const [host, port] = [readMember(options, 'host'), readMember(options, 'port')]
      const place = { host: String(host), port: Number(port) }
      const servername = isIP(place.host) === 0 ? place.host : ''
      const socket = isSecure ? connectSecure({ ...place, servername }) : connectPlain(place)
      return socket.unref()
    },
  })
}
