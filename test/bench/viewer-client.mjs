// Somebody who looks: live, as the page does it, or deaf, connected and never reading.

import { parentPort, workerData } from 'node:worker_threads'
import { WebSocket } from 'ws'

const { port, token, kind } = workerData
const socket = new WebSocket(`ws://127.0.0.1:${port}/live?token=${token}`)
let isAsking = false

socket.on('open', () => {
  if (kind === 'deaf') socket.pause()
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, no window
  parentPort.postMessage('open')
})

// After each message the list is asked for, at most every 400 ms.
socket.on('message', () => {
  if (isAsking) return
  isAsking = true
  fetch(`http://127.0.0.1:${port}/api/executions?limit=100`, {
    headers: { authorization: `Bearer ${token}` },
  })
    .then((response) => response.json())
    .catch(() => undefined)
    .finally(() => setTimeout(() => (isAsking = false), 400))
})
