import { defineActivity, defineWorkflow } from 'stele'
import { describe, expect, it } from 'vitest'
import type { SimulationOptions } from '../../../src/simulation/options.ts'
import type { Scenario } from '../../../src/simulation/run.ts'
import { simulate } from '../../../src/simulation/simulate.ts'

const charge = defineActivity({ name: 'charge' }, (cents: number) => cents * 2)
const waiter = defineWorkflow({ name: 'waiter' }, (_: undefined, { sleep }) => sleep('1h'))
const approve = defineActivity<'approve', number, number>({ name: 'approve' }).stub()
const functions = [charge, waiter, approve]

/** Runs a scenario that must go well. */
async function play(scenario: Scenario, part: Partial<SimulationOptions> = {}) {
  const result = await simulate({ functions, ...part }, scenario)
  expect(result.report()).toBe('')
  return result
}

/** Runs one that must not. */
async function failureOf(scenario: Scenario, part: Partial<SimulationOptions> = {}) {
  return (await simulate({ functions, ...part }, scenario)).failure
}

describe('time', () => {
  it('passes as much as the scenario says', async () => {
    let passed = 0
    await play(async (w) => {
      const before = w.now()
      await w.advance('3 days')
      passed = w.now() - before
    })
    expect(passed).toBe(3 * 86_400_000)
  })
})

describe('eventually', () => {
  it('goes on when it holds, at once or after a commit', async () => {
    const seen: unknown[] = []
    await play(async (w) => {
      await w.eventually(() => true)
      const handle = await w.submit(charge, 1)
      const isFinished = async () => (await handle.state()).status === 'finished'
      seen.push(await isFinished())
      await w.eventually(isFinished)
      seen.push(await isFinished())
    })
    expect(seen).toEqual([false, true])
  })

  it('looks a last time when its time is over, for what no commit foretells', async () => {
    let took = 0
    await play(async (w) => {
      const begun = w.now()
      await w.eventually(() => w.now() - begun >= 7_500, { within: '8s' })
      took = w.now() - begun
    })
    expect(took).toBe(8_000)
  })

  it('looks in between where every poll is made', async () => {
    let took = 0
    const waitFor: Scenario = async (w) => {
      const begun = w.now()
      await w.eventually(() => w.now() - begun >= 7_500, { within: '1 hour' })
      took = w.now() - begun
    }
    await play(waitFor, { skipsPolls: false })
    expect(took).toBe(8_000)
  })

  it('fails with a sentence when its time is over', async () => {
    const failure = await failureOf((w) =>
      w.eventually(() => false, { within: '2s', what: 'the ship' }),
    )
    expect(failure).toMatchObject({
      kind: 'scenario',
      invariant: 'eventually: the ship',
      message: 'the ship did not come true within 2000 ms',
    })
  })

  it('waits for thirty days when nothing else is said', async () => {
    const failure = await failureOf((w) => w.eventually(() => false))
    expect(failure?.message).toBe(
      'what the scenario waits for did not come true within 2592000000 ms',
    )
  })
})

describe('checks and marks', () => {
  it('a check that holds is silent; one that does not fails under its name', async () => {
    const failure = await failureOf((w) => {
      w.check('first', true)
      w.check('second', false, 'one too many')
      w.check('third', false)
    })
    expect(failure).toMatchObject({ invariant: 'second', message: 'second: one too many' })
  })

  it('a mark counts how often it was hit, and that it never was', async () => {
    const { marks } = await play((w) => {
      for (const holds of [true, false, true]) w.sometimes('odd', holds)
      w.sometimes('never', false)
    })
    expect(marks).toEqual({ odd: 2, never: 0 })
  })
})

describe('engines', () => {
  it('that are killed come back by themselves, unless they are to stay down', async () => {
    const downs: number[] = []
    await play(
      async (w) => {
        const [first = '', second = ''] = w.engines
        w.crash(first)
        w.crash(second, { comesBack: false })
        downs.push(w.downCount())
        await w.advance('1 hour')
        downs.push(w.downCount())
        w.boot(second)
        downs.push(w.downCount())
      },
      { engines: { count: 2 } },
    )
    expect(downs).toEqual([2, 1, 0])
  })

  it('that die lose nothing: another one ends their work', async () => {
    const { simulatedMs } = await play(
      async (w) => {
        const handle = await w.submit(waiter)
        await w.advance('10m')
        for (const name of w.engines) w.crash(name)
        await handle.result()
      },
      { engines: { count: 2 } },
    )
    expect(simulatedMs).toBeGreaterThanOrEqual(3_600_000)
  })

  it('that are stopped end as they should, and come back unless told otherwise', async () => {
    const downs: number[] = []
    const { lines } = await play(
      async (w) => {
        await w.advance('1s')
        const [name = ''] = w.engines
        await w.stop(name, { comesBack: false })
        downs.push(w.downCount())
        await w.advance('1 hour')
        downs.push(w.downCount())
      },
      { limits: { chaosTime: '2 hours' } },
    )
    expect(downs).toEqual([1, 1])
    const stops = lines.filter(({ kind }) => kind === 'stop').map(({ text }) => text)
    expect(stops).toEqual(['begins to stop', 'has stopped'])
  })

  it('whose event loop stands still do nothing meanwhile', async () => {
    let took = 0
    await play(async (w) => {
      await w.advance('1s')
      const begun = w.now()
      for (const name of w.engines) w.stall(name, '1 minute')
      await (await w.submit(charge, 1)).result()
      took = w.now() - begun
    })
    expect(took).toBeGreaterThanOrEqual(60_000)
  })

  it('run the code that was deployed from their next boot on', async () => {
    const results: unknown[] = []
    const other = defineActivity({ name: 'charge' }, (cents: number) => cents * 3)
    await play(async (w) => {
      results.push(await (await w.submit(charge, 1)).result())
      w.deploy([other, waiter, approve])
      results.push(await (await w.submit(charge, 1)).result())
      for (const name of w.engines) w.crash(name)
      await w.advance('1 minute')
      results.push(await (await w.submit(charge, 1)).result())
    })
    expect(results).toEqual([2, 2, 3])
  })

  it('of a name that does not exist are no reason to fail', async () => {
    const { lines } = await play(async (w) => {
      w.crash('engine-9')
      w.boot('engine-9')
      w.stall('engine-9', '1s')
      await w.stop('engine-9')
    })
    expect(lines.filter(({ process }) => process === 'engine-9')).toEqual([])
  })
})

describe('commands', () => {
  it('that are sent twice are done once', async () => {
    const { executions, faults } = await play(
      async (w) => {
        await (await w.submit(charge, 1)).result()
        await (await w.submit(charge, 1, { id: 'mine' })).result()
      },
      { faults: { repeatCommand: 1 } },
    )
    expect([executions, faults['repeatCommand']]).toEqual([2, 2])
  })

  it('reach the client: get, list, submitMany, complete', async () => {
    const seen: unknown[] = []
    await play(async (w) => {
      await w.submitMany(charge, [1, 2])
      const handle = await w.submit(approve, 1, { id: 'stub' })
      await w.complete('stub', { type: 'ok', value: 7 })
      seen.push(await handle.result(), (await w.get('stub')).id)
      seen.push((await w.list()).items.length)
    })
    expect(seen).toEqual([7, 'stub', 3])
  })

  it('a failure of a command is one of the scenario', async () => {
    const failure = await failureOf((w) => w.get('nobody'))
    expect(failure?.invariant).toBe('the scenario: SteleError execution_not_found')
  })
})

describe('an execution that is spoiled', () => {
  it("is nobody's fault, and all others go on", async () => {
    const { lines } = await play(async (w) => {
      const spoiled = await w.submit(waiter)
      const other = await w.submit(waiter)
      await w.advance('1m')
      w.spoil(spoiled.id)
      await other.result()
    })
    expect(lines.map(({ text }) => text)).toContain('spoils the row of waiter-1')
  })
})

describe('choices of the scenario', () => {
  it('follow from the seed, and from its tape', async () => {
    const made: number[] = []
    const choose: Scenario = (w) => made.push(w.choose('side', 1_000))
    const { tapes } = await play(choose, { seed: 2 })
    await play(choose, { seed: 3 })
    await play(choose, { seed: 3, tapes })
    expect(made[2]).toBe(made[0])
    expect(made[1]).not.toBe(made[0])
    expect(tapes['scenario-side']).toEqual([made[0]])
  })

  it('faults so far can be seen', async () => {
    let seen: unknown
    await play(
      async (w) => {
        await w.submit(charge, 1)
        seen = w.faults()['repeatCommand']
      },
      { faults: { repeatCommand: 1 } },
    )
    expect(seen).toBe(1)
  })
})
