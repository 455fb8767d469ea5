// The command of the bench: rounds of workloads, each in a process of its own; a table at the end.

import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { renderPage, renderTable } from './report.mjs'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    only: { type: 'string', default: '' },
    write: { type: 'boolean', default: false },
  },
})

const workloads = [
  'floor-insert',
  'submit',
  'floor-w1',
  'w1-lean',
  'w1-rich',
  'w2',
  'w3-steps',
  'w3-children',
  'w4',
  'w5',
  'w6',
  'w7',
  'profile',
  'polls',
  'watched',
]

/** One measurement: a workload under one durability. */
const plan = ['full', 'normal'].flatMap((synchronous) =>
  workloads.map((workload) => ({ workload, synchronous })),
)
const wanted = values.only === '' ? undefined : values.only.split(',')
const chosen = plan.filter(
  ({ workload }) => wanted === undefined || wanted.some((prefix) => workload.startsWith(prefix)),
)
const rounds = Number(values.rounds)
const script = fileURLToPath(new URL('measure.mjs', import.meta.url))
const results = []
const total = rounds * (chosen.length + 1)
let done = 0

for (let round = 1; round <= rounds; round += 1) {
  results.push(measure('canary', 'full', round))
  for (const { workload, synchronous } of chosen) {
    results.push(measure(workload, synchronous, round))
  }
}
process.stderr.write('\n')

const machine = `${cpus().length} cores (${cpus()[0]?.model.trim() ?? 'unknown'}), Node ${process.version}`
process.stdout.write(renderTable(results))
if (values.write) {
  const page = new URL('../../docs/reference/performance.md', import.meta.url)
  writeFileSync(page, renderPage(results, { machine, rounds }))
  execFileSync('npx', ['biome', 'format', '--write', fileURLToPath(page)], { stdio: 'ignore' })
}

function measure(workload, synchronous, round) {
  done += 1
  process.stderr.write(`\r[${done}/${total}] round ${round}: ${workload} ${synchronous}          `)
  const output = execFileSync(process.execPath, [script, workload, synchronous], {
    encoding: 'utf8',
    timeout: 180_000,
  })
  return { workload, synchronous, round, figures: JSON.parse(output) }
}
