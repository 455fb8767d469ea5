/** `stele ls`: filters, pages, columns, JSON. */
import { stripVTControlCharacters } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openShop, run, type Shop } from '../test-cli.ts'

let shop: Shop

beforeAll(async () => {
  shop = await openShop()
})

afterAll(() => {
  shop[Symbol.dispose]()
})

async function idsOf(...options: readonly string[]): Promise<readonly string[]> {
  const { out } = await shop.stele('ls', shop.file, '--json', ...options)
  const page = JSON.parse(out) as { readonly items: readonly { readonly id: string }[] }
  return page.items.map(({ id }) => id)
}

test('lists what was submitted, newest first, in columns', async () => {
  expect(await shop.stele('ls', shop.file)).toEqual({
    code: 0,
    err: '',
    out: [
      'ID       FUNCTION  STATUS                      ATT  CREATED (UTC)        TOOK  OUTCOME',
      'later    charge    pending_at, in 59 min 57 s    1  2026-03-01 08:30:03',
      'held     charge    pending_at, paused            1  2026-03-01 08:30:03',
      'asked    approval  pending_at                    1  2026-03-01 08:30:03',
      'waiting  order     blocked                       1  2026-03-01 08:30:00',
      'paid     charge    finished                      1  2026-03-01 08:30:00  0 ms  ok',
      'dear     charge    finished                      1  2026-03-01 08:30:00  0 ms  err',
      '',
    ].join('\n'),
  })
})

describe('filters', () => {
  test.each([
    [['--function', 'order'], ['waiting']],
    [
      ['--status', 'finished'],
      ['paid', 'dear'],
    ],
    [['--outcome', 'err'], ['dear']],
    [['--paused'], ['held']],
    [['--id-prefix', 'w'], ['waiting']],
    [
      ['--since', '4s'],
      ['later', 'held', 'asked'],
    ],
    [
      ['--until', '2026-03-01T08:30:01Z'],
      ['waiting', 'paid', 'dear'],
    ],
    [
      ['--function', 'charge', '--children', '--status', 'finished'],
      ['waiting.o:1-charge_1', 'paid', 'dear'],
    ],
  ])('%j', async (options, expected) => {
    expect(await idsOf(...options)).toEqual(expected)
  })
})

test('pages: the cursor of one leads to the next', async () => {
  const first = await shop.stele('ls', shop.file, '--limit', '2')
  expect(first.out).toContain('later')
  const [, cursor = ''] = /^More: --after (\S+)$/m.exec(first.err) ?? []
  expect(await idsOf('--limit', '2', '--after', cursor)).toEqual(['asked', 'waiting'])
})

test('where nothing matches, the output is empty, and the person is told', async () => {
  expect(await shop.stele('ls', shop.file, '--function', 'nobody')).toEqual({
    code: 0,
    out: '',
    err: 'No execution matches.\n',
  })
})

test('fits a terminal, and colours it there', async () => {
  const { out } = await run(['ls', shop.file], { time: shop.time, columns: 64 })
  const plain = stripVTControlCharacters(out)
  expect(out).not.toBe(plain)
  expect(Math.max(...plain.split('\n').map((line) => line.length))).toBeLessThanOrEqual(64)
})

test('--since takes dates and durations, and says so', async () => {
  const { code, err } = await shop.stele('ls', shop.file, '--since', 'tuesday')
  expect(code).toBe(2)
  expect(err).toContain('--since must be a date such as 2026-03-01')
})
