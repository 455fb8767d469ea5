import { defineActivity, defineWorkflow } from 'stele'
import { describe, expect, it } from 'vitest'
import { simulationStart } from '../../../src/simulation/kernel.ts'
import { resolveSimulation, type SimulationOptions } from '../../../src/simulation/options.ts'
import { runSimulation, type Scenario } from '../../../src/simulation/run.ts'

const charge = defineActivity({ name: 'charge' }, (cents: number) => cents * 2)
const never = defineActivity(
  { name: 'never', timeout: '1s', retry: { maxRetries: 1_000, backoff: '1h', maxBackoff: '1h' } },
  () => new Promise<number>(() => undefined),
)
const flow = defineWorkflow({ name: 'flow' }, (_: undefined, { call }) => call(charge, 1))
const functions = [charge, never, flow]

const run = (scenario: Scenario, part: Partial<SimulationOptions> = {}) =>
  runSimulation(resolveSimulation({ functions, ...part }), scenario)

describe('a run', () => {
  it('begins in the last second before the year 2000, in UTC', async () => {
    const seen: number[] = []
    await run((w) => seen.push(w.now(), Date.now()))
    expect(new Date(simulationStart).toISOString()).toBe('1999-12-31T23:59:59.000Z')
    expect(seen).toEqual([simulationStart, simulationStart])
  })

  it('has as many engines as it is told, or as the seed has it', async () => {
    const counts: number[] = []
    const count: Scenario = (w) => counts.push(w.engines.length)
    await run(count, { engines: { count: 3 } })
    for (let seed = 0; seed < 12; seed += 1) await run(count, { seed, engines: { count: [1, 3] } })
    expect(counts[0]).toBe(3)
    expect(new Set(counts.slice(1))).toEqual(new Set([1, 2, 3]))
  })

  it('heals after its chaos, and ends well', async () => {
    const { failure, lines, faults } = await run(
      async (w) => {
        const handle = await w.submit(flow)
        await handle.result()
      },
      { faults: { crash: 1, downMax: '1s' }, limits: { chaosSteps: 50 } },
    )
    expect(failure).toBeUndefined()
    expect(faults['crash']).toBeGreaterThan(0)
    const healed = lines.findIndex(({ text }) => text === 'everything heals')
    expect(healed).toBeGreaterThan(0)
    expect(lines.slice(healed).filter(({ kind }) => kind === 'crash')).toEqual([])
  })

  it('draws what code asks of Math from the seed', async () => {
    const draw = async (seed: number): Promise<number> => {
      let drawn = 0
      await run(
        () => {
          drawn = Math.random()
        },
        { seed },
      )
      return drawn
    }
    const first = await draw(1)
    expect(await draw(1)).toBe(first)
    expect(await draw(2)).not.toBe(first)
  })

  it('gives a process that was started again other numbers than before', async () => {
    const drawn: number[] = []
    const dice = defineActivity({ name: 'dice' }, () => drawn.push(Math.random()))
    const roll: Scenario = async (w) => {
      await (await w.submit(dice)).result()
    }
    const { failure } = await run(
      async (w) => {
        await roll(w)
        w.crash('engine-0')
        await roll(w)
      },
      { functions: [dice] },
    )
    expect(failure).toBeUndefined()
    expect(new Set(drawn).size).toBe(2)
  })
})

describe('a run fails', () => {
  it('when an invariant does not hold after a commit', async () => {
    const { failure, lines } = await run(async (w) => (await w.submit(charge, 1)).result(), {
      invariants: [
        {
          name: 'nothing is charged',
          check: ({ changes }) => {
            const ended = changes.some(({ execution }) => execution.state.status === 'finished')
            return ended ? 'something was' : undefined
          },
        },
      ],
    })
    expect(failure).toMatchObject({
      kind: 'invariant',
      invariant: 'nothing is charged',
      message: 'something was',
    })
    expect(lines.at(-1)?.text).toBe('fails: nothing is charged')
  })

  it('when an invariant does not hold in the end', async () => {
    const invariants = [{ name: 'last', every: 'end' as const, check: () => 'does not hold' }]
    expect((await run(() => undefined, { invariants })).failure).toMatchObject({
      kind: 'invariant',
      invariant: 'last',
    })
  })

  it('with what an invariant throws', async () => {
    const check = (): never => {
      throw new TypeError('a mistake')
    }
    const { failure } = await run(() => undefined, {
      invariants: [{ name: 'odd', every: 'end', check }],
    })
    expect(failure?.message).toContain('a mistake')
  })

  it('with what the scenario throws', async () => {
    const error = new RangeError('no')
    const { failure } = await run(() => {
      throw error
    })
    expect(failure).toMatchObject({ kind: 'scenario', cause: error })
  })

  it('with what is thrown where nobody can catch it', async () => {
    const { failure } = await run(async (w) => {
      setTimeout(() => {
        throw new RangeError('nobody hears this')
      }, 5)
      await w.advance('1s')
    })
    expect(failure).toMatchObject({
      kind: 'uncaught',
      message: expect.stringMatching(/^\w+: RangeError: nobody hears this/),
    })
  })

  it('when the scenario waits for something that does not come', async () => {
    const { failure } = await run(() => new Promise(() => undefined))
    expect(failure).toMatchObject({
      kind: 'liveness',
      message: 'the scenario waits for something that does not come',
    })
  })

  it('when an activity waits for something outside, which is named', async () => {
    const { failure } = await run(async (w) => (await w.submit(never)).result(), {
      limits: { chaosTime: '1 day', restTime: '1 day' },
    })
    expect(failure).toMatchObject({ kind: 'outside' })
    expect(failure?.message).toContain('the activity never of never-1, attempt ')
    expect(failure?.message).toContain('outside of the simulation')
  })

  it('when its steps are used up', async () => {
    const { failure } = await run(
      async (w) => {
        for (;;) await w.advance('1ms')
      },
      { limits: { steps: 300, chaosSteps: 100 } },
    )
    expect(failure).toMatchObject({
      kind: 'liveness',
      message: expect.stringContaining('still busy after 300 steps'),
    })
  })

  it('when what is due stays undone: nobody is there to do it', async () => {
    const { failure } = await run(
      async (w) => {
        for (const name of w.engines) w.crash(name, { comesBack: false })
        await w.submit(charge, 1)
        w.deploy([])
        await w.advance('2 days')
      },
      { limits: { chaosTime: '1 day', restTime: '5 days' } },
    )
    // Nobody executes `charge` any more, so nobody is blamed.
    expect(failure).toBeUndefined()
  })

  it('when a workflow does not say again what its log says', async () => {
    let first = true
    const fickle = defineWorkflow({ name: 'fickle' }, async (_: undefined, { step, call }) => {
      if (!first) return step('other', () => 1)
      first = false
      return call(charge, 1)
    })
    const { failure } = await run(async (w) => (await w.submit(fickle)).result(), {
      functions: [charge, fickle],
    })
    expect(failure).toMatchObject({
      kind: 'invariant',
      invariant: 'a replay does what the log says',
    })
  })
})
