/** `stele ui`: an address, until it is interrupted. */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { runCli } from '../../../../src/cli/run-cli.ts'
import { eventLoopTurn } from '../../../support/test-time.ts'
import { openShop, type Shop, testWorld } from '../test-cli.ts'

let shop: Shop

beforeEach(async () => {
  shop = await openShop()
})

afterEach(() => {
  shop[Symbol.dispose]()
})

async function addressOf(world: ReturnType<typeof testWorld>): Promise<string> {
  while (world.said().out === '') await eventLoopTurn()
  return world.said().out.trim()
}

test('prints an address that answers, and ends in good order', async () => {
  const world = testWorld({ time: shop.time })
  const ended = runCli(['ui', shop.file], world, '1.2.3')
  const url = await addressOf(world)
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/\?token=[\w-]+$/)
  expect((await fetch(url)).status).toBe(200)
  expect(world.opened).toEqual([])
  world.interrupt()
  expect(await ended).toBe(0)
  await expect(fetch(url)).rejects.toThrow('fetch failed')
})

test('--open shows it in the browser', async () => {
  const world = testWorld({ time: shop.time })
  const ended = runCli(['ui', shop.file, '--open', '--token', 'a'.repeat(16)], world, '1.2.3')
  const url = await addressOf(world)
  expect(url).toContain(`token=${'a'.repeat(16)}`)
  expect(world.opened).toEqual([url])
  world.interrupt()
  expect(await ended).toBe(0)
})

test.each([
  [['--host', '0.0.0.0'], 2, 'token'],
  [['--port', '70000'], 2, 'It must be an integer from 0 to 65535.'],
  [['--token', 'short'], 2, 'openViewer.token'],
])('%j is refused', async (options, code, said) => {
  const refused = await shop.stele('ui', shop.file, ...options)
  expect(refused.code).toBe(code)
  expect(refused.err).toContain(said)
})

test('a file that is not there is not made', async () => {
  expect((await shop.stele('ui', `${shop.file}.nope`)).code).toBe(4)
})
