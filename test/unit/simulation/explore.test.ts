import { defineActivity } from 'stele'
import { describe, expect, it } from 'vitest'
import { countChoices } from '../../../src/simulation/choices.ts'
import {
  type ExploreOptions,
  type ExploreProgress,
  explore,
} from '../../../src/simulation/explore.ts'
import { hashOptions } from '../../../src/simulation/repro.ts'
import type { Scenario } from '../../../src/simulation/run.ts'
import { requireOk, simulate } from '../../../src/simulation/simulate.ts'

const charge = defineActivity({ name: 'charge' }, (cents: number) => cents * 2)
const functions = [charge]
const calm: Scenario = (w) => w.sometimes('always', true)

/** Fails where the seed chooses high, whatever else it chooses. */
const unlucky: Scenario = (w) => {
  for (let turn = 0; turn < 20; turn += 1) w.choose('noise', 50)
  w.check('luck', w.choose('luck', 10) < 6)
}

describe('an exploration', () => {
  it('runs so many seeds, from the first on, and adds up what they did', async () => {
    const seeds: number[] = []
    const draws: number[] = []
    const result = await explore({ functions, seed: 40, runs: 4 }, (w) => {
      draws.push(w.choose('side', 1_000_000))
      w.sometimes('odd', seeds.push(1) % 2 === 1)
    })
    expect(result).toMatchObject({ ok: true, seeds: 4, marks: { odd: 2 }, missedMarks: [] })
    expect(result).not.toHaveProperty('failure')
    expect(result.steps).toBeGreaterThan(0)
    expect(new Set(draws).size).toBe(4)
    await simulate({ functions, seed: 43 }, (w) => draws.push(w.choose('side', 1_000_000)))
    expect(draws.at(-1)).toBe(draws[3])
    expect(result.report()).toMatch(
      /^4 seeds, \d+ steps, \d+\.\d simulated days: nothing failed\.$/,
    )
  })

  it('runs a hundred seeds when nothing is said', async () => {
    expect((await explore({ functions }, calm)).seeds).toBe(100)
  })

  it('begins no seed when there is no time', async () => {
    expect((await explore({ functions, budget: 0 }, calm)).seeds).toBe(0)
  })

  it('tells after each seed how far it has come', async () => {
    const told: ExploreProgress[] = []
    const onProgress = (progress: ExploreProgress) => told.push(progress)
    const { seeds, steps } = await explore({ functions, runs: 3, onProgress }, calm)
    expect(told.map((progress) => progress.seeds)).toEqual([1, 2, 3])
    expect(told.map(({ marks }) => marks)).toEqual([{ always: 1 }, { always: 2 }, { always: 3 }])
    expect(told.at(-1)).toMatchObject({ seeds, steps })
  })

  it('fails when a declared mark was never hit, and names it', async () => {
    const marks = ['always', 'rare']
    const result = await explore({ functions, marks, runs: 2 }, calm)
    expect(result).toMatchObject({
      ok: false,
      missedMarks: ['rare'],
      marks: { always: 2, rare: 0 },
    })
    expect(result.report()).toContain('The mark "rare" was never hit.')
  })
})

describe('a failure that is found', () => {
  it('ends the exploration, and is made as small as it gets', async () => {
    const { ok, failure, seeds, report } = await explore({ functions, runs: 50 }, unlucky)
    expect(ok).toBe(false)
    expect(seeds).toBeLessThan(50)
    expect(failure?.result.tapes).toEqual({ 'scenario-luck': [6] })
    expect(failure?.choices.found).toBeGreaterThan(10)
    expect(failure?.choices.smallest).toBe(1)
    expect(failure?.shrinkRuns).toBeGreaterThan(0)
    expect(report()).toMatch(/made smaller from \d+ choices to 1, in \d+ runs\./)
    expect(report()).toContain('Simulation failed at seed')
  })

  it('can be seen again from its repro', async () => {
    const { failure } = await explore({ functions, runs: 50 }, unlucky)
    if (failure === undefined) throw new TypeError('nothing failed')
    const { seed, tapes, traceHash, invariant, optionsHash } = failure.repro
    const again = await simulate({ functions, seed, tapes }, unlucky)
    expect([again.traceHash, again.failure?.invariant]).toEqual([traceHash, invariant])
    expect(optionsHash).toBe(hashOptions({ functions }))
  })

  it('stays as it is when there is no time for it', async () => {
    const result = await explore({ functions, runs: 50, shrinkBudget: 0 }, unlucky)
    const { failure } = result
    expect(failure?.shrinkRuns).toBe(0)
    expect(failure?.choices.smallest).toBe(failure?.choices.found)
    expect(countChoices(failure?.result.tapes ?? {})).toBe(failure?.choices.found)
    expect(() => requireOk(failure?.result as never)).toThrow('luck')
  })

  it('stays as it is when it is nondeterminism', async () => {
    let runs = 0
    const result = await explore({ functions, runs: 2 }, (w) => {
      runs += 1
      for (let turn = 0; turn < 5; turn += 1) w.choose('noise', 50)
      w.check('odd', runs % 2 === 0)
    })
    expect(result.failure?.result.failure?.kind).toBe('nondeterminism')
    expect(result.failure?.shrinkRuns).toBe(0)
  })
})

describe('options', () => {
  it.each<[string, object]>([
    ['runs', { runs: 0 }],
    ['runs', { runs: 1.5 }],
    ['onProgress', { onProgress: 'loud' }],
    ['budget', { budget: 'long' }],
    ['shrinkBudget', { shrinkBudget: -1 }],
    ['seed', { seed: -1 }],
    ['simulate.rusn', { rusn: 3 }],
  ])('%s is refused by name: %o', async (option, part) => {
    const options = { functions, runs: 1, ...part } as ExploreOptions
    await expect(explore(options, calm)).rejects.toMatchObject({
      code: 'invalid_option',
      fields: { option },
    })
  })
})
