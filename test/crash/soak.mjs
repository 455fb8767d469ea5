/**
 * One engine that runs so many executions, one after the other, and says what memory it has: run by
 * `npm run soak`, and in small by the tests, which read the lines.
 */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { createEngine, defineActivity, defineWorkflow } from '../../dist/src/index.js'
import { sqlite } from '../../dist/src/sqlite.js'

const [, , total = '1000000', every = '50000'] = process.argv.map(String)
const executions = Number(total)
const reportEvery = Number(every)
const batch = 500
/** Every so many batches are workflows, each with an activity of its own: two executions. */
const workflowsEvery = 5
const backlogMax = 2_000

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc')

let done = 0
let reported = 0
let wake = () => {}
const count = () => {
  done += 1
  wake()
}
const double = defineActivity({ name: 'double' }, (input) => {
  count()
  return input * 2
})
const order = defineWorkflow({ name: 'order' }, async (input, { call, step }) => {
  const value = await call(double, input)
  const more = await step('add', () => value + 1)
  count()
  return more
})

/** Waits until so many have ended. */
async function untilDone(wanted) {
  if (done >= wanted) return
  await new Promise((resolve) => {
    wake = () => done >= wanted && resolve()
  })
}

function report() {
  collectGarbage()
  const { rss, heapUsed } = process.memoryUsage()
  const [rssMiB, heapMiB] = [rss, heapUsed].map((bytes) => Number((bytes / 2 ** 20).toFixed(1)))
  console.log(JSON.stringify({ done, rssMiB, heapMiB, seconds: Math.round(process.uptime()) }))
}

const folder = mkdtempSync(join(tmpdir(), 'stele-soak-'))
try {
  const engine = await createEngine({
    storage: sqlite({ file: join(folder, 'soak.db'), synchronous: 'normal' }),
    functions: [double, order],
  })
  await engine.start()
  let submitted = 0
  for (let batches = 0; ; batches += 1) {
    const isOver = submitted >= executions
    if (!isOver) {
      const isWorkflow = batches % workflowsEvery === 0
      const inputs = Array.from({ length: isWorkflow ? batch / 2 : batch }, (_, index) => index)
      await engine.submitMany(isWorkflow ? order : double, inputs)
      submitted += batch
    }
    await untilDone(isOver ? submitted : submitted - backlogMax)
    if (isOver || done - reported >= reportEvery) {
      reported = done
      report()
    }
    if (isOver) break
  }
  await engine.stop()
} finally {
  rmSync(folder, { recursive: true, force: true })
}
