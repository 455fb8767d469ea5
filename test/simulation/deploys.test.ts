import { explore, type FaultLevel } from 'stele/simulation'
import { expect, it } from 'vitest'
import { deploys, runDeploys } from './worlds/deploys.ts'

const runs = Number(process.env['STELE_SIMULATION_RUNS'] ?? 40)
const seed = Number(process.env['STELE_SIMULATION_SEED'] ?? 1)

it.each<FaultLevel>(['calm', 'stormy', 'radioactive'])(
  'deployments, %s',
  { timeout: 600_000 },
  async (faults) => {
    const result = await explore({ ...deploys, faults, runs, seed }, runDeploys)
    expect(result.ok, result.report()).toBe(true)
  },
)
