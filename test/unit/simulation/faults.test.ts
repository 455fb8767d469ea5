import { describe, expect, it } from 'vitest'
import { createChoices } from '../../../src/simulation/choices.ts'
import {
  createFaults,
  drawPlan,
  type FaultKind,
  type FaultOptions,
  faultKinds,
  faultLevels,
  readFaults,
  swarm,
} from '../../../src/simulation/faults.ts'
import { thrownBy } from '../base/thrown-by.ts'

const choices = () => createChoices({ seed: 1 })
const planOf = (options: FaultOptions, seed = 1) => drawPlan(options, createChoices({ seed }))

describe('levels', () => {
  it('calm has no fault at all', () => {
    const { rates, skew } = planOf(readFaults('calm'))
    expect(new Set(Object.values(rates))).toEqual(new Set([0]))
    expect(skew).toBe(0)
  })

  it('radioactive is never milder than stormy, and has faults of its own', () => {
    const { stormy, radioactive } = faultLevels
    const milder = faultKinds.filter((kind) => (radioactive[kind] ?? 0) < (stormy[kind] ?? 0))
    const added = faultKinds.filter((kind) => (radioactive[kind] ?? 0) > 0 && !(kind in stormy))
    expect(milder).toEqual([])
    expect(added).toEqual(['powerLoss', 'ioError', 'corruptRead', 'diskFull', 'clockJump'])
  })
})

describe('reading faults', () => {
  it('knows levels by name', () => {
    expect(readFaults('stormy')).toEqual(faultLevels.stormy)
  })

  it.each<[string, unknown, string]>([
    ['a level that does not exist', 'hurricane', 'faults'],
    ['a name that every object has', 'toString', 'faults'],
    ['a kind that does not exist', { crsh: 1 }, 'faults.crsh'],
    ['a rate above 1', { crash: 1.5 }, 'faults.crash'],
    ['a negative rate', { busy: -0.1 }, 'faults.busy'],
    ['a rate that is no number', { slow: Number.NaN }, 'faults.slow'],
    ['a list', [], 'faults'],
  ])('refuses %s, by name', (_, given, option) => {
    const error = thrownBy(() => readFaults(given as FaultOptions))
    expect(error).toMatchObject({ code: 'invalid_option', fields: { option } })
  })
})

describe('the plan of a seed', () => {
  it('has the rates as given, without a swarm', () => {
    expect(planOf({ crash: 0.25, skew: '1s' })).toMatchObject({
      rates: { crash: 0.25, busy: 0 },
      skew: 1_000,
      slowMax: 500,
      stallMax: 10_000,
      downMax: 5_000,
      loses: 0,
    })
  })

  it('has its own part of them in a swarm, never more than given', () => {
    const rates = Array.from({ length: 100 }, (_, seed) => planOf(swarm({ crash: 0.5 }), seed)).map(
      (plan) => plan.rates.crash,
    )
    expect(new Set(rates)).toEqual(new Set([0, 0.5, 0.15, 0.05]))
  })

  it('has each kind alone for some seed', () => {
    const options = swarm({ crash: 0.5, busy: 0.5 })
    const kinds = Array.from({ length: 200 }, (_, seed) => {
      const { crash, busy } = planOf(options, seed).rates
      return `${crash > 0 ? 'crash' : ''}${busy > 0 ? 'busy' : ''}`
    })
    expect(new Set(kinds)).toEqual(new Set(['', 'crash', 'busy', 'crashbusy']))
  })

  it('is calm in a swarm whose choices are benign', () => {
    const { rates } = drawPlan(faultLevels.radioactive, createChoices({ seed: 1, tapes: {} }))
    expect(new Set(Object.values(rates))).toEqual(new Set([0]))
  })
})

describe('faults', () => {
  it('happen by their rates, and are counted', () => {
    const faults = createFaults(planOf({ crash: 1 }), choices())
    expect([faults.happens('crash'), faults.happens('crash'), faults.happens('busy')]).toEqual([
      true,
      true,
      false,
    ])
    expect(faults.counts()).toEqual({ crash: 2 })
  })

  it('end when everything heals', () => {
    const faults = createFaults(planOf({ crash: 1 }), choices())
    expect(faults.isHealed()).toBe(false)
    faults.heal()
    expect([faults.isHealed(), faults.happens('crash')]).toEqual([true, false])
    expect(faults.counts()).toEqual({})
  })

  it('of one kind do not depend on those of another', () => {
    const times = (others: readonly FaultKind[]): boolean[] => {
      const faults = createFaults(planOf({ crash: 0.3, busy: 0.3 }), choices())
      return Array.from({ length: 50 }, () => {
        for (const other of others) faults.happens(other)
        return faults.happens('crash')
      })
    }
    expect(times(['busy'])).toEqual(times([]))
  })

  it('have lengths from 1 to the longest, the shortest being benign', () => {
    const lengths = (length: number): number =>
      createFaults(
        planOf({}),
        createChoices({ seed: 1, tapes: { 'stall-length': [length] } }),
      ).lengthOf('stall', 10_000)
    expect([lengths(0), lengths(15)]).toEqual([1, 10_000])
    const all = Array.from({ length: 16 }, (_, step) => lengths(step))
    expect(all).toEqual(all.toSorted((left, right) => left - right))
  })

  it('pick one of those that they may hit', () => {
    const faults = createFaults(planOf({}), choices())
    const picked = Array.from({ length: 50 }, () => faults.pick('crash', 3))
    expect(new Set(picked)).toEqual(new Set([0, 1, 2]))
  })
})
