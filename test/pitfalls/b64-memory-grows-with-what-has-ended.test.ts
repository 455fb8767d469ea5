import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const program = fileURLToPath(new URL('../crash/soak.mjs', import.meta.url))
const executions = 9_000
const reportEvery = 2_000
/** With what it holds of those under way, and not a third more. */
const heapLimitMiB = 48
const growthMaxMiB = 6

interface Report {
  readonly done: number
  readonly rssMiB: number
  readonly heapMiB: number
}

it('B64: what has ended leaves nothing in memory; a small heap is enough for any number', {
  timeout: 90_000,
}, async () => {
  const heap = `--max-old-space-size=${heapLimitMiB}`
  const child = spawn(process.execPath, [heap, program, `${executions}`, `${reportEvery}`], {
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: 80_000,
  })
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')])
  expect(code).toBe(0)
  const lines = output.trim().split('\n')
  const reports = lines.map((line) => JSON.parse(line) as Report)
  const [first] = reports
  const last = reports.at(-1)
  expect(reports.length).toBeGreaterThanOrEqual(3)
  const growth = (last?.heapMiB ?? 0) - (first?.heapMiB ?? 0)
  console.log(`B64: heap ${reports.map(({ heapMiB }) => heapMiB).join(', ')} MiB`)
  expect(growth).toBeLessThan(growthMaxMiB)
})
