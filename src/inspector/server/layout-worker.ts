/** What runs in the thread that lays charts out: says once how everything lies, and ends. */

import { parentPort } from 'node:worker_threads'
import { layOutEngine } from './engine-charts.ts'

void layOutEngine().then((layouts) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, no window
  parentPort?.postMessage(layouts)
})
