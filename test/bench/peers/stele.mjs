// Stele as one driver more for a rig that measures durable engines side by side: each driver gives
// the same few operations, each measurement runs in a process of its own on a fresh store.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createEngine, defineActivity, defineWorkflow } from '../../../dist/src/index.js'
import { sqlite } from '../../../dist/src/sqlite.js'

// oxlint-disable-next-line no-default-export -- what the rig asks of a driver
export default ['full', 'normal'].map(describe)

function describe(synchronous) {
  return {
    name: synchronous === 'full' ? 'ours' : 'ours-normal',
    peer: undefined,
    pkg: undefined,
    node: 20,
    store: 'SQLite WAL (better-sqlite3)',
    durability: `synchronous=${synchronous.toUpperCase()}`,
    notes: 'job = activity; steps = local steps of a workflow; children = child activities',
    wl: ['W1', 'W2', 'W3', 'W4', 'W5', 'W5R', 'W6'],
    concurrency: 500,
    inflight: 100,
    wfInflight: 500,
    chunk: 1_000,
    fan: ['steps', 'children'],
    W1: { n: 20_000 },
    W2: { samples: 200 },
    W3: { n: 1_000, n1: 300 },
    W4: { sizes: [100, 1_000] },
    W5: { ns: [1_000, 5_000, 10_000] },
    W5R: { ns: [1_000, 5_000, 10_000] },
    W6: { n: 10_000, kinds: ['future', 'finished', 'other'] },
    open: () => open(synchronous),
  }
}

async function open(synchronous) {
  const folder = mkdtempSync(join(tmpdir(), 'stele-peers-'))
  const hooks = {}
  const storage = sqlite({ file: join(folder, 'bench.db'), synchronous })
  const functions = createFunctions(hooks)
  const { job, stranger, steps, children, fanSteps, fanChildren } = functions
  const replay = createReplay(storage)
  const client = await createEngine({
    storage,
    functions: [job, steps, children, fanSteps, fanChildren],
    executor: { concurrency: 500, batchSize: 500 },
    logger: false,
  })
  return {
    hooks,
    enqueue: (payload) => client.submit(job, payload),
    enqueueBulk: (payloads) => client.submitMany(job, payloads),
    work: () => client.start(),
    pending: async () => {
      const { items } = await client.list({ function: job, status: 'locked' }, { limit: 1 })
      return items.length
    },
    submit: async (payload) => (await client.submit(job, payload)).result(),
    runSteps: async (n) => (await client.submit(steps, n)).result(),
    runChildren: async (n) => (await client.submit(children, n)).result(),
    runFan: async (n, kind) =>
      (await client.submit(kind === 'children' ? fanChildren : fanSteps, n)).result(),
    runReplay: async (n) => ({ replay_ms: await replay.run(n) }),
    backlog: async (kind, n) => {
      const inputs = Array.from({ length: n }, () => ({ order: 'x'.repeat(80) }))
      if (kind === 'future') await client.submitMany(job, inputs, { delay: '10 days' })
      else if (kind === 'other') await client.submitMany(stranger, inputs)
      else await finishMany(client, job, inputs)
    },
    close: async () => {
      await replay.close()
      await client.stop({ timeout: 0 })
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Finished rows: what `job` leaves behind. */
async function finishMany(client, job, inputs) {
  const handles = await client.submitMany(job, inputs)
  await client.start()
  await Promise.all(handles.map((handle) => handle.result()))
}

function createFunctions(hooks) {
  const job = defineActivity({ name: 'job' }, (input) => {
    hooks.job?.(input)
    return 1
  })
  const steps = defineWorkflow({ name: 'steps' }, async (n, { step }) => {
    let sum = 0
    for (let index = 0; index < n; index += 1) {
      sum += await step('one', () => {
        hooks.step?.()
        return 1
      })
    }
    return sum
  })
  const children = defineWorkflow({ name: 'children' }, async (n, { call }) => {
    let sum = 0
    for (let index = 0; index < n; index += 1) sum += await call(job, { index })
    return sum
  })
  const fanSteps = defineWorkflow({ name: 'fan_steps' }, async (n, { step }) => {
    const ends = await Promise.all(Array.from({ length: n }, () => step('one', () => 1)))
    return ends.length
  })
  const fanChildren = defineWorkflow({ name: 'fan_children' }, async (n, { call }) => {
    const ends = await Promise.all(Array.from({ length: n }, (_, index) => call(job, { index })))
    return ends.length
  })
  return {
    job,
    stranger: defineActivity({ name: 'stranger' }, () => 1),
    steps,
    children,
    fanSteps,
    fanChildren,
  }
}

/** Events, and responses, that a replay reads at once. */
const historyPage = 1_000

/**
 * Parks after n steps with no frame kept, so that the next lock reads the log and runs the code
 * from the top: the time from the first read of the log to the line after the last step. In an
 * engine of its own, since the others keep their frames.
 */
function createReplay(storage) {
  let engine
  let end = 0
  let begin = 0
  const reads = []
  const workflow = defineWorkflow({ name: 'replay' }, async (n, { step, sleep }) => {
    // The pages of the log, the last of them not full, and one of the inbox.
    const pages = Math.floor((n + 1) / historyPage) + 2
    begin = reads.at(-pages) ?? 0
    let fresh = 0
    for (let index = 0; index < n; index += 1) {
      await step('one', () => {
        fresh += 1
        return 1
      })
    }
    if (fresh === 0) end = performance.now()
    await sleep(1)
    return 1
  })
  const timed = {
    open: async (environment) => {
      const driver = await storage.open(environment)
      const read = (protocol) => {
        reads.push(performance.now())
        return driver.read(protocol)
      }
      return { ...driver, read }
    },
  }
  return {
    run: async (n) => {
      engine ??= await createEngine({
        storage: timed,
        functions: [workflow],
        limits: { warmRuns: 0 },
        logger: false,
      })
      await engine.start()
      await (await engine.submit(workflow, n)).result()
      return end - begin
    },
    close: () => engine?.stop({ timeout: 0 }),
  }
}
