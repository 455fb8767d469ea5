// What `sourceLines` costs a call of a workflow: the same workflow with and without, in turn, and
// the bytes that it adds. Needs a build.
//
//   node test/bench/source-lines.mjs [rounds]

import { rmSync, statSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createEngine, defineActivity, defineWorkflow } from '../../dist/src/index.js'
import { createSourceLines } from '../../dist/src/workers/workflow/source-lines.js'

const rounds = Number(process.argv[2] ?? 7)
const calls = 2_000
const looks = 20_000

const noop = defineActivity({ name: 'noop' }, () => undefined)
/** Schedules are the cheapest call there is: one event each, nothing to wait for. */
const schedules = defineWorkflow({ name: 'schedules' }, (count, { schedule }) => {
  for (let index = 0; index < count; index += 1) schedule(noop, undefined, { in: '30 days' })
})
const steps = defineWorkflow({ name: 'steps' }, async (count, { step }) => {
  for (let index = 0; index < count; index += 1) await step('s', () => index)
})

const folder = await mkdtemp(join(tmpdir(), 'stele-bench-'))
const figures = { schedule: { off: [], on: [] }, step: { off: [], on: [] } }
const bytes = {}
for (let round = 0; round < rounds; round += 1) {
  for (const mode of round % 2 === 0 ? ['off', 'on'] : ['on', 'off']) {
    const file = join(folder, `${round}-${mode}.db`)
    const functions = [noop, schedules, steps]
    const options = { storage: file, functions, logger: false, sourceLines: mode === 'on' }
    const engine = await createEngine(options)
    await engine.start()
    await time(engine, schedules, 200)
    await time(engine, steps, 200)
    figures.schedule[mode].push(await time(engine, schedules, calls))
    figures.step[mode].push(await time(engine, steps, calls))
    await engine.stop()
    bytes[mode] = statSync(file).size
  }
}
for (const [call, { off, on }] of Object.entries(figures)) {
  const [without, within] = [median(off), median(on)]
  const more = (((within - without) / without) * 100).toFixed(0)
  console.log(`${call}: ${without.toFixed(1)} µs a call, ${within.toFixed(1)} with (+${more} %)`)
}
const events = rounds === 0 ? 1 : 2 * (calls + 200)
console.log(`bytes: ${((bytes.on - bytes.off) / events).toFixed(0)} more for each event`)
for (const depth of [1, 10, 40]) {
  console.log(`a look at the stack, ${depth} calls deep: ${lookAt(depth).toFixed(2)} µs`)
}
rmSync(folder, { recursive: true, force: true })

async function time(engine, workflow, count) {
  const started = performance.now()
  await (await engine.submit(workflow, count)).result()
  return ((performance.now() - started) * 1_000) / count
}

function lookAt(depth) {
  const find = createSourceLines({
    folder: process.cwd(),
    sourceBytes: 1024 * 1024,
    keep: () => Promise.resolve(),
  })
  const dive = (left) => (left === 0 ? find() : dive(left - 1))
  const times = []
  for (let round = 0; round < 5; round += 1) {
    const started = performance.now()
    for (let index = 0; index < looks; index += 1) dive(depth)
    times.push(((performance.now() - started) * 1_000) / looks)
  }
  return median(times)
}

function median(values) {
  return values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)]
}
