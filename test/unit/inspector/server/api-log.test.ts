/** Events, responses and lines of one log, a page at a time. */

import { afterAll, beforeAll, expect, test } from 'vitest'
import type {
  EventLine,
  EventsAnswer,
  LogsAnswer,
  ResponsesAnswer,
} from '../../../../src/inspector/server/wire.ts'
import { childId, type OrderWorld, openOrderWorld, orderId } from '../../../support/order-world.ts'
import { askViewer } from '../../../support/viewer.ts'

let made: OrderWorld

beforeAll(async () => {
  made = await openOrderWorld()
})

afterAll(async () => {
  await made[Symbol.asyncDispose]()
})

test('comes in pages, from any version', async () => {
  const { events } = await made.ask<EventsAnswer>('events', { id: orderId, from: '1', limit: '2' })
  expect(events.map(({ version, type }) => [version, type])).toEqual([
    [1, 'locked'],
    [2, 'join_set_create'],
  ])
})

test('shows what failed, with the reason first', async () => {
  const { events } = await made.ask<EventsAnswer>('events', { id: childId })
  expect(events.find(({ type }) => type === 'temporarily_failed')).toMatchObject({
    summary: 'activity trap: the bank is down',
    fields: expect.arrayContaining([expect.objectContaining({ name: 'detail' })]),
  })
})

test('gives one event by itself', async () => {
  const event = await made.ask<EventLine>('event', { id: childId, version: '0' })
  expect(event).toMatchObject({ type: 'created', summary: 'charge(7)' })
})

test('beyond its end is an event that is not there', async () => {
  expect((await askViewer(made.viewer, '/api/event?id=refused&version=99')).status).toBe(404)
})

test('has an inbox', async () => {
  const { responses } = await made.ask<ResponsesAnswer>('responses', { id: orderId })
  expect(responses).toMatchObject([
    { type: 'child_finished', about: childId, joinSetId: 'o:1-charge' },
    { type: 'delay_finished' },
  ])
  const next = String(responses[0]?.cursor)
  const rest = await made.ask<ResponsesAnswer>('responses', { id: orderId, after: next })
  expect(rest.responses.map(({ type }) => type)).toEqual(['delay_finished'])
})

test('has what was logged by the way', async () => {
  await made.world.advance(1_000)
  const { lines } = await made.ask<LogsAnswer>('logs', { id: childId, limit: '1' })
  expect(lines).toMatchObject([{ level: 'warn', message: 'charging' }])
  expect(lines[0]?.fields?.text).toBe('{\n  "amount": 7\n}')
})
