import { defineActivity } from 'stele'
import { describe, expect, it } from 'vitest'
import {
  resolveSimulation,
  type SimulationOptions,
  simulationDefaults,
} from '../../../src/simulation/options.ts'
import { thrownBy } from '../base/thrown-by.ts'

const charge = defineActivity({ name: 'charge' }, () => 1)
const functions = [charge]
const day = 86_400_000

describe('options of a simulation', () => {
  it('have defaults', () => {
    expect(resolveSimulation({ functions })).toMatchObject({
      seed: simulationDefaults.seed,
      engineCounts: [1, 1],
      faults: {},
      store: 'memory',
      invariants: [],
      marks: [],
      steps: 100_000,
      chaosSteps: 5_000,
      chaosTime: 90 * day,
      restTime: 400 * day,
      logger: false,
      skipsPolls: undefined,
      checksReplay: true,
      keepsDatabase: true,
    })
  })

  it('are taken as they are given', () => {
    const given: SimulationOptions = {
      functions,
      seed: 7,
      tapes: { crash: [1] },
      activities: { charge: () => 2 },
      engines: { count: [2, 3] },
      faults: { crash: 0.5 },
      store: 'file',
      marks: ['rare'],
      limits: { steps: 10, chaosSteps: 5, chaosTime: '1s', restTime: 2 },
      skipsPolls: false,
      checksReplay: false,
    }
    expect(resolveSimulation(given)).toMatchObject({
      seed: 7,
      tapes: { crash: [1] },
      engineCounts: [2, 3],
      faults: { crash: 0.5 },
      store: 'file',
      marks: ['rare'],
      steps: 10,
      chaosSteps: 5,
      chaosTime: 1_000,
      restTime: 2,
      skipsPolls: false,
      checksReplay: false,
    })
  })

  it('take one number of engines, or from which to which', () => {
    expect(resolveSimulation({ functions, engines: { count: 3 } }).engineCounts).toEqual([3, 3])
    const few = resolveSimulation({ functions, engines: { count: [1, 2] } })
    expect(few.engineCounts).toEqual([1, 2])
  })

  it.each<[string, object]>([
    ['simulate.sed', { sed: 1 }],
    ['functions', { functions: undefined }],
    ['functions', { functions: charge }],
    ['seed', { seed: -1 }],
    ['seed', { seed: 1.5 }],
    ['seed', { seed: '1' }],
    ['activities.chrge', { activities: { chrge: () => 1 } }],
    ['engines.count', { engines: { count: 0 } }],
    ['engines.count', { engines: { count: 17 } }],
    ['engines.count', { engines: { count: [3, 2] } }],
    ['engines.count', { engines: { count: [1.5, 2] } }],
    ['engines.cuont', { engines: { cuont: 2 } }],
    ['engines.count', { engines: { count: 'two' } }],
    ['faults', { faults: 'wild' }],
    ['faults.crash', { faults: { crash: 2 } }],
    ['faults.skew', { faults: { skew: 'far' } }],
    ['faults.loses', { faults: { loses: -1 } }],
    ['faults.loses', { faults: { loses: 0.5 } }],
    ['faults.swarm', { faults: { swarm: 'yes' } }],
    ['store', { store: 'disk' }],
    ['invariants', { invariants: {} }],
    ['invariants.0.check', { invariants: [{ name: 'holds' }] }],
    ['marks', { marks: 'rare' }],
    ['limits.stpes', { limits: { stpes: 1 } }],
    ['limits.steps', { limits: { steps: 0 } }],
    ['limits.chaosSteps', { limits: { chaosSteps: 0.5 } }],
    ['limits.chaosTime', { limits: { chaosTime: 'long' } }],
    ['limits.restTime', { limits: { restTime: -1 } }],
    ['tapes', { tapes: [] }],
    ['tapes.crash', { tapes: { crash: ['x'] } }],
    ['tapes', { tapes: null }],
    ['marks.0', { marks: [1] }],
    ['activities.other', { functions: [undefined], activities: { other: () => 1 } }],
    ['skipsPolls', { skipsPolls: 'no' }],
    ['checksReplay', { checksReplay: 1 }],
  ])('%s is refused by name: %o', (option, part) => {
    const given = { functions, ...part } as SimulationOptions
    const error = thrownBy(() => resolveSimulation(given))
    expect(error).toMatchObject({ code: 'invalid_option', fields: { option } })
  })

  it('what is no object is refused', () => {
    const error = thrownBy(() => resolveSimulation(undefined as never))
    expect(error).toMatchObject({ code: 'invalid_option', fields: { option: 'simulate' } })
  })
})
