// One measurement in this process, printed as one line of JSON: figures by name.

import { fdatasyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { createEngine, defineActivity } from '../../dist/src/index.js'
import { sqlite } from '../../dist/src/sqlite.js'
import { migrations } from '../../dist/src/storage/sqlite/schema.js'
import { measureBacklog } from './backlog.mjs'
import { measureBlocks } from './blocks.mjs'
import drivers from './peers/stele.mjs'
import { measurePolls } from './polls.mjs'
import { measureProfile } from './profile.mjs'
import { measureChildren, measureFans, measureLong, measureSteps } from './workflows.mjs'

const [workload, synchronous] = process.argv.slice(2)
const folder = mkdtempSync(join(tmpdir(), 'stele-bench-'))
const file = join(folder, 'bench.db')
/** About 100 bytes as JSON. */
const payload = { order: 'x'.repeat(80), n: 1 }

const workloads = {
  canary,
  'floor-insert': floorInsert,
  'floor-w1': floorW1,
  submit,
  'w1-lean': () => w1((input) => input.n),
  'w1-rich': () =>
    w1((input, { signal, log, idempotencyKey }) => {
      if (!signal.aborted) log.info('done', { idempotencyKey })
      return input.n
    }),
  w2,
  'w3-steps': () => measureSteps(openDriver),
  'w3-children': () => measureChildren(openDriver),
  w4: () => measureFans(openDriver),
  w5: () => measureLong(openDriver),
  w6: () => measureBacklog(folder, synchronous, Number(process.env.STELE_BENCH_ROWS ?? 100_000)),
  w7: () => measureBlocks(folder, synchronous),
  profile: () => measureProfile(folder, synchronous),
  // What only these need is loaded with them: a browser's driver would weigh on the memory of all.
  watched: async () => (await import('./watched.mjs')).measureWatched(folder, synchronous),
  polls: () => measurePolls({ file, synchronous, payload }),
  'viewer-list': async () =>
    (await import('./viewer.mjs')).measureList({ file, synchronous, payload }),
  'viewer-paint': async () =>
    (await import('./viewer-paint.mjs')).measurePaint({ file, synchronous, payload }),
  'viewer-engine': async () =>
    (await import('./viewer.mjs')).measureViewed({ file, synchronous, payload }),
}

try {
  process.stdout.write(JSON.stringify(await workloads[workload]()))
} finally {
  rmSync(folder, { recursive: true, force: true })
}

/** The same engine as a driver among peers. */
function openDriver() {
  return drivers[synchronous === 'full' ? 0 : 1].open()
}

/** How fast the machine is at this moment. */
function canary() {
  let state = 1
  const loops = 50_000_000
  const cpu = seconds(() => {
    for (let index = 0; index < loops; index += 1) state = (Math.imul(state, 1664525) + 1) | 0
  })
  const descriptor = openSync(join(folder, 'sync'), 'w')
  const syncs = 500
  const disk = seconds(() => {
    for (let index = 0; index < syncs; index += 1) {
      writeSync(descriptor, 'x'.repeat(4096), index * 4096)
      fdatasyncSync(descriptor)
    }
  })
  return { 'million loops/s': loops / cpu / 1e6, 'fdatasync/s': syncs / disk, state }
}

function openRaw() {
  const database = new Database(file)
  database.pragma('journal_mode = WAL')
  database.pragma(`synchronous = ${synchronous}`)
  database.pragma('cache_size = -16000')
  for (const { sql } of migrations) database.exec(sql)
  return database
}

function floorInsert() {
  const database = openRaw()
  const insert = database.prepare('INSERT INTO events VALUES (?, ?, ?, ?, ?)')
  const count = 3_000
  const body = JSON.stringify({ input: payload })
  const time = seconds(() => {
    for (let index = 0; index < count; index += 1)
      insert.run(`E_${index}`, 0, index, 'created', body)
  })
  database.close()
  return { 'one INSERT a transaction, /s': count / time }
}

/** The same rows that an execution leaves, written by hand. */
function floorW1() {
  const database = openRaw()
  const statements = rawStatements(database)
  const count = 30_000
  const batch = 500
  const ids = Array.from({ length: count }, (_, index) => `E_${String(index).padStart(26, '0')}`)
  database.transaction(() => {
    for (const [index, id] of ids.entries()) statements.create(id, index)
  })()
  const lock = database.transaction((rows) => {
    for (const { execution_id: id } of rows) statements.lock(id)
  })
  const finish = database.transaction((rows) => {
    for (const { execution_id: id } of rows) statements.finish(id)
  })
  const time = seconds(() => {
    for (;;) {
      const rows = statements.due(batch)
      if (rows.length === 0) return
      lock.immediate(rows)
      finish.immediate(rows)
    }
  })
  database.close()
  return { 'executions/s': count / time }
}

function rawStatements(database) {
  const event = database.prepare('INSERT INTO events VALUES (?, ?, ?, ?, ?)')
  const state = database.prepare(
    `INSERT INTO executions (execution_id, function_kind, function_name, function_version, version,
       created_at_ms, first_scheduled_at_ms, deployment_id, failures, status, paused, cancelling,
       scheduled_at_ms)
     VALUES (?, 'activity', 'noop', '1', 0, ?, ?, 'Dep_1', 0, 'pending_at', 0, 0, ?)`,
  )
  const due = database.prepare(
    `SELECT e.*, v.body FROM executions e
     JOIN events v ON v.execution_id = e.execution_id AND v.version = 0
     WHERE e.function_kind = 'activity' AND e.function_name = 'noop' AND e.status = 'pending_at'
       AND e.paused = 0 AND e.cancelling = 0 AND e.set_aside_reason IS NULL
       AND e.scheduled_at_ms <= 9e15
     ORDER BY e.scheduled_at_ms LIMIT ?`,
  )
  const lock = database.prepare(
    `UPDATE executions SET version = 1, status = 'locked', scheduled_at_ms = NULL,
       lock_expires_at_ms = 30000, last_lock_version = 1, executor_id = ?, run_id = ?, retry = ?
     WHERE execution_id = ? AND version = 0 RETURNING version`,
  )
  const finish = database.prepare(
    `UPDATE executions SET version = 2, status = 'finished', lock_expires_at_ms = NULL,
       last_lock_version = NULL, executor_id = NULL, run_id = NULL, retry = NULL,
       finished_at_ms = 1, outcome_type = 'ok'
     WHERE execution_id = ? AND version = 1 RETURNING version`,
  )
  const owner = ['Exr_01J00000000000000000000000', 'Run_01J00000000000000000000000']
  const retry = '{"maxRetries":5,"backoff":100}'
  const created = JSON.stringify({ function: { kind: 'activity', name: 'noop' }, input: payload })
  const locked = JSON.stringify({ executorId: owner[0], runId: owner[1], lockExpiresAt: 1, retry })
  return {
    create: (id, at) => {
      state.run(id, at, at, at)
      event.run(id, 0, at, 'created', created)
    },
    due: (limit) => due.all(limit),
    lock: (id) => {
      lock.get(...owner, retry, id)
      event.run(id, 1, 1, 'locked', locked)
    },
    finish: (id) => {
      finish.get(id)
      event.run(id, 2, 1, 'finished', '{"outcome":{"type":"ok","value":1}}')
    },
  }
}

async function submit() {
  const noop = defineActivity({ name: 'noop' }, (input) => input)
  const engine = await createEngine({ storage: sqlite({ file, synchronous }), logger: false })
  const single = 1_000
  const many = 10_000
  for (let index = 0; index < single; index += 1) await engine.submit(noop, payload)
  const oneByOne = await secondsAsync(async () => {
    for (let index = 0; index < single; index += 1) await engine.submit(noop, payload)
  })
  const inFlight = await secondsAsync(() =>
    Promise.all(Array.from({ length: many }, () => engine.submit(noop, payload))),
  )
  const bulk = await secondsAsync(() =>
    engine.submitMany(
      noop,
      Array.from({ length: many }, () => payload),
    ),
  )
  await engine.stop()
  return {
    'one by one, /s': single / oneByOne,
    'many in flight, /s': many / inFlight,
    'submitMany, /s': many / bulk,
  }
}

/** Processing of what was submitted before; the first runs, which V8 still compiles, do not count. */
async function w1(handler) {
  const warmUp = 5_000
  const count = 30_000
  let ended = 0
  let warm = { at: 0, cpu: process.cpuUsage() }
  let finish = () => undefined
  const finished = new Promise((resolve) => {
    finish = resolve
  })
  const noop = defineActivity({ name: 'noop' }, (input, context) => {
    const result = handler(input, context)
    ended += 1
    if (ended === warmUp) warm = { at: performance.now(), cpu: process.cpuUsage() }
    if (ended === warmUp + count) finish()
    return result
  })
  const engine = await createEngine({
    storage: sqlite({ file, synchronous }),
    functions: [noop],
    executor: { concurrency: 500, batchSize: 500 },
    logger: false,
  })
  await engine.submitMany(
    noop,
    Array.from({ length: warmUp + count }, () => payload),
  )
  await engine.start()
  await finished
  const time = (performance.now() - warm.at) / 1000
  const { user, system } = process.cpuUsage(warm.cpu)
  const rss = process.memoryUsage().rss / 1e6
  await engine.stop()
  return {
    'executions/s': count / time,
    'CPU µs an execution': (user + system) / count,
    'RSS MB': rss,
  }
}

async function w2() {
  let startedAt = 0
  const noop = defineActivity({ name: 'noop' }, (input) => {
    startedAt = performance.now()
    return input
  })
  const storage = sqlite({ file, synchronous })
  const engine = await createEngine({ storage, functions: [noop], logger: false })
  await engine.start()
  const starts = []
  const results = []
  const warmUp = 400
  for (let index = 0; index < warmUp + 600; index += 1) {
    const begin = performance.now()
    const handle = await engine.submit(noop, payload)
    await handle.result()
    if (index < warmUp) continue
    results.push(performance.now() - begin)
    starts.push(startedAt - begin)
  }
  await engine.stop()
  return {
    'start p50 ms': quantile(starts, 0.5),
    'start p95 ms': quantile(starts, 0.95),
    'result p50 ms': quantile(results, 0.5),
    'result p95 ms': quantile(results, 0.95),
  }
}

function quantile(samples, share) {
  const sorted = samples.toSorted((left, right) => left - right)
  return sorted[Math.floor(sorted.length * share)]
}

function seconds(work) {
  const begin = performance.now()
  work()
  return (performance.now() - begin) / 1000
}

async function secondsAsync(work) {
  const begin = performance.now()
  await work()
  return (performance.now() - begin) / 1000
}
