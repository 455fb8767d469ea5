/** Every planted mistake is noticed by the test that is there for it. */

import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const run = fileURLToPath(new URL('run.mjs', import.meta.url))
const fixture = fileURLToPath(new URL('fixture/bad.mutants.mjs', import.meta.url))
const timeout = 180_000

function runMutants(...words: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [run, ...words], {
    encoding: 'utf8',
    timeout,
  })
  return { status, lines: stdout.trim().split('\n'), stderr }
}

describe('mutants', () => {
  it('mutants: all are killed, each by its test', { timeout }, () => {
    const { status, lines, stderr } = runMutants()
    expect(lines.filter((line) => !line.startsWith('killed')).slice(0, -1), stderr).toEqual([])
    expect(lines.length).toBeGreaterThan(30)
    expect(status).toBe(0)
  })

  it('run: says of a bad mutant what is bad, and fails', { timeout }, () => {
    const { status, lines } = runMutants(fixture)
    expect(lines.map((line) => line.replace(/ {2,}/g, ' '))).toEqual([
      'ALIVE survivor SURVIVED',
      'ALIVE nowhere BROKEN 0 places in src/base/result.ts read: no such text',
      'ALIVE twice BROKEN 2 places in src/base/result.ts read: return {',
      expect.stringMatching(/^ALIVE unloadable BROKEN .*result\.test\.ts does not load$/),
      'ALIVE killed by another MISSED 1 tests failed, none like /a test that is not there/',
      'ALIVE untested BROKEN no such tests: test/unit/base/none.test.ts',
      'killed good result: either a value or an error, told apart by ok',
      '7 mutants, 1 killed, 6 alive',
    ])
    expect(status).toBe(1)
  })
})
