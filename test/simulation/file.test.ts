/** Memory is fast, a file is true: both are the same world, and real connections agree. */

import { explore, simulate } from 'stele/simulation'
import { expect, it } from 'vitest'
import { runShop, shop } from './worlds/shop.ts'

it('file: the same choices give the same trace as in memory', async () => {
  for (let seed = 1; seed <= 10; seed += 1) {
    const options = { ...shop, faults: 'stormy', seed } as const
    const memory = await simulate({ ...options, store: 'memory' }, runShop)
    const file = await simulate({ ...options, store: 'file' }, runShop)
    expect(memory.report()).toBe('')
    expect(file.traceHash).toBe(memory.traceHash)
  }
})

it('file: real connections, radioactive', async () => {
  const options = { ...shop, marks: [], faults: 'radioactive', store: 'file' } as const
  const result = await explore({ ...options, runs: 15, seed: 100 }, runShop)
  expect(result.ok, result.report()).toBe(true)
})
