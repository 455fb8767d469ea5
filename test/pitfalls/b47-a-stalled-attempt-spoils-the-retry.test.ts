import { defineActivity } from 'stele'
import { expect, it } from 'vitest'
import { openTestEngine, typesOf } from '../unit/client/test-engine.ts'

it('B47: an attempt that stalled is counted once, and cannot disturb the one after it', async () => {
  const ends = new Map<number, (value: string) => void>()
  const work = defineActivity(
    { name: 'work', timeout: '1s', retry: { maxRetries: 2, backoff: '1h' } },
    (_: undefined, { attempt }) =>
      new Promise<string>((resolve) => {
        ends.set(attempt, resolve)
      }),
  )
  await using world = await openTestEngine({ functions: [work] })
  const handle = await world.engine.submit(work)
  await world.advance(1_000)
  expect(await handle.state()).toMatchObject({ status: 'pending_at', attempt: 2 })
  // A person looks at it, holds it back, and lets it go again.
  await handle.pause()
  await handle.unpause()
  expect(await handle.state()).toMatchObject({ status: 'pending_at', attempt: 2, paused: false })
  world.clock.advance(3_600_000)
  await world.advance(0)
  expect(await handle.state()).toMatchObject({ status: 'locked', attempt: 2 })
  ends.get(1)?.('from the stalled attempt')
  await world.settle()
  expect(await handle.state()).toMatchObject({ status: 'locked', attempt: 2 })
  ends.get(2)?.('from the retry')
  await world.settle()
  expect(await handle.result({ timeout: 0 })).toBe('from the retry')
  const types = await typesOf(handle)
  expect(types.filter((type) => type === 'temporarily_timed_out')).toHaveLength(1)
  await world.check()
})
