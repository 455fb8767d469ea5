/** Whatever happens between, permits are neither made nor lost. */

import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createPermits } from '../../src/engine/permits.ts'

const seed = 20_260_402
const numRuns = 300
const limits = new Map([
  ['a', 1],
  ['b', 3],
])
const steps = fc.array(
  fc.record({
    wanted: fc.integer({ min: -1, max: 6 }),
    name: fc.constantFrom('a', 'b', 'c'),
    lock: fc.nat(6),
    end: fc.nat(6),
  }),
  { maxLength: 40 },
)

describe(`permits (seed ${seed})`, () => {
  it('count: never more than the total, never negative, and all are there in the end', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5 }), steps, (total, life) => {
        const permits = createPermits({ total, perFunction: limits })
        const running: string[] = []
        const end = (count: number): void => {
          for (const name of running.splice(0, count)) permits.release(name)
        }
        for (const { wanted, name, lock, end: count } of life) {
          // As an executor does it: reserve, lock what the function may take, give back the rest.
          const granted = permits.reserve(wanted)
          const locked = Math.max(0, Math.min(granted, lock, permits.freeFor(name)))
          permits.giveBack(granted - locked)
          for (let index = 0; index < locked; index += 1) {
            permits.use(name)
            running.push(name)
          }
          expect(permits.free()).toBe(total - running.length)
          expect(permits.free()).toBeGreaterThanOrEqual(0)
          for (const [limited, limit] of limits) {
            const used = running.filter((one) => one === limited).length
            expect(permits.freeFor(limited)).toBe(limit - used)
          }
          end(count)
        }
        end(running.length)
        expect([permits.free(), permits.freeFor('a'), permits.freeFor('b')]).toEqual([total, 1, 3])
      }),
      { seed, numRuns },
    )
  })
})
