/** Whoever watches a simulation changes nothing in it. */

import { inspector } from 'stele/inspector'
import { simulate } from 'stele/simulation'
import { expect, it } from 'vitest'
import { runShop, shop } from './worlds/shop.ts'

it('watched: with an inspector the trace is the same', async () => {
  let frames = 0
  for (let seed = 1; seed <= 10; seed += 1) {
    const options = { ...shop, faults: 'stormy', seed } as const
    const inspect = inspector({
      onFrame: () => {
        frames += 1
      },
    })
    const alone = await simulate(options, runShop)
    const watched = await simulate({ ...options, inspect }, runShop)
    await inspect.close()
    expect(watched.traceHash).toBe(alone.traceHash)
  }
  expect(frames).toBeGreaterThan(1_000)
})
