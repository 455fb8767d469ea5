import { defineActivity, functionRef } from 'stele'
import { expect, it } from 'vitest'
import { temporaryDirectory } from '../support/storage/temporary-directory.ts'
import { createTestTime, openTestEngine } from '../unit/client/test-engine.ts'

it('B94: a wait without a timeout has none', async () => {
  const approve = defineActivity({ name: 'approve' }).stub()
  await using world = await openTestEngine({ functions: [approve], started: false })
  const handle = await world.engine.submit(approve)
  let isOver = false
  const waiting = handle.result().finally(() => {
    isOver = true
  })
  await world.advance(10 * 60_000)
  expect(isOver).toBe(false)
  await world.engine.complete(handle.id, { type: 'ok', value: undefined })
  await waiting
  expect(isOver).toBe(true)
})

it('B94: work for a function that nobody has registered waits, and the missing one is named', async () => {
  using folder = temporaryDirectory()
  const file = folder.file('late.db')
  const time = createTestTime()
  const other = defineActivity({ name: 'other' }, () => 1)
  const late = defineActivity({ name: 'late' }, (word: string) => `${word} at last`)
  await using first = await openTestEngine({ functions: [other], file, time })
  const handle = await first.engine.submit(functionRef<typeof late>('late'), 'here')
  await time.advance(5_000)
  expect(await handle.explain()).toMatchObject({
    waitingFor: 'an executor',
    problems: [
      'No running engine executes the activity late: add it to the `functions` of one, or ' +
        'complete it if it is a stub.',
    ],
  })
  await using _second = await openTestEngine({ functions: [late], file, time })
  await time.advance(1_000)
  expect(await handle.result({ timeout: 0 })).toBe('here at last')
})
