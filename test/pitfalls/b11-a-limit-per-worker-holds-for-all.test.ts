import { defineActivity } from 'stele'
import { describe, expect, it } from 'vitest'
import { temporaryDirectory } from '../support/storage/temporary-directory.ts'
import { createTestTime, openTestEngine } from '../unit/client/test-engine.ts'

/** Counts what runs at once, in each engine and in all. */
function createGauge() {
  const running = new Map<string, number>()
  const peaks = new Map<string, number>()
  const change = (name: string, by: number): void => {
    const count = (running.get(name) ?? 0) + by
    running.set(name, count)
    peaks.set(name, Math.max(peaks.get(name) ?? 0, count))
  }
  return {
    peakOf: (name: string) => peaks.get(name),
    measure: async (name: string, work: () => Promise<void>): Promise<void> => {
      for (const one of [name, 'all']) change(one, 1)
      await work()
      for (const one of [name, 'all']) change(one, -1)
    },
  }
}

describe('B11: concurrency 1 in each of two engines on one file', () => {
  it.each(['engine', 'function'] as const)(
    'B11: a limit of the %s: two in flight',
    async (kind) => {
      using folder = temporaryDirectory()
      const file = folder.file('two.db')
      const time = createTestTime()
      const gauge = createGauge()
      const open = (name: string) => {
        const limit = kind === 'function' ? { concurrency: 1 } : {}
        const work = defineActivity({ name: 'work', ...limit }, () =>
          gauge.measure(name, () => {
            return new Promise((resolve) => {
              time.scheduler.after(1_000, resolve)
            })
          }),
        )
        const executor = kind === 'engine' ? { concurrency: 1 } : {}
        return openTestEngine({ functions: [work], file, time, executor })
      }
      await using one = await open('one')
      await using _two = await open('two')
      const [work] = [defineActivity<'work', undefined, void>({ name: 'work' }).stub()]
      const handles = await one.engine.submitMany(work, Array<undefined>(10).fill(undefined))
      await time.advance(7_000)
      for (const handle of handles) {
        expect(await handle.state()).toMatchObject({ status: 'finished' })
      }
      expect([gauge.peakOf('one'), gauge.peakOf('two'), gauge.peakOf('all')]).toEqual([1, 1, 2])
      await one.check()
    },
  )
})
