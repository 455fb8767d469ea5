import { explore, type FaultLevel } from 'stele/simulation'
import { expect, it } from 'vitest'
import { runShop, shop } from './worlds/shop.ts'

const runs = Number(process.env['STELE_SIMULATION_RUNS'] ?? 150)
const seed = Number(process.env['STELE_SIMULATION_SEED'] ?? 1)

it.each<FaultLevel>(['calm', 'stormy', 'radioactive'])(
  'the engine, %s',
  { timeout: 600_000 },
  async (faults) => {
    const marks = faults === 'calm' ? [] : (shop.marks ?? [])
    const result = await explore({ ...shop, marks, faults, runs, seed }, runShop)
    expect(result.ok, result.report()).toBe(true)
  },
)
