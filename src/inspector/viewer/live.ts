/** The socket on which the server says that something has changed. Connects again by itself. */

import type { LiveMessage } from '../server/wire.ts'
import { after } from './clock.ts'

/** Whether the viewer hears of changes. */
export type LiveState = 'connecting' | 'live' | 'lost'

/** Told of every message, and of the state of the socket. */
export interface LiveListener {
  readonly onMessage?: (message: LiveMessage) => void
  readonly onState?: (state: LiveState) => void
}

const listeners = new Set<LiveListener>()
/** First pause before it is tried again; doubles, up to the longest. In milliseconds. */
const pauseMin = 500
const pauseMax = 10_000

let state: LiveState = 'connecting'
let pause = pauseMin

/** Listens; gives what ends it. */
export function listen(listener: LiveListener): () => void {
  listeners.add(listener)
  listener.onState?.(state)
  return () => {
    listeners.delete(listener)
  }
}

/** Connects, for as long as the page is open. */
export function connect(): void {
  const socket = new WebSocket(`ws://${location.host}/live`)
  socket.addEventListener('open', () => {
    pause = pauseMin
    setState('live')
    // What happened meanwhile was told to nobody.
    tell({ type: 'changes', ids: [], more: true })
  })
  socket.addEventListener('message', ({ data }: MessageEvent<string>) => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the other half of `wire.ts`
    tell(JSON.parse(data) as LiveMessage)
  })
  socket.addEventListener('close', () => {
    setState('lost')
    after(pause, connect)
    pause = Math.min(pause * 2, pauseMax)
  })
}

function setState(next: LiveState): void {
  state = next
  for (const listener of listeners) listener.onState?.(next)
}

function tell(message: LiveMessage): void {
  for (const listener of listeners) listener.onMessage?.(message)
}
