import { defineActivity, defineWorkflow } from 'stele'
import { describe, expect, it } from 'vitest'
import { openTestEngine } from '../unit/client/test-engine.ts'

const items = 2_000
const sum = (items * (items + 1)) / 2
const increment = defineActivity({ name: 'increment' }, (input: number) => input + 1)
const numbers = Array.from({ length: items }, (_, index) => index)

const sequential = defineWorkflow({ name: 'sequential' }, async (count: number, { call }) => {
  let total = 0
  for (let done = 0; done < count; done += 1) total += await call(increment, done)
  return total
})
const parallel = defineWorkflow({ name: 'parallel' }, async (inputs: number[], { call }) => {
  const values = await Promise.all(inputs.map((input) => call(increment, input)))
  return values.reduce((total, value) => total + value, 0)
})
const stepping = defineWorkflow({ name: 'stepping' }, async (count: number, { step }) => {
  let total = 0
  for (let done = 0; done < count; done += 1) total += await step('add', () => done + 1)
  return total
})
const fanned = defineWorkflow({ name: 'fanned' }, async (inputs: number[], { step, joinSet }) => {
  const set = joinSet('set', { of: increment, concurrency: 50 })
  const values = await set.map(increment, inputs)
  const steps = await Promise.all(inputs.map((input) => step('same', () => input - input)))
  return [...values, ...steps].reduce((total, value) => total + value, 0)
})
const functions = [increment, sequential, parallel, stepping, fanned]

describe('B18: two thousand of each in one workflow', () => {
  it.each([
    ['calls in a row', sequential, items],
    ['calls at once', parallel, numbers],
    ['steps in a row', stepping, items],
    ['children fifty at a time, and steps at once', fanned, numbers],
  ] as const)('B18: %s', { timeout: 30_000 }, async (_, fn, input) => {
    await using world = await openTestEngine({ functions })
    const handle = await world.engine.submit(fn, input as never)
    await world.advance(2_000)
    expect(await handle.result({ timeout: 0 })).toBe(sum)
  })

  it('B18: and a cold engine takes over in the middle of it', { timeout: 30_000 }, async () => {
    const inputs = numbers.slice(0, 500)
    const twice = defineWorkflow({ name: 'twice' }, async (given: number[], { call, sleep }) => {
      const first = await Promise.all(given.map((input) => call(increment, input)))
      await sleep('1s')
      const second = await Promise.all(first.map((input) => call(increment, input)))
      return second.reduce((total, value) => total + value, 0)
    })
    await using world = await openTestEngine({
      functions: [increment, twice],
      limits: { warmRuns: 0 },
    })
    const handle = await world.engine.submit(twice, inputs)
    await world.advance(1_500)
    const expected = inputs.reduce((total, value) => total + value + 2, 0)
    expect(await handle.result({ timeout: 0 })).toBe(expected)
  })
})
