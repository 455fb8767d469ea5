/** `stele complete`: stubs end from outside, and nothing else does. */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openShop, type Shop } from '../test-cli.ts'

let shop: Shop

beforeEach(async () => {
  shop = await openShop()
})

afterEach(() => {
  shop[Symbol.dispose]()
})

test.each([
  [['--ok', '"yes"'], 'finished, ok', "'yes'"],
  [['--ok'], 'finished, ok', 'asked'],
  [['--err', '{"code":"no"}'], 'finished, err', "{ code: 'no' }"],
  [['--failure', 'nobody answered'], 'finished, uncategorized: nobody answered', 'asked'],
])('%j', async (options, title, value) => {
  const { code } = await shop.stele('complete', shop.file, 'asked', ...options)
  expect(code).toBe(0)
  const { out } = await shop.stele('show', shop.file, 'asked', '--no-timeline', '--no-events')
  expect(out).toContain(title)
  expect(out).toContain(value)
})

test.each([[[]], [['--ok', '1', '--err', '2']]])(
  '%j is one outcome too few or too many',
  async (options) => {
    const { code, err } = await shop.stele('complete', shop.file, 'asked', ...options)
    expect(code).toBe(2)
    expect(err).toContain('give one of them')
  },
)

test('what engines execute is no stub, unless one knows better', async () => {
  const refused = await shop.stele('complete', shop.file, 'later', '--ok', '1')
  expect(refused.code).toBe(1)
  expect(refused.err).toContain('later does not seem to be a stub')
  const forced = await shop.stele('complete', shop.file, 'later', '--ok', '1', '--force')
  expect(forced.out).toBe('completed later: ok\n')
})
