import { defineActivity } from 'stele'
import { describe, expect, it } from 'vitest'
import {
  defineSimulation,
  isSimulation,
  reproduce,
} from '../../../src/simulation/define-simulation.ts'
import { formatRepro, reproOf } from '../../../src/simulation/repro.ts'
import { simulate } from '../../../src/simulation/simulate.ts'
import { thrownBy } from '../base/thrown-by.ts'

const charge = defineActivity({ name: 'charge' }, (cents: number) => cents * 2)
const options = { functions: [charge], seed: 6 }

describe('a simulation with a name', () => {
  it('has its options and its scenario', () => {
    const scenario = (): void => undefined
    const simulation = defineSimulation(options, scenario)
    expect(simulation).toEqual({ options, scenario })
    expect(isSimulation(simulation)).toBe(true)
  })

  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['null', null],
    ['a function', () => 1],
    ['options alone', { options }],
    ['a scenario that is none', { options, scenario: 'run' }],
  ])('%s is none', (_, value) => {
    expect(isSimulation(value)).toBe(false)
  })

  it('is refused with options or a scenario that are none', () => {
    expect(thrownBy(() => defineSimulation({ ...options, seed: -1 }, () => 1))).toMatchObject({
      code: 'invalid_option',
      fields: { option: 'seed' },
    })
    expect(thrownBy(() => defineSimulation(options, undefined as never))).toMatchObject({
      code: 'invalid_option',
      fields: { option: 'scenario' },
    })
  })
})

describe('a repro', () => {
  it('is run again with the choices of its file', async () => {
    const simulation = defineSimulation(options, (w) => {
      w.check('luck', w.choose('luck', 1_000_000) === 0)
    })
    const result = await simulate(simulation.options, simulation.scenario)
    const text = formatRepro(reproOf(options, result))
    // Another seed: what counts is the file.
    const again = await reproduce({ ...simulation, options: { ...options, seed: 7 } }, text)
    expect([again.seed, again.traceHash]).toEqual([6, result.traceHash])
    expect(again.failure?.invariant).toBe('luck')
  })

  it('rejects a text that is none', async () => {
    const simulation = defineSimulation(options, () => undefined)
    await expect(async () => reproduce(simulation, '{}')).rejects.toMatchObject({
      code: 'invalid_option',
    })
  })

  it('rejects, and does not throw', () => {
    const simulation = defineSimulation(options, () => undefined)
    let rejected: Promise<unknown> = Promise.resolve()
    expect(() => {
      rejected = reproduce(simulation, '{}')
    }).not.toThrow()
    return expect(rejected).rejects.toBeDefined()
  })
})
