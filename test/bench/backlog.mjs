// W1 beside a million rows that it does not want, in pairs: an empty database, a full one, in turn.

import { join } from 'node:path'
import Database from 'better-sqlite3'
import { createEngine, defineActivity } from '../../dist/src/index.js'
import { sqlite } from '../../dist/src/sqlite.js'

const pairs = 11
const batch = 4_000
const payload = { order: 'x'.repeat(80), n: 1 }

/** Ratio of the times, full to empty: the median of the pairs. */
export async function measureBacklog(folder, synchronous, rows) {
  const full = join(folder, 'full.db')
  await (await createEngine({ storage: full, logger: false })).stop()
  const filled = fill(full, rows)
  const empty = join(folder, 'empty.db')
  const times = { empty: [], full: [] }
  const engines = {
    empty: await openEngine(empty, synchronous),
    full: await openEngine(full, synchronous),
  }
  for (const which of ['empty', 'full', 'full', 'empty']) await engines[which].run()
  for (let pair = 0; pair < pairs; pair += 1) {
    const order = pair % 2 === 0 ? ['empty', 'full'] : ['full', 'empty']
    for (const which of order) times[which].push(await engines[which].run())
  }
  await Promise.all(Object.values(engines).map(({ close }) => close()))
  const ratios = times.full.map((time, index) => time / times.empty[index])
  return {
    'rows besides': rows,
    'filled, s': filled,
    'empty, executions/s': batch / median(times.empty),
    'full, executions/s': batch / median(times.full),
    'time full / empty': median(ratios),
  }
}

async function openEngine(file, synchronous) {
  let left = 0
  let done = () => undefined
  const noop = defineActivity({ name: 'noop' }, () => {
    left -= 1
    if (left === 0) done()
    return 1
  })
  const engine = await createEngine({
    storage: sqlite({ file, synchronous }),
    functions: [noop],
    executor: { concurrency: 500, batchSize: 500 },
    logger: false,
  })
  await engine.start()
  return {
    run: async () => {
      left = batch
      const finished = new Promise((resolve) => {
        done = resolve
      })
      const inputs = Array.from({ length: batch }, () => payload)
      const begin = performance.now()
      await engine.submitMany(noop, inputs)
      await finished
      return (performance.now() - begin) / 1_000
    },
    close: () => engine.stop({ timeout: 0 }),
  }
}

/** A third finished, a third for the far future, a third of a function that nobody executes. */
function fill(file, rows) {
  const begin = performance.now()
  const database = new Database(file)
  database.pragma('synchronous = OFF')
  const state = database.prepare(
    `INSERT INTO executions (execution_id, function_kind, function_name, function_version, version,
       created_at_ms, first_scheduled_at_ms, deployment_id, failures, status, paused, cancelling,
       scheduled_at_ms, finished_at_ms, outcome_type)
     VALUES (?, 'activity', ?, '1', ?, ?, ?, 'Dep_1', 0, ?, 0, 0, ?, ?, ?)`,
  )
  const event = database.prepare('INSERT INTO events VALUES (?, ?, ?, ?, ?)')
  const created = JSON.stringify({ function: { kind: 'activity', name: 'noop' }, input: payload })
  const locked = JSON.stringify({ executorId: 'Exr_1', runId: 'Run_1', lockExpiresAt: 1 })
  const ended = '{"outcome":{"type":"ok","value":1}}'
  const far = Date.now() + 400 * 24 * 3_600_000
  const insert = database.transaction((from, to) => {
    for (let index = from; index < to; index += 1) {
      const id = `E_${String(index).padStart(26, '0')}`
      event.run(id, 0, index, 'created', created)
      if (index % 3 === 0) {
        event.run(id, 1, index, 'locked', locked)
        event.run(id, 2, index, 'finished', ended)
        state.run(id, 'noop', 2, index, index, 'finished', null, index, 'ok')
      } else {
        const isFuture = index % 3 === 1
        const [name, dueAt] = isFuture ? ['noop', far] : ['stranger', index]
        state.run(id, name, 0, index, index, 'pending_at', dueAt, null, null)
      }
    }
  })
  for (let from = 0; from < rows; from += 10_000) insert(from, Math.min(rows, from + 10_000))
  database.close()
  return (performance.now() - begin) / 1_000
}

function median(values) {
  return values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)]
}
