/** What a viewer may do, where it may. */

import { afterAll, beforeAll, expect, test } from 'vitest'
import { type OrderWorld, openOrderWorld, order, orderId } from '../../../support/order-world.ts'
import { actOn } from '../../../support/viewer.ts'

let made: OrderWorld

beforeAll(async () => {
  made = await openOrderWorld()
})

afterAll(async () => {
  await made[Symbol.asyncDispose]()
})

test('a message arrives, and the workflow goes on', async () => {
  const sent = await actOn(made.viewer, 'send', { id: orderId, channel: 'approve', payload: 'ann' })
  expect(sent.status).toBe(200)
  await made.world.advance(1_000)
  expect(await (await made.world.engine.get(orderId)).result()).toMatchObject({ by: 'ann' })
})

test('a stub is completed, once', async () => {
  const outcome = { id: 'review-1', type: 'ok', value: { fine: true } }
  expect((await actOn(made.viewer, 'complete', outcome)).status).toBe(200)
  expect(await (await made.world.engine.get('review-1')).result()).toEqual({ fine: true })
  expect((await actOn(made.viewer, 'complete', { ...outcome, type: 'err' })).status).toBe(409)
})

test('an execution is cancelled, with the reason in its log', async () => {
  await made.world.engine.submit(order, 1, { id: 'doomed', delay: '1h' })
  const answer = await actOn(made.viewer, 'cancel', { id: 'doomed', reason: 'no longer wanted' })
  expect(answer.json()).toEqual({ result: 'cancelled' })
  await made.world.advance(1_000)
  expect(await (await made.world.engine.get('doomed')).outcome()).toMatchObject({
    kind: 'cancelled',
  })
})

test.each([
  ['send', { id: orderId, channel: 'unknown', payload: 1 }],
  ['send', { id: orderId }],
  ['cancel', {}],
  ['cancel', { id: 7 }],
  ['pause', { id: 'not an id' }],
  ['complete', { id: 'refused', type: 'maybe' }],
])('%s with %j is refused', async (name, body) => {
  const { status } = await actOn(made.viewer, name, body)
  expect(status).toBeGreaterThanOrEqual(400)
  expect(status).toBeLessThan(500)
})
