// What watching costs: executions of no-op activities, unwatched and watched in turns, in one run.

import { join } from 'node:path'
import { createInspector } from '@statelyai/inspect'
import { executionMachine } from '../../dist/machines/execution.js'
import { executorMachine } from '../../dist/machines/executor.js'
import { createEngine, defineActivity } from '../../dist/src/index.js'
import { chartOf, createChartLayouts, inspector, svgOf } from '../../dist/src/inspector.js'
import { sqlite } from '../../dist/src/sqlite.js'

const count = 5_000
const rounds = 5

/** Who looks on: nobody, an observer that does nothing, Stately's own, our frames, and as text. */
const ways = {
  unwatched: () => undefined,
  observer: () => () => undefined,
  stately: () => createInspector({ send: () => undefined }).inspect,
  frames: () => inspector({ onFrame: () => undefined }),
  text: () => inspector({ onFrame: (frame) => JSON.stringify(frame) }),
}

/** Microseconds of processor time an execution, and what layouts take. */
export async function measureWatched(folder, synchronous) {
  const times = Object.fromEntries(Object.keys(ways).map((name) => [name, []]))
  for (let round = 0; round <= rounds; round += 1) {
    for (const [name, way] of Object.entries(ways)) {
      const file = join(folder, `${name}-${round}.db`)
      const time = await runAll(sqlite({ file, synchronous }), way())
      // The first round warms up.
      if (round > 0) times[name].push(time / count)
    }
  }
  const figures = Object.fromEntries(
    Object.entries(times).map(([name, all]) => [`${name}, CPU µs an execution`, median(all)]),
  )
  const ratios = times.frames.map((time, index) => time / times.unwatched[index])
  return {
    ...figures,
    'frames: times the unwatched': median(ratios),
    ...(await measureLayouts()),
  }
}

async function runAll(storage, inspect) {
  let ended = 0
  let done = () => undefined
  const all = new Promise((resolve) => {
    done = resolve
  })
  const noop = defineActivity({ name: 'noop' }, () => {
    ended += 1
    if (ended === count) done()
  })
  const engine = await createEngine({ storage, functions: [noop], logger: false, inspect })
  await engine.submitMany(noop, Array.from({ length: count }))
  // Wall time would measure who else uses the machine.
  const begun = process.cpuUsage()
  await engine.start()
  await all
  await engine.stop()
  const { user, system } = process.cpuUsage(begun)
  return user + system
}

async function measureLayouts() {
  const layouts = createChartLayouts()
  const small = chartOf(executorMachine)
  const large = chartOf(executionMachine)
  const loaded = await milliseconds(() => layouts.layoutOf(small))
  const laidOut = await milliseconds(() => layouts.layoutOf(large))
  const layout = await layouts.layoutOf(large)
  return {
    'first layout (executor, with loading elk), ms': loaded,
    'layout of the execution machine, ms': laidOut,
    'the same again, ms': await milliseconds(() => layouts.layoutOf(large)),
    'its picture, ms': await milliseconds(() => svgOf(layout)),
  }
}

async function milliseconds(run) {
  const begun = performance.now()
  await run()
  return performance.now() - begun
}

function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]
}
