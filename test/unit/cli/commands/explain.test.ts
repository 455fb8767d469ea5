/** `stele explain`: what it waits for. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { drawExplanation } from '../../../../src/cli/commands/explain.ts'
import { openShop, type Shop } from '../test-cli.ts'

let shop: Shop

beforeAll(async () => {
  shop = await openShop()
})

afterAll(() => {
  shop[Symbol.dispose]()
})

test('says what it waits for and what is wrong', async () => {
  const { code, out } = await shop.stele('explain', shop.file, 'later')
  expect(code).toBe(0)
  expect(out).toMatch(/^waiting for +its time$/m)
  expect(out).toMatch(/^next wake +2026-03-01T09:30:03.000Z, in 59 min 57 s$/m)
  expect(out).toMatch(/^problem +No engine is running on this storage; start one\.$/m)
})

test('of one that has finished, when', async () => {
  const { out } = await shop.stele('explain', shop.file, 'paid')
  expect(out).toMatch(/^It has finished\.\nat +2026-03-01T08:30:00.000Z, \d+\.\d s ago\n$/)
})

test('--json', async () => {
  const { out } = await shop.stele('explain', shop.file, 'held', '--json')
  expect(JSON.parse(out)).toMatchObject({ id: 'held', waitingFor: 'unpause', problems: [] })
})

test('names who holds it, and whether they live', () => {
  const lines = drawExplanation(
    {
      summary: 'Attempt 1 is running.',
      waitingFor: 'its run',
      since: 0,
      heldBy: {
        executorId: 'Exr_1',
        runId: 'Run_1',
        until: 5_000,
        host: 'box',
        pid: 7,
        alive: false,
      },
      problems: [],
    },
    { now: 1_000, paint: (text) => text },
  )
  expect(lines).toContain(
    'held by       Exr_1 on box, process 7, no sign of life, lock ends in 4.0 s',
  )
})
