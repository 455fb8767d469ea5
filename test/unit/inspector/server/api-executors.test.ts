/** Who executes, and what. */

import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ExecutorsAnswer, FunctionsAnswer } from '../../../../src/inspector/server/wire.ts'
import { type OrderWorld, openOrderWorld } from '../../../support/order-world.ts'

let made: OrderWorld

beforeAll(async () => {
  made = await openOrderWorld()
})

afterAll(async () => {
  await made[Symbol.asyncDispose]()
})

test('executors are alive while they beat, and say what they are late with', async () => {
  const { executors } = await made.ask<ExecutorsAnswer>('executors', {})
  expect(new Map(executors.map(({ kind, alive }) => [kind, alive]))).toEqual(
    new Map([
      ['activities', true],
      ['workflows', true],
    ]),
  )
  for (const { lag, held, permits } of executors) {
    expect({ lag, held, permits }).toEqual({ lag: 0, held: [], permits: { total: 100, free: 100 } })
  }
})

test('functions are those that were registered', async () => {
  const { functions: found } = await made.ask<FunctionsAnswer>('functions', {})
  expect(found.map(({ name }) => name).toSorted()).toEqual(['charge', 'order', 'refuse', 'review'])
})
