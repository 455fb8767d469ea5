/** The simulator finds what is planted in the engine, makes it small, and finds nothing else. */

import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const run = fileURLToPath(new URL('zoo/run.mjs', import.meta.url))
const timeout = 600_000

function runZoo(...args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [run, ...args], {
    encoding: 'utf8',
    timeout,
  })
  return { status, stdout, stderr, lines: stdout.trim().split('\n') }
}

describe('zoo', () => {
  it('bugs: all are found and made small; without one nothing is found', { timeout }, () => {
    const { status, stdout, stderr, lines } = runZoo()
    console.log(stdout)
    expect(
      lines.filter((line) => line.includes('BAD')),
      stderr,
    ).toEqual([])
    expect(lines.length, stderr).toBeGreaterThan(20)
    expect(lines.at(-1), stderr).toMatch(/^(\d+) bugs; (\d+) of \2 explorations/)
    expect(status, stderr).toBe(0)
  })

  it('run: fails when it is asked for a bug that is not there', { timeout }, () => {
    expect(runZoo('no such bug').status).toBe(1)
  })

  it('run: fails when a bug has no place to be', { timeout }, () => {
    const { status, stderr } = runZoo(
      '--bugs',
      fileURLToPath(new URL('zoo/bad-bugs.mjs', import.meta.url)),
    )
    expect(stderr).toContain('0 places in src/model/retry.js read: no such text')
    expect(status).toBe(1)
  })
})
