/** `stele doctor`: the verdict, its code, its JSON. */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openShop, reopenShop, type Shop } from '../test-cli.ts'

let shop: Shop

beforeEach(async () => {
  shop = await openShop()
})

afterEach(() => {
  shop[Symbol.dispose]()
})

test('a shop at rest is healthy', async () => {
  const { code, out } = await shop.stele('doctor', shop.file)
  expect(code).toBe(0)
  expect(out).toContain('✓ No execution is stuck.')
  expect(out).toMatch(/\nVerdict: healthy\n$/)
})

test('work that is due while nobody runs is a problem, and exit code 1', async () => {
  await shop.time.advance(2 * 3_600_000)
  const { code, out } = await shop.stele('doctor', shop.file)
  expect(code).toBe(1)
  expect(out).toContain('✗ 1 execution is due, and no engine is running.\n    later: charge, due')
  expect(out).toMatch(/\nVerdict: 1 problem\n$/)
})

test('--json: verdict, findings, sizes', async () => {
  await using _engine = await reopenShop(shop)
  const { out } = await shop.stele('doctor', shop.file, '--json')
  expect(JSON.parse(out)).toMatchObject({
    verdict: { isHealthy: true },
    findings: expect.arrayContaining([expect.objectContaining({ level: 'ok', topic: 'engines' })]),
    file: { journalMode: 'wal' },
    counts: { executions: 7 },
  })
})
