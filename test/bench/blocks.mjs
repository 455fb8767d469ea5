// How long the event loop is kept from its turns at full load, with default settings, and RSS.

import { join } from 'node:path'
import { monitorEventLoopDelay, PerformanceObserver } from 'node:perf_hooks'
import { createEngine, defineActivity, defineWorkflow } from '../../dist/src/index.js'
import { sqlite } from '../../dist/src/sqlite.js'

const payload = { order: 'x'.repeat(80), n: 1 }

/** Activities and workflows, submitted while others run; the first seconds do not count. */
export async function measureBlocks(folder, synchronous) {
  const noop = defineActivity({ name: 'noop' }, (input) => input.n)
  const order = defineWorkflow({ name: 'order' }, async (input, { call, step }) => {
    await step('price', () => 1)
    return call(noop, input)
  })
  const engine = await createEngine({
    storage: sqlite({ file: join(folder, 'blocks.db'), synchronous }),
    functions: [noop, order],
    logger: false,
  })
  await engine.start()
  const collections = []
  const observer = new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) collections.push(duration)
  })
  observer.observe({ entryTypes: ['gc'] })
  const delay = monitorEventLoopDelay({ resolution: 1 })
  await load(engine, [noop, order], 3_000)
  const warm = process.memoryUsage().rss
  delay.enable()
  collections.length = 0
  const ended = await load(engine, [noop, order], 10_000)
  delay.disable()
  observer.disconnect()
  await engine.stop()
  return {
    'executions/s': ended / 10,
    'event loop p99 ms': delay.percentile(99) / 1e6,
    'event loop longest ms': delay.max / 1e6,
    'longest garbage collection ms': Math.max(0, ...collections),
    'RSS MB before': warm / 1e6,
    'RSS MB after': process.memoryUsage().rss / 1e6,
  }
}

/** Keeps four hundred executions in flight. */
async function load(engine, functions, duration) {
  const until = performance.now() + duration
  let ended = 0
  const one = async (index) => {
    while (performance.now() < until) {
      const handle = await engine.submit(functions[index % functions.length], payload)
      await handle.result()
      ended += 1
    }
  }
  await Promise.all(Array.from({ length: 400 }, (_, index) => one(index)))
  return ended
}
