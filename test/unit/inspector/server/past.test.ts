import { expect, test } from 'vitest'
import { findContext } from '../../../../src/client/client-context.ts'
import { readPast } from '../../../../src/inspector/server/past.ts'
import { openOrderWorld, orderId } from '../../../support/order-world.ts'
import { present } from '../../../support/storage/results.ts'

test('the past of an execution is that of its children too, in one order', async () => {
  await using made = await openOrderWorld()
  const context = present(findContext(made.world.engine), 'the context')
  const frames = await readPast(context, orderId)
  expect(new Set(frames.map(({ sessionId }) => sessionId)).size).toBe(2)
  expect(frames[0]).toMatchObject({ type: '@xstate.actor', sessionId: orderId })
  const times = frames.map(({ createdAt }) => Number(createdAt))
  expect(times).toEqual(times.toSorted((left, right) => left - right))
})

test('of an execution that is not there, there is none', async () => {
  await using made = await openOrderWorld()
  const context = present(findContext(made.world.engine), 'the context')
  await expect(readPast(context, 'nobody')).rejects.toMatchObject({ code: 'execution_not_found' })
  await expect(readPast(context, 'no id')).rejects.toMatchObject({ code: 'invalid_execution_id' })
})
