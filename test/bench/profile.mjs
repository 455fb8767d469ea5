// Where the time of one execution goes: W1 under the sampling profiler, its samples by place.

import { Session } from 'node:inspector/promises'
import { join } from 'node:path'
import { createEngine, defineActivity } from '../../dist/src/index.js'
import { sqlite } from '../../dist/src/sqlite.js'

const payload = { order: 'x'.repeat(80), n: 1 }
const warmUp = 10_000
const count = 40_000

/** Microseconds of CPU an execution, by place; submitted before, handlers that do nothing. */
export async function measureProfile(folder, synchronous) {
  let ended = 0
  let warm = () => undefined
  let done = () => undefined
  const isWarm = new Promise((resolve) => {
    warm = resolve
  })
  const isDone = new Promise((resolve) => {
    done = resolve
  })
  const noop = defineActivity({ name: 'noop' }, (input) => {
    ended += 1
    if (ended === warmUp) warm()
    if (ended === warmUp + count) done()
    return input.n
  })
  const engine = await createEngine({
    storage: sqlite({ file: join(folder, 'profile.db'), synchronous }),
    functions: [noop],
    executor: { concurrency: 500, batchSize: 500 },
    logger: false,
  })
  const inputs = Array.from({ length: warmUp + count }, () => payload)
  await engine.submitMany(noop, inputs)
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.setSamplingInterval', { interval: 200 })
  await engine.start()
  await isWarm
  await session.post('Profiler.start')
  await isDone
  const { profile } = await session.post('Profiler.stop')
  session.disconnect()
  await engine.stop()
  return sharesOf(profile)
}

/** Places, the first that fits counts. */
const places = [
  ['SQLite: statements, commits, the disk', (frame) => isSqlite(frame)],
  ['garbage collection', ({ name }) => name === '(garbage collector)'],
  ['idle, and V8 itself', ({ name }) => name === '(idle)' || name === '(program)'],
  ['protocols of the storage', ({ url }) => url.includes('/dist/src/storage/')],
  ['transition table', ({ url }) => url.includes('/dist/src/model/')],
  ['executor, held executions, settle', ({ url }) => url.includes('/dist/src/engine/')],
  ['worker, codec, context', ({ url }) => /\/dist\/src\/(?:workers|base)\//.test(url)],
  ['actors (XState)', ({ url }) => url.includes('/xstate/')],
  ['the platform: promises, timers', () => true],
]

/** The methods of better-sqlite3 are native, so they have a name and no place. */
function isSqlite({ url, name }) {
  const isNative = url === '' && /^(?:run|all|get)$/.test(name)
  return isNative || url.endsWith('sqlite/connection.js')
}

function sharesOf({ nodes, samples, timeDeltas }) {
  const byId = new Map(nodes.map((node) => [node.id, node.callFrame]))
  const totals = new Map(places.map(([place]) => [place, 0]))
  for (const [index, id] of samples.entries()) {
    const { functionName: name, url } = byId.get(id)
    const [place] = places.find(([, fits]) => fits({ name, url }))
    totals.set(place, totals.get(place) + timeDeltas[index])
  }
  const figures = [...totals].map(([place, time]) => [`${String(place)}, µs`, time / count])
  return Object.fromEntries(figures.toSorted(([, left], [, right]) => right - left))
}
