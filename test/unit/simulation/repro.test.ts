import { defineActivity } from 'stele'
import { describe, expect, it } from 'vitest'
import type { SimulationOptions } from '../../../src/simulation/options.ts'
import {
  formatRepro,
  hashOptions,
  parseRepro,
  type Repro,
  reproOf,
} from '../../../src/simulation/repro.ts'
import { simulate } from '../../../src/simulation/simulate.ts'
import { thrownBy } from '../base/thrown-by.ts'

const charge = defineActivity({ name: 'charge' }, () => 1)
const functions = [charge]
const repro: Repro = {
  format: 1,
  invariant: 'charged "once"',
  message: 'twice\nat least',
  seed: 4,
  tapes: { crash: [3, 0, 1], 'crash-which': [1] },
  traceHash: '00ff',
  optionsHash: '12ab',
}

describe('a repro file', () => {
  it.each<[string, Repro]>([
    ['with tapes', repro],
    ['without', { ...repro, tapes: {} }],
  ])('%s says again what was written', (_, written) => {
    expect(parseRepro(formatRepro(written))).toEqual(written)
  })

  it('has one line for each tape, so that a change can be reviewed', () => {
    const text = formatRepro(repro)
    expect(text).toContain('\n    "crash": [3,0,1],\n    "crash-which": [1]\n')
    expect(text.endsWith('}\n')).toBe(true)
  })

  it.each<[string, string]>([
    ['no JSON', 'crash: 3'],
    ['no object', '3'],
    ['nothing', 'null'],
    ['another format', JSON.stringify({ ...repro, format: 2 })],
    ['no seed', JSON.stringify({ ...repro, seed: undefined })],
    ['no invariant', JSON.stringify({ ...repro, invariant: undefined })],
    ['no tapes', JSON.stringify({ ...repro, tapes: undefined })],
    ['a tape that is no list', JSON.stringify({ ...repro, tapes: { crash: 3 } })],
    ['a choice that is no number', JSON.stringify({ ...repro, tapes: { crash: [1.5] } })],
    ['a negative choice', JSON.stringify({ ...repro, tapes: { crash: [-1] } })],
    ['a seed that none can be', JSON.stringify({ ...repro, seed: -1.5 })],
  ])('is refused with %s', (_, text) => {
    const error = thrownBy(() => parseRepro(text))
    expect(error).toMatchObject({
      code: 'invalid_option',
      message: expect.stringContaining('repro'),
    })
  })
})

describe('the repro of a result', () => {
  it('has what failed, and the choices that lead there', async () => {
    const options: SimulationOptions = { functions, seed: 3, faults: { reorder: 0.5 } }
    const result = await simulate(options, async (w) => {
      await (await w.submit(charge)).result()
      w.check('never', false)
    })
    expect(reproOf(options, result)).toEqual({
      format: 1,
      invariant: 'never',
      message: 'never: does not hold',
      seed: 3,
      tapes: result.tapes,
      traceHash: result.traceHash,
      optionsHash: hashOptions(options),
    })
    expect(Object.keys(result.tapes)).toContain('reorder')
  })
})

describe('the hash of options', () => {
  const base: SimulationOptions = { functions }

  it('is the same for the same options, whatever the seed', () => {
    expect(hashOptions({ functions, seed: 8 })).toBe(hashOptions(base))
  })

  it.each<[string, Partial<SimulationOptions>]>([
    ['engines', { engines: { count: 2 } }],
    ['faults', { faults: 'stormy' }],
    ['limits', { limits: { steps: 5 } }],
    ['functions', { functions: [] }],
    ['replaced activities', { activities: { charge: () => 2 } }],
  ])('is another one for other %s', (_, part) => {
    expect(hashOptions({ ...base, ...part })).not.toBe(hashOptions(base))
  })
})
