/** What one execution is, and what is below it. */

import { afterAll, beforeAll, expect, test } from 'vitest'
import type {
  ExecutionAnswer,
  TimelineAnswer,
  TreeAnswer,
} from '../../../../src/inspector/server/wire.ts'
import { childId, type OrderWorld, openOrderWorld, orderId } from '../../../support/order-world.ts'

let made: OrderWorld

beforeAll(async () => {
  made = await openOrderWorld()
})

afterAll(async () => {
  await made[Symbol.asyncDispose]()
})

test('says where it stands, why, and what went in', async () => {
  expect(await made.ask<ExecutionAnswer>('execution', { id: orderId })).toMatchObject({
    line: { id: orderId, status: 'blocked', functionName: 'order' },
    explanation: { waitingFor: 'a response', summary: expect.stringContaining('m:approve') },
    input: { text: '7' },
    metadata: [{ name: 'tenant', text: 'acme' }],
    isStub: false,
  })
})

test('says how it ended', async () => {
  expect(await made.ask<ExecutionAnswer>('execution', { id: 'refused' })).toMatchObject({
    line: { status: 'finished', outcomeType: 'err' },
    outcome: [
      { name: 'outcome', text: 'err' },
      { name: 'value', text: '"no"' },
    ],
  })
})

test('says that it is a stub', async () => {
  expect(await made.ask<ExecutionAnswer>('execution', { id: 'review-1' })).toMatchObject({
    isStub: true,
  })
})

test('has its children, and the delays that are open', async () => {
  const { tree, delays } = await made.ask<TreeAnswer>('tree', { id: orderId })
  expect(tree.children.map(({ line }) => line.id)).toEqual([childId])
  expect(delays).toEqual([])
})

test('has a timeline of itself and its children', async () => {
  const { rows, from, to } = await made.ask<TimelineAnswer>('timeline', { id: orderId })
  expect(rows.map((row) => [row.id, row.depth])).toEqual([
    [orderId, 0],
    [childId, 1],
  ])
  const doings = rows.map(({ stretches }) => new Set(stretches.map(({ doing }) => doing)))
  expect(doings[0]).toEqual(new Set(['running', 'children', 'sleep', 'message']))
  expect(rows[1]?.stretches.map(({ doing }) => doing)).toContain('backoff')
  expect(rows[1]?.marks.map(({ kind }) => kind)).toEqual(['failed', 'ok'])
  expect([from, to]).toEqual([0, 70_000])
})
