/**
 * How fast the simulator is, in plain Node on the built package: seeds and steps per second of CPU
 * time, simulated days per second, and how long a first test takes. `node test/bench/simulation.mjs`
 */
import { performance } from 'node:perf_hooks'
import { defineActivity, defineWorkflow } from 'stele'
import { simulate, simulated } from 'stele/simulation'

const lockExpiry = '2s'
const work = defineActivity({ name: 'work', lockExpiry }, (input) => input)
const order = defineWorkflow({ name: 'order', lockExpiry }, async (input, { call, sleep }) => {
  const first = await call(work, input)
  await sleep('1 day')
  return first + (await call(work, input))
})
const month = defineWorkflow({ name: 'month' }, async (_, { sleep }) => {
  await sleep('30 days')
  return 'done'
})
const activities = { work: simulated({ ok: (input) => input, fail: 0.1, delay: ['1ms', '1s'] }) }
const functions = [work, order, month]

const worlds = [
  {
    name: 'one activity, calm',
    options: { functions, activities },
    scenario: async (w) => (await w.submit(work, 1)).outcome(),
  },
  {
    name: 'two workflows, 1-2 engines, stormy',
    options: { functions, activities, faults: 'stormy', engines: { count: [1, 2] } },
    scenario: async (w) => {
      const handles = [await w.submit(order, 1), await w.submit(order, 2)]
      for (const handle of handles) await handle.outcome()
    },
  },
  {
    name: 'the same, radioactive',
    options: { functions, activities, faults: 'radioactive', engines: { count: [1, 2] } },
    scenario: async (w) => {
      const handles = [await w.submit(order, 1), await w.submit(order, 2)]
      for (const handle of handles) await handle.outcome()
    },
  },
  {
    name: 'thirty days of sleep, calm',
    options: { functions, activities },
    scenario: async (w) => (await w.submit(month)).outcome(),
  },
  {
    name: 'twenty minutes of waiting, every poll made',
    options: {
      functions,
      activities,
      skipsPolls: false,
      limits: { steps: 10_000_000, chaosSteps: 10_000_000 },
    },
    runs: 1,
    scenario: async (w) => w.advance('20 minutes'),
  },
]

function cpuSeconds(since) {
  const { user, system } = process.cpuUsage(since)
  return (user + system) / 1_000_000
}

async function measure({ name, options, scenario, runs = 300 }) {
  const sums = { steps: 0, simulatedMs: 0, commits: 0 }
  const began = process.cpuUsage()
  for (let seed = 1; seed <= runs; seed += 1) {
    const result = await simulate({ ...options, seed }, scenario)
    if (!result.ok) throw new Error(result.report())
    for (const key of Object.keys(sums)) sums[key] += result[key]
  }
  const seconds = cpuSeconds(began)
  return {
    world: name,
    'seeds/s': (runs / seconds).toFixed(0),
    'steps/seed': (sums.steps / runs).toFixed(0),
    'commits/seed': (sums.commits / runs).toFixed(1),
    'steps/s': (sums.steps / seconds).toFixed(0),
    'days/s': (sums.simulatedMs / 86_400_000 / seconds).toFixed(2),
  }
}

const startedAt = performance.now()
await simulate({ functions, activities }, async (w) => (await w.submit(work, 1)).outcome())
const first = performance.now() - startedAt
const sleepAt = performance.now()
await simulate({ functions }, async (w) => (await w.submit(month)).outcome())
const sleep = performance.now() - sleepAt
for (const world of worlds.slice(0, 4)) await measure({ ...world, runs: 50 })
const rows = []
for (const world of worlds) rows.push(await measure(world))
console.table(rows)
console.log(
  `first simulation of a process: ${first.toFixed(1)} ms; the next, thirty days: ${sleep.toFixed(1)} ms`,
)
