import { defineActivity, defineWorkflow } from 'stele'
import { describe, expect, it } from 'vitest'
import type { Scenario } from '../../../src/simulation/run.ts'
import { requireOk, simulate } from '../../../src/simulation/simulate.ts'
import { thrownBy } from '../base/thrown-by.ts'

const charge = defineActivity({ name: 'charge' }, (cents: number) => cents * 2)
const sleeper = defineWorkflow({ name: 'sleeper' }, async (_: undefined, { sleep, call }) => {
  await sleep('30 days')
  return call(charge, 21)
})
const functions = [charge, sleeper]

const chargeOnce: Scenario = async (w) => {
  w.check('it is charged', (await (await w.submit(charge, 21)).result()) === 42)
  w.sometimes('it was charged', true)
}

describe('a simulation', () => {
  it('says what happened', async () => {
    const result = await simulate({ functions, seed: 5 }, async (w) => {
      await chargeOnce(w)
      w.ledger.record('seen', 'a')
    })
    expect(result).toMatchObject({
      ok: true,
      seed: 5,
      executions: 1,
      marks: { 'it was charged': 1 },
      faults: {},
      ledger: [{ what: 'seen', key: 'a', process: 'client' }],
    })
    expect(result).not.toHaveProperty('failure')
    expect(result.steps).toBeGreaterThan(0)
    expect(result.commits).toBeGreaterThanOrEqual(3)
    expect(result.report()).toBe('')
    expect(result.trace()).toContain('charge-1 v2 finished ok')
    expect(result.diagram()).toMatch(/^sequenceDiagram\n/)
    expect(Buffer.from(result.database ?? []).toString('latin1', 0, 15)).toBe('SQLite format 3')
  })

  it('is the same for the same seed, and another one for another', async () => {
    const run = (seed: number) =>
      simulate({ functions, seed, faults: 'radioactive', engines: { count: 2 } }, chargeOnce)
    const [one, again, other] = [await run(3), await run(3), await run(4)]
    expect(again.traceHash).toBe(one.traceHash)
    expect(again.tapes).toEqual(one.tapes)
    expect(other.traceHash).not.toBe(one.traceHash)
  })

  it('makes the choices of a tape again', async () => {
    const options = { functions, seed: 3, faults: 'stormy', engines: { count: 2 } } as const
    const first = await simulate(options, chargeOnce)
    expect(Object.keys(first.tapes)).not.toEqual([])
    const again = await simulate({ ...options, tapes: first.tapes }, chargeOnce)
    expect(again.traceHash).toBe(first.traceHash)
  })

  it('lets thirty days pass in few steps', async () => {
    const result = await simulate({ functions }, async (w) => {
      await (await w.submit(sleeper)).result()
    })
    expect(result.ok, result.report()).toBe(true)
    expect(result.simulatedMs).toBeGreaterThanOrEqual(30 * 86_400_000)
    expect(result.steps).toBeLessThan(500)
  })

  it('is the same whoever watches', async () => {
    const silent = await simulate({ functions }, chargeOnce)
    let seen = 0
    const inspect = (): void => {
      seen += 1
    }
    const watched = await simulate({ functions, inspect }, chargeOnce)
    expect(watched.traceHash).toBe(silent.traceHash)
    expect(seen).toBeGreaterThan(0)
  })

  it('runs as well with every poll made, and in a file', async () => {
    const polled = await simulate({ functions, skipsPolls: false }, chargeOnce)
    const filed = await simulate({ functions, store: 'file' }, chargeOnce)
    expect([polled.report(), filed.report()]).toEqual(['', ''])
  })

  it('waits for another one in the same process', async () => {
    const order: string[] = []
    const run = (name: string) =>
      simulate({ functions }, async (w) => {
        order.push(`${name} begins`)
        await w.advance('1s')
        order.push(`${name} ends`)
      })
    await Promise.all([run('one'), run('two')])
    expect(order).toEqual(['one begins', 'one ends', 'two begins', 'two ends'])
  })

  it('leaves the globals as they were', async () => {
    const before = [Date, setTimeout, fetch, Math.random]
    await simulate({ functions }, chargeOnce)
    expect([Date, setTimeout, fetch, Math.random]).toEqual(before)
  })

  it('rejects with invalid_option', async () => {
    const rejected = simulate({ functions, seed: -1 }, chargeOnce)
    await expect(rejected).rejects.toMatchObject({ code: 'invalid_option' })
  })
})

describe('a failing seed', () => {
  it('is run twice, and reported with its trace', async () => {
    let runs = 0
    const result = await simulate({ functions, seed: 9 }, async (w) => {
      runs += 1
      await (await w.submit(charge, 1)).result()
      w.check('money is enough', false, 'there is none')
    })
    expect(runs).toBe(2)
    expect(result.failure).toMatchObject({
      kind: 'scenario',
      invariant: 'money is enough',
      message: 'money is enough: there is none',
    })
    expect(result.report()).toContain('Simulation failed at seed 9')
    expect(result.report()).toContain('charge-1 v2 finished ok')
  })

  it('that does not fail alike is nondeterminism, with the first line that differs', async () => {
    const result = await simulate({ functions }, async (w) => {
      // Real, and out of reach of the simulation.
      await w.advance(`${Number(process.hrtime.bigint() % 1_000_000_000n)}ms`)
      w.check('never', false)
    })
    expect(result.failure).toMatchObject({
      kind: 'nondeterminism',
      invariant: 'the same seed gives the same trace',
    })
    expect(result.failure?.message).toMatch(/once .*> waits \d+ms\n {2}again .*> waits \d+ms\n/)
    expect(result.failure?.message).toContain('never: does not hold')
  })

  it('that only fails the first time is nondeterminism as well', async () => {
    let runs = 0
    const result = await simulate({ functions }, (w) => {
      runs += 1
      w.check('once', runs > 1)
    })
    expect(result.failure?.kind).toBe('nondeterminism')
  })
})

describe('requireOk', () => {
  it('gives the result of a simulation that did not fail', async () => {
    const result = await simulate({ functions }, chargeOnce)
    expect(requireOk(result)).toBe(result)
  })

  it('throws the report of one that did', async () => {
    const result = await simulate({ functions }, (w) => w.check('never', false))
    expect(thrownBy(() => requireOk(result))).toMatchObject({
      code: 'simulation_failed',
      message: result.report(),
    })
  })
})
