/** The same seed gives the same trace, whoever looks on. */

import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const program = fileURLToPath(new URL('twice.mjs', import.meta.url))
const timeout = 120_000

function runTwice(...args: readonly string[]) {
  return spawnSync(process.execPath, [program, ...args], { encoding: 'utf8', timeout })
}

it('twice: 60 seeds, watched and not, give one trace each', { timeout }, () => {
  const { status, stdout, stderr } = runTwice('60')
  expect(stdout, stderr).toMatch(/^60 seeds, [1-9]\d* inspections, [1-9]\d* log lines, 0 differ$/m)
  expect(status).toBe(0)
})

it('twice: refuses what is no number of seeds', { timeout }, () => {
  const { status, stderr } = runTwice('many')
  expect(stderr).toContain('not a number of seeds: many')
  expect(status).toBe(1)
})
