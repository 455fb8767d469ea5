import { defineActivity, defineWorkflow } from 'stele'
import { expect, it } from 'vitest'
import { SteleError } from '../../src/base/error.ts'
import type { Driver } from '../../src/storage/driver.ts'
import { temporaryDirectory } from '../support/storage/temporary-directory.ts'
import { createTestTime, openTestEngine } from '../unit/client/test-engine.ts'

const double = defineActivity({ name: 'double', lockExpiry: '1s' }, (input: number) => 2 * input)
const main = defineWorkflow(
  { name: 'main', lockExpiry: '1s' },
  async (input: number, { call, step, sleep }) => {
    const doubled = await call(double, input)
    await sleep('2s')
    return step('add', () => doubled + 1)
  },
)
const functions = [double, main]
const runs = 5

/** A storage that leaves after so many more operations; what it was doing then is done, or not. */
function createLeaving() {
  let left = Number.POSITIVE_INFINITY
  const away = (): Promise<never> => Promise.reject(new SteleError('storage_unavailable', 'Away.'))
  const wrap = (driver: Driver): Driver => {
    const pass = async <Value>(operation: () => Promise<Value>): Promise<Value> => {
      left -= 1
      if (left < 0) return away()
      const value = await operation()
      // The last answer is lost on its way.
      return left === 0 ? away() : value
    }
    return {
      ...driver,
      write: (protocol) => pass(() => driver.write(protocol)),
      read: (protocol) => pass(() => driver.read(protocol)),
    }
  }
  const leaveAfter = (operations: number): void => {
    left = operations
  }
  return { wrap, leaveAfter }
}

it('B5: whenever the storage leaves while runs are recovered, all of them finish afterwards', {
  timeout: 60_000,
}, async () => {
  for (let operations = 1; operations < 60; operations += 4) {
    using folder = temporaryDirectory()
    const file = folder.file('recovery.db')
    // Dies with what it holds, some of it at its beginning, some asleep: its time stands still.
    const dead = await openTestEngine({ functions, file })
    await dead.engine.submitMany(main, [0, 1, 2])
    await dead.settle()
    const time = createTestTime()
    time.clock.set(10_000)
    const { wrap, leaveAfter } = createLeaving()
    const started = false
    await using world = await openTestEngine({ functions, file, time, wrap, started })
    const ids = (await world.engine.list()).items.map(({ id }) => id)
    for (const input of [3, 4]) ids.push((await world.engine.submit(main, input)).id)
    leaveAfter(operations)
    const starting = world.engine.start().catch((error: unknown) => error)
    await world.advance(5_000)
    leaveAfter(Number.POSITIVE_INFINITY)
    if ((await starting) !== undefined) await world.engine.start()
    const isOpen = async () => (await world.engine.list({ outcome: 'ok' })).items.length < runs
    for (let second = 0; second < 60 && (await isOpen()); second += 1) await world.advance(1_000)
    const values = await Promise.all(
      ids.map(async (id) => (await world.engine.get(id, main)).result({ timeout: 0 })),
    )
    const sorted = values.toSorted((left, right) => left - right)
    expect(sorted, `left after ${operations}`).toEqual([1, 3, 5, 7, 9])
    expect(values).toHaveLength(runs)
    await world.check()
    await dead.stop()
  }
})
