import { defineActivity, defineWorkflow } from 'stele'
import { describe, expect, it } from 'vitest'
import { memories } from '../seed/workflow-test.ts'
import { openTestEngine } from '../unit/client/test-engine.ts'

const leaf = defineActivity({ name: 'leaf' }, (input: number) => input)

function nesting(concurrency?: number) {
  const declared = defineWorkflow<'nest', number, number, number>({ name: 'nest', concurrency })
  return declared.implement(async (depth, { call, joinSet, step }) => {
    if (depth === 0) return call(leaf, 1)
    const set = joinSet('set', { of: declared })
    // Two at once above, one by one below: it is the depth that matters.
    if (depth > 3) set.submit(declared, depth - 1)
    let total = await step('own', () => 1)
    total += await call(declared, depth - 1)
    for await (const end of set) total += end.value
    return total
  })
}

describe.each(memories)('B31, $memory', ({ limits }) => {
  it.each([
    { what: 'the engine has one slot', concurrency: undefined, executor: { concurrency: 1 } },
    { what: 'the function has one slot', concurrency: 1, executor: {} },
    { what: 'both have one slot', concurrency: 1, executor: { concurrency: 1 } },
  ])('B31: parents five deep wait for their children while $what', async (given) => {
    const nest = nesting(given.concurrency)
    const functions = [leaf, nest]
    await using world = await openTestEngine({ functions, executor: given.executor, limits })
    const handle = await world.engine.submit(nest, 5)
    await world.advance(5_000)
    expect(await handle.result({ timeout: 0 })).toBe(19)
    await world.check()
  })
})
