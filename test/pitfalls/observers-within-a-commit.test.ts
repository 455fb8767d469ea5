/** Observers may be called while a transaction is open: they may do what they may do elsewhere. */

import { createEngine, defineActivity, type Handle } from 'stele'
import { describe, expect, it } from 'vitest'

describe('observers that are called within a transaction', () => {
  it.each(['explain', 'state', 'log'] as const)('may read (%s)', async (what) => {
    const noop = defineActivity({ name: 'noop' }, (input: number) => input)
    const reads: Promise<unknown>[] = []
    let first: Handle<unknown> | undefined
    const engine = await createEngine({
      storage: ':memory:',
      functions: [noop],
      logger: false,
      inspect: (event) => {
        if (event.type !== '@xstate.event' || event.event.type !== 'work_due') return
        if (first !== undefined) reads.push(first[what]())
      },
    })
    await engine.start()
    first = await engine.submit(noop, 0)
    await first.result()
    await (await engine.submit(noop, 1)).result()
    const results = await Promise.allSettled(reads)
    await engine.stop()
    expect(results.length).toBeGreaterThan(0)
    expect(results.filter(({ status }) => status === 'rejected')).toEqual([])
  })
})
