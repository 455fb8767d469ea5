import { defineActivity, defineWorkflow, unchecked } from 'stele'
import { describe, expect, it } from 'vitest'
import type { Driver } from '../../src/storage/driver.ts'
import type { Protocol } from '../../src/storage/protocol.ts'
import { eventsOf } from '../seed/workflow-test.ts'
import { present } from '../support/storage/results.ts'
import { openTestEngine } from '../unit/client/test-engine.ts'

/** What the database has been asked, and has answered. */
interface Cost {
  statements: number
  rows: number
}

/** Counts every statement, and every row that comes back. */
function counting() {
  const cost: Cost = { statements: 0, rows: 0 }
  function* counted<Value>(protocol: Protocol<Value>): Protocol<Value> {
    let step = protocol.next([])
    while (step.done !== true) {
      const answers = yield step.value
      cost.statements += step.value.length
      for (const rows of answers) cost.rows += rows.length
      step = protocol.next(answers)
    }
    return step.value
  }
  const wrap = (driver: Driver): Driver => ({
    ...driver,
    write: (begin) => driver.write(() => counted(begin())),
    read: (begin) => driver.read(() => counted(begin())),
  })
  return { cost, wrap }
}

const noPolls = {
  executor: { tickSleep: '1 day', lockExpiry: '10 days' },
  timersWatcher: { tickSleep: '1 day' },
} as const

/** The cost of one, from a window of them. */
function perOne(from: Cost, to: Cost, count: number): Cost {
  return {
    statements: (to.statements - from.statements) / count,
    rows: (to.rows - from.rows) / count,
  }
}

describe('B58: the cost of one more is flat', () => {
  it('B58: of steps, from the 10th to the 10,000th', { timeout: 60_000 }, async () => {
    const { cost, wrap } = counting()
    const seen = new Map<number, Cost>()
    const main = defineWorkflow({ name: 'main' }, async (_: undefined, { step }) => {
      for (let done = 0; done <= 10_000; done += 1) {
        await step('work', () => {
          seen.set(done, { ...cost })
        })
      }
    })
    await using world = await openTestEngine({ functions: [main], wrap, ...noPolls })
    const handle = await world.engine.submit(main)
    await world.settle()
    await handle.result({ timeout: 0 })
    const at = (done: number): Cost => present(seen.get(done), 'a cost')
    const early = perOne(at(10), at(110), 100)
    expect(early.statements).toBeGreaterThan(0)
    expect(perOne(at(9_900), at(10_000), 100)).toEqual(early)
    expect(await eventsOf(handle, 'step_finished')).toHaveLength(10_001)
  })

  it('B58: of messages, each of which wakes it up', { timeout: 60_000 }, async () => {
    const { cost, wrap } = counting()
    const main = defineWorkflow(
      { name: 'main', messages: { go: unchecked<number>() } },
      async (_: undefined, { messages }) => {
        let total = 0
        for await (const one of messages.go) {
          total += one
          if (one < 0) return total
        }
        return total
      },
    )
    await using world = await openTestEngine({ functions: [main], wrap, ...noPolls })
    const handle = await world.engine.submit(main)
    await world.settle()
    const seen: Cost[] = []
    for (let sent = 0; sent < 500; sent += 1) {
      seen.push({ ...cost })
      await handle.send('go', 1)
      await world.settle()
    }
    await handle.send('go', -1)
    await world.settle()
    expect(await handle.result({ timeout: 0 })).toBe(499)
    const at = (sent: number): Cost => present(seen[sent], 'a cost')
    expect(perOne(at(400), at(490), 90)).toEqual(perOne(at(10), at(100), 90))
  })

  it('B58: of calls, each of which is a child', { timeout: 60_000 }, async () => {
    const { cost, wrap } = counting()
    const seen: Cost[] = []
    const work = defineActivity({ name: 'work' }, () => {
      seen.push({ ...cost })
    })
    const main = defineWorkflow({ name: 'main' }, async (_: undefined, { call }) => {
      for (let done = 0; done < 500; done += 1) await call(work)
    })
    await using world = await openTestEngine({ functions: [work, main], wrap, ...noPolls })
    const handle = await world.engine.submit(main)
    await world.settle()
    await handle.result({ timeout: 0 })
    const at = (done: number): Cost => present(seen[done], 'a cost')
    const early = perOne(at(10), at(110), 100)
    const late = perOne(at(390), at(490), 100)
    expect(late.statements).toBeLessThanOrEqual(early.statements * 1.05)
    expect(late.rows).toBeLessThanOrEqual(early.rows * 1.05)
  })

  it('B58: waiting for many at once costs no more than waiting for each', async () => {
    const { cost, wrap } = counting()
    const work = defineActivity({ name: 'work' }, (input: number) => input)
    const main = defineWorkflow({ name: 'main' }, (count: number, { call }) =>
      Promise.all(Array.from({ length: count }, (_, index) => call(work, index))),
    )
    await using world = await openTestEngine({ functions: [work, main], wrap, ...noPolls })
    const costs: Cost[] = []
    for (const count of [50, 400]) {
      const before = { ...cost }
      const handle = await world.engine.submit(main, count)
      await world.settle()
      expect(await handle.result({ timeout: 0 })).toHaveLength(count)
      costs.push(perOne(before, cost, count))
    }
    const [few, many] = costs
    expect(many?.statements).toBeLessThanOrEqual((few?.statements ?? 0) * 1.2)
    expect(many?.rows).toBeLessThanOrEqual((few?.rows ?? 0) * 1.2)
  })
})
