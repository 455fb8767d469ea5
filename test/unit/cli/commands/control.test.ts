/** `stele cancel`, `pause`, `unpause`. */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openShop, type Shop } from '../test-cli.ts'

let shop: Shop

beforeEach(async () => {
  shop = await openShop()
})

afterEach(() => {
  shop[Symbol.dispose]()
})

test('cancel: with a reason, which stands in the log', async () => {
  const { code, out } = await shop.stele('cancel', shop.file, 'waiting', '--reason', 'too late')
  expect({ code, out }).toEqual({ code: 0, out: 'cancelled waiting\n' })
  const shown = await shop.stele('show', shop.file, 'waiting', '--no-timeline')
  expect(shown.out).toMatch(/cancel_requested +too late/)
})

test('cancel: what has finished is told so, and is no failure', async () => {
  const { code, out } = await shop.stele('cancel', shop.file, 'paid')
  expect({ code, out }).toEqual({ code: 0, out: 'had finished already: paid\n' })
})

test('pause and unpause', async () => {
  expect(await shop.stele('pause', shop.file, 'later')).toMatchObject({ out: 'paused later\n' })
  expect(await shop.stele('unpause', shop.file, 'later')).toMatchObject({ out: 'unpaused later\n' })
})

test('of several, one that is refused does not keep the others from being done', async () => {
  const { code, out, err } = await shop.stele('pause', shop.file, 'held', 'nobody', 'later')
  expect({ code, out }).toEqual({ code: 3, out: 'paused later\n' })
  expect(err).toContain('Cannot pause held: it is paused')
  expect(err).toContain('There is no execution "nobody"')
})
