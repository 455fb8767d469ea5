/** `stele tail`: what is there, what comes, and how it ends. */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { runCli } from '../../../../src/cli/run-cli.ts'
import { charge, openShop, reopenShop, type Shop, testWorld } from '../test-cli.ts'

let shop: Shop

beforeEach(async () => {
  shop = await openShop()
})

afterEach(() => {
  shop[Symbol.dispose]()
})

test('of one that has finished: its last events, and the end', async () => {
  const { code, out } = await shop.stele('tail', shop.file, 'paid', '-n', '2')
  expect(code).toBe(0)
  expect(out.split('\n').map((line) => line.replaceAll(/ +/g, ' '))).toEqual([
    '08:30:00.000 paid locked by ' + (/Exr_\w+/.exec(out)?.[0] ?? '') + ' for 30.0 s',
    "08:30:00.000 paid finished ok { receipt: 'R-700' }",
    '',
  ])
})

test('of all: what others append, new executions included, until it is interrupted', async () => {
  const world = testWorld({ time: shop.time })
  const ended = runCli(['tail', shop.file, '--json'], world, '1.2.3')
  await shop.time.settle()
  await using other = await reopenShop(shop)
  await other.engine.submit(charge, 3, { id: 'new' })
  await shop.time.advance(1_000)
  world.interrupt()
  expect(await ended).toBe(0)
  const events = world
    .said()
    .out.trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { readonly executionId: string; readonly type: string })
  const types = events.filter(({ executionId }) => executionId === 'new').map(({ type }) => type)
  expect(types).toEqual(['created', 'locked', 'finished'])
})

test('of one that goes on: until it finishes', async () => {
  const world = testWorld({ time: shop.time })
  const ended = runCli(['tail', shop.file, 'waiting', '-n', '0'], world, '1.2.3')
  await shop.time.settle()
  await using other = await reopenShop(shop)
  const handle = await other.engine.get('waiting')
  await handle.cancel()
  await shop.time.advance(5_000)
  expect(await ended).toBe(0)
  expect(world.said().out).toMatch(/waiting +cancel_requested\n.*waiting +finished +cancelled/)
})

test('an id that nobody knows', async () => {
  expect(await shop.stele('tail', shop.file, 'nobody')).toMatchObject({ code: 3, out: '' })
})
