import { defineActivity } from 'stele'
import { describe, expect, it } from 'vitest'
import { parseRepro } from '../../../src/simulation/repro.ts'
import type { Scenario } from '../../../src/simulation/run.ts'
import { createSimTestOn, type SimTestEnvironment } from '../../../src/simulation/sim-test.ts'

const charge = defineActivity({ name: 'charge' }, (cents: number) => cents * 2)
const functions = [charge]

interface Ran {
  readonly error: unknown
  readonly names: readonly string[]
  readonly files: ReadonlyMap<string, string>
}

/** Declares one test and runs it, as a runner would. */
async function runTest(
  scenario: Scenario,
  environment: SimTestEnvironment = {},
  files = new Map<string, string>(),
  options = {},
): Promise<Ran> {
  const names: string[] = []
  const declared: (() => Promise<void>)[] = []
  const simTest = createSimTestOn(
    (name, run) => {
      names.push(name)
      declared.push(run)
    },
    {
      environment,
      readFile: (path) => files.get(path) ?? '',
      writeFile: (path, text) => files.set(path, text),
    },
  )
  simTest('it is paid, once!', { functions, runs: 3, ...options }, scenario)
  let error: unknown
  for (const run of declared) {
    await run().catch((cause: unknown) => {
      error = cause
    })
  }
  return { error, names, files }
}

/** Counts runs by what they chose. */
function counter(): { readonly scenario: Scenario; readonly chosen: number[] } {
  const chosen: number[] = []
  return { chosen, scenario: (w) => chosen.push(w.choose('side', 1_000_000)) }
}

const failing: Scenario = (w) => {
  w.choose('noise', 10)
  w.check('paid once', w.choose('luck', 4) === 0)
}

describe('a test of a simulation', () => {
  it('is declared under its name, and explores its seeds', async () => {
    const { chosen, scenario } = counter()
    const { names, error, files } = await runTest(scenario)
    expect([names, error, files.size]).toEqual([['it is paid, once!'], undefined, 0])
    expect(new Set(chosen).size).toBe(3)
  })

  it('fails with a report and a repro file, and says how to run it again', async () => {
    const { error, files } = await runTest(failing, {}, new Map(), { runs: 20 })
    const path = 'repro-it-is-paid-once-.json'
    expect(error).toMatchObject({
      code: 'simulation_failed',
      message: expect.stringContaining(`SIM_REPRO=${path}`),
    })
    expect(error).toMatchObject({ message: expect.stringContaining('paid once') })
    expect(parseRepro(files.get(path) ?? '')).toMatchObject({
      invariant: 'paid once',
      tapes: { 'scenario-luck': [1] },
    })
  })

  it('fails when a declared mark was never hit, without a file', async () => {
    const { error, files } = await runTest(() => undefined, {}, new Map(), { marks: ['rare'] })
    expect(error).toMatchObject({
      code: 'simulation_failed',
      message: expect.stringContaining('"rare" was never hit'),
    })
    expect(files.size).toBe(0)
  })
})

describe('the environment', () => {
  it('SIM_RUNS says how many seeds', async () => {
    const { chosen, scenario } = counter()
    await runTest(scenario, { SIM_RUNS: '5' })
    expect(chosen.length).toBe(5)
  })

  it('SIM_SEED runs that one alone', async () => {
    const { chosen, scenario } = counter()
    await runTest(scenario, { SIM_SEED: '2' })
    await runTest(scenario)
    expect(chosen.length).toBe(4)
    // The second of seeds 1, 2 and 3.
    expect(chosen[0]).toBe(chosen[2])
  })

  it('SIM_SEED 0 is a seed', async () => {
    const { chosen, scenario } = counter()
    await runTest(scenario, { SIM_SEED: '0' })
    expect(chosen.length).toBe(1)
  })

  it('SIM_SEED that fails gives the report, and no file', async () => {
    const { error, files } = await runTest((w) => w.check('never', false), { SIM_SEED: '7' })
    expect(error).toMatchObject({
      code: 'simulation_failed',
      message: expect.stringContaining('Simulation failed at seed 7'),
    })
    expect(files.size).toBe(0)
  })

  it('SIM_REPRO makes the choices of a file again', async () => {
    const { files } = await runTest(failing, {}, new Map(), { runs: 20 })
    const [path = ''] = files.keys()
    const chosen: number[] = []
    const { error } = await runTest(
      (w) => {
        chosen.push(w.choose('noise', 10))
        w.check('paid once', w.choose('luck', 4) === 0)
      },
      { SIM_REPRO: path },
      new Map(files),
    )
    expect(error).toMatchObject({ message: expect.stringContaining('paid once') })
    expect(new Set(chosen)).toEqual(new Set([0]))
  })

  it.each<[string, SimTestEnvironment]>([
    ['a seed that is no number', { SIM_SEED: 'seven' }],
    ['a negative seed', { SIM_SEED: '-1' }],
    ['runs that are no number', { SIM_RUNS: 'many' }],
    ['a repro file that is none', { SIM_REPRO: 'missing.json' }],
  ])('is refused with %s', async (_, environment) => {
    const { error } = await runTest(() => undefined, environment)
    expect(error).toMatchObject({ code: 'invalid_option' })
  })

  it('empty variables say nothing', async () => {
    const { chosen, scenario } = counter()
    const { error } = await runTest(scenario, { SIM_SEED: '', SIM_REPRO: '', SIM_RUNS: '' })
    expect([error, chosen.length]).toEqual([undefined, 3])
  })
})
