/** `stele show`: everything about one execution. */
import { stripVTControlCharacters } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openShop, run, type Shop } from '../test-cli.ts'

let shop: Shop

beforeAll(async () => {
  shop = await openShop()
})

afterAll(() => {
  shop[Symbol.dispose]()
})

test('begins with what it is, where it stands, and what went in', async () => {
  const { code, out } = await shop.stele('show', shop.file, 'waiting')
  expect(code).toBe(0)
  expect(out.split('\n').slice(0, 5)).toEqual([
    'waiting  blocked  It waits for a response in m:approve.',
    'function      order, workflow, version 1',
    expect.stringMatching(/^created {7}2026-03-01T08:30:00.000Z, \d+\.\d s ago$/),
    expect.stringMatching(/^waiting for {3}a response, since \d+\.\d s ago$/),
    'input         500',
  ])
})

test('draws the timeline with the children', async () => {
  const { out } = await shop.stele('show', shop.file, 'waiting')
  expect(out).toContain('└ charge o:1')
})

test('lists events and inbox in columns', async () => {
  const { out } = await shop.stele('show', shop.file, 'waiting', '--no-timeline')
  const lines = out.split('\n').map((line) => line.replaceAll(/ +/g, ' ').trim())
  expect(lines).toEqual(
    expect.arrayContaining([
      '0 0 ms created order with 500',
      '2 0 ms step_finished price: ok 501',
      '4 0 ms join_set_request charge waiting.o:1-charge_1 with 500',
      "1 child_finished waiting.o:1-charge_1: ok { receipt: 'R-500' }",
    ]),
  )
})

test('says how it ended, and with what', async () => {
  const { out } = await shop.stele('show', shop.file, 'dear', '--no-events', '--no-timeline')
  expect(out).toContain('dear  finished, err\n')
  expect(out).toContain("error         { code: 'too_dear' }\n")
})

test('--logs shows what the function has logged', async () => {
  const { out } = await shop.stele('show', shop.file, 'paid', '--logs')
  expect(out).toMatch(/info +asking the bank +\{ cents: 700 \}/)
})

test('--source of a log without places adds nothing', async () => {
  const without = await shop.stele('show', shop.file, 'waiting')
  expect(await shop.stele('show', shop.file, 'waiting', '--source')).toEqual(without)
})

test('--source shows the line of code beside each event', async () => {
  using own = await openShop({ sourceLines: true })
  const { out } = await own.stele('show', own.file, 'waiting', '--source')
  expect(out).toMatch(/step_finished .*test-cli\.ts:\d+ /)
  expect(out).toContain(' SOURCE\n')
})

test('--logs says so when nothing was logged', async () => {
  const { out } = await shop.stele('show', shop.file, 'held', '--logs')
  expect(out).toContain('No run has logged anything.')
})

test('--json is one document, values as they are stored', async () => {
  const { out } = await shop.stele('show', shop.file, 'waiting', '--json', '--logs')
  const shown: unknown = JSON.parse(out)
  expect(shown).toMatchObject({
    id: 'waiting',
    state: { status: 'blocked' },
    explanation: { waitingFor: 'a response' },
    tree: { execution: { id: 'waiting' }, children: [{ log: { id: 'waiting.o:1-charge_1' } }] },
    logs: [],
  })
})

test('an id that nobody knows: the ones that are near, and exit code 3', async () => {
  const { code, out, err } = await shop.stele('show', shop.file, 'wating')
  expect({ code, out }).toEqual({ code: 3, out: '' })
  expect(err).toContain('Did you mean waiting?')
})

test('fits a terminal, in colour', async () => {
  const { out } = await run(['show', shop.file, 'waiting'], { time: shop.time, columns: 72 })
  const plain = stripVTControlCharacters(out)
  expect(plain).not.toBe(out)
  expect(Math.max(...plain.split('\n').map((line) => line.length))).toBeLessThanOrEqual(72)
})
