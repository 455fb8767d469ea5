import { defineActivity } from 'stele'
import { expect, it } from 'vitest'
import { openTestEngine, typesOf } from '../unit/client/test-engine.ts'

const charge = defineActivity({ name: 'charge' }, (amount: number) => `charged ${amount}`)
const refund = defineActivity({ name: 'refund' }, (amount: number) => `refunded ${amount}`)

it('B2: an id that is taken by another function or input is a typed conflict, at any time', async () => {
  await using world = await openTestEngine({ functions: [charge, refund] })
  const { engine } = world
  const first = await engine.submit(charge, 5, { id: 'order:1' })
  const conflict = { code: 'execution_id_conflict', fields: { executionId: 'order:1' } }
  for (const _state of ['pending', 'finished']) {
    await expect(engine.submit(refund, 5, { id: 'order:1' })).rejects.toMatchObject(conflict)
    await expect(engine.submit(charge, 6, { id: 'order:1' })).rejects.toMatchObject(conflict)
    await world.settle()
  }
  expect(await first.result({ timeout: 0 })).toBe('charged 5')
  expect(await typesOf(first)).toEqual(['created', 'locked', 'finished'])
  expect((await engine.list()).items).toHaveLength(1)
})
