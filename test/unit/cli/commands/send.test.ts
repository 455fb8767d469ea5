/** `stele send`: a message arrives. */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openShop, reopenShop, type Shop } from '../test-cli.ts'

let shop: Shop

beforeEach(async () => {
  shop = await openShop()
})

afterEach(() => {
  shop[Symbol.dispose]()
})

test('the workflow that waits for it goes on with it', async () => {
  const sent = await shop.stele('send', shop.file, 'waiting', 'approve', '--payload', '"ann"')
  expect(sent).toEqual({ code: 0, out: 'sent approve to waiting\n', err: '' })
  await using reopened = await reopenShop(shop)
  await shop.time.advance(2_000)
  const handle = await reopened.engine.get('waiting')
  const value = { receipt: { receipt: 'R-500' }, by: 'ann' }
  expect(await handle.outcome({ timeout: 0 })).toEqual({ type: 'ok', value })
})

test('--message-id: the same message is delivered once', async () => {
  const args = ['send', shop.file, 'waiting', 'approve', '--message-id', 'm-1'] as const
  await shop.stele(...args)
  await shop.stele(...args)
  const { out } = await shop.stele('show', shop.file, 'waiting', '--no-timeline')
  expect(out.match(/m:approve \(m-1\)/g)).toHaveLength(1)
})

test('an activity has no channels: exit code 3', async () => {
  const { code, err } = await shop.stele('send', shop.file, 'paid', 'approve')
  expect(code).toBe(3)
  expect(err).toContain('has no message channel "approve"')
})
