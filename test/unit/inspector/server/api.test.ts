import { expect, test } from 'vitest'
import { questions } from '../../../../src/inspector/server/api.ts'
import { openOrderWorld } from '../../../support/order-world.ts'
import { askViewer } from '../../../support/viewer.ts'

test('every question has an answer, or says that there is no such execution', async () => {
  await using made = await openOrderWorld()
  expect(questions.size).toBeGreaterThan(10)
  for (const path of questions.keys()) {
    const { status } = await askViewer(made.viewer, `${path}?id=nobody&hash=none`)
    expect([200, 404]).toContain(status)
  }
})
