import { readFileSync } from 'node:fs'
import { chdir, cwd } from 'node:process'
import { defineActivity } from 'stele'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { parseRepro } from '../../../src/simulation/repro.ts'
import type { Scenario } from '../../../src/simulation/run.ts'
import { createSimTest } from '../../../src/simulation/sim-test-host.ts'
import {
  type TemporaryDirectory,
  temporaryDirectory,
} from '../../support/storage/temporary-directory.ts'

const charge = defineActivity({ name: 'charge' }, (cents: number) => cents * 2)

let folder: TemporaryDirectory
const home = cwd()

beforeEach(() => {
  folder = temporaryDirectory()
  chdir(folder.path)
  for (const name of ['SIM_SEED', 'SIM_RUNS', 'SIM_REPRO']) vi.stubEnv(name, undefined)
})

afterEach(() => {
  vi.unstubAllEnvs()
  chdir(home)
  folder[Symbol.dispose]()
})

/** Declares one test, runs it, and gives what it rejects with. */
async function runTest(name: string, scenario: Scenario): Promise<unknown> {
  const declared: (() => Promise<void>)[] = []
  createSimTest((_, run) => declared.push(run))(name, { functions: [charge], runs: 2 }, scenario)
  return declared[0]?.().catch((cause: unknown) => cause)
}

describe('in this process', () => {
  it('a test that fails leaves a repro file in the working directory', async () => {
    const error = await runTest('it is paid', (w) => w.check('paid', false))
    expect(error).toMatchObject({ code: 'simulation_failed' })
    const text = readFileSync(folder.file('repro-it-is-paid.json'), 'utf8')
    expect(parseRepro(text)).toMatchObject({ invariant: 'paid', seed: 1 })
  })

  it('SIM_REPRO names a file, from that directory', async () => {
    await runTest('it is paid', (w) => w.check('paid', w.choose('luck', 2) < 0))
    vi.stubEnv('SIM_REPRO', 'repro-it-is-paid.json')
    let runs = 0
    const error = await runTest('it is paid', () => {
      runs += 1
    })
    expect([error, runs]).toEqual([undefined, 1])
  })

  it('SIM_RUNS is asked for when a test runs, not when it is declared', async () => {
    let runs = 0
    const declared: (() => Promise<void>)[] = []
    createSimTest((_, run) => declared.push(run))('counts', { functions: [charge] }, () => {
      runs += 1
    })
    vi.stubEnv('SIM_RUNS', '4')
    await declared[0]?.()
    expect(runs).toBe(4)
  })

  it('a file that cannot be read is refused', async () => {
    vi.stubEnv('SIM_REPRO', 'missing.json')
    const error = await runTest('it is paid', () => undefined)
    expect(error).toMatchObject({
      code: 'invalid_option',
      message: expect.stringContaining('missing.json'),
    })
  })
})
