import { defineActivity } from 'stele'
import { expect, it } from 'vitest'
import { temporaryDirectory } from '../support/storage/temporary-directory.ts'
import { openTestEngine } from '../unit/client/test-engine.ts'

it('B96: explain says what an execution waits for, since when, who holds it, and what comes next', async () => {
  using folder = temporaryDirectory()
  const file = folder.file('why.db')
  const work = defineActivity(
    { name: 'work', retry: { maxRetries: 1, backoff: '1 minute' }, lockExpiry: '20s' },
    (_: undefined, { attempt }) => {
      if (attempt === 1) throw new Error('no route to host')
      return new Promise<string>(() => undefined)
    },
  )
  await using world = await openTestEngine({ functions: [work], file })
  const handle = await world.engine.submit(work, undefined, { delay: '10s' })
  expect(await handle.explain()).toMatchObject({ waitingFor: 'its time', nextWakeAt: 10_000 })
  await handle.pause()
  expect(await handle.explain()).toMatchObject({ waitingFor: 'unpause' })
  await handle.unpause()
  await world.advance(10_000)
  expect(await handle.explain()).toEqual({
    summary: 'It is due in 60000 ms, after: activity trap: no route to host.',
    waitingFor: 'its time',
    since: 10_000,
    nextWakeAt: 70_000,
    problems: [],
  })
  await world.advance(60_000)
  expect(await handle.explain()).toMatchObject({
    summary: 'Attempt 2 is running.',
    waitingFor: 'its run',
    since: 70_000,
    heldBy: { until: 90_000, pid: process.pid, alive: true },
    nextWakeAt: 90_000,
    problems: [],
  })
  // Another process looks at it a minute after this one has died.
  await using viewer = await openTestEngine({ file, started: false })
  viewer.clock.set(130_000)
  const seen = await viewer.engine.get(handle.id)
  expect(await seen.explain()).toMatchObject({
    heldBy: { alive: false },
    problems: [expect.stringContaining('has given no sign of life')],
  })
  await handle.cancel()
  expect(await handle.explain()).toMatchObject({ waitingFor: 'nothing', problems: [] })
})
