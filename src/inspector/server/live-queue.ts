/**
 * What waits for one socket. Bounded: a viewer that does not read loses the oldest messages and is
 * told how many, and whoever writes is never held up.
 */

/** The socket, as far as the queue needs it. */
export interface LiveSink {
  /** Whether the socket has passed on enough of what it was given. */
  readonly isRoomy: () => boolean
  /** Gives the socket a text; calls back when it has passed it on. */
  readonly send: (text: string, onSent: () => void) => void
}

/** A queue before a socket. */
export interface LiveQueue {
  readonly push: (text: string) => void
}

/** A queue of at most `max` texts. */
export function createLiveQueue(sink: LiveSink, max: number): LiveQueue {
  const waiting: string[] = []
  let dropped = 0
  const pump = (): void => {
    while (waiting.length > 0 && sink.isRoomy()) {
      if (dropped > 0) {
        const marker = JSON.stringify({ type: 'dropped', count: dropped })
        dropped = 0
        sink.send(marker, pump)
      }
      sink.send(waiting.shift() ?? '', pump)
    }
  }
  return {
    push: (text) => {
      waiting.push(text)
      if (waiting.length > max) {
        waiting.shift()
        dropped += 1
      }
      pump()
    },
  }
}
