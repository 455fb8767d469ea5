import { defineActivity } from 'stele'
import { expect, it } from 'vitest'
import { engineDefaults } from '../../src/client/engine-options.ts'
import { temporaryDirectory } from '../support/storage/temporary-directory.ts'
import { openTestEngine } from '../unit/client/test-engine.ts'

const { lockExpiry, watcherLeeway, watcherTickSleep } = engineDefaults

it('B42: with the defaults, work of a dead process is taken over after its lease, leeway and a tick', async () => {
  using folder = temporaryDirectory()
  const file = folder.file('reclaim.db')
  const backoff = 100
  const runs: number[] = []
  const work = defineActivity({ name: 'work', retry: { backoff } }, (_: undefined, { attempt }) => {
    runs.push(attempt)
    return attempt === 1 ? new Promise(() => undefined) : 'taken over'
  })
  await using dead = await openTestEngine({ functions: [work], file })
  const { id } = await dead.engine.submit(work)
  await dead.settle()
  expect(runs).toEqual([1])
  await using alive = await openTestEngine({ functions: [work], file })
  const handle = await alive.engine.get(id)
  await alive.advance(lockExpiry)
  expect((await handle.state()).status).toBe('locked')
  await alive.advance(watcherLeeway + watcherTickSleep + backoff)
  expect(await handle.result({ timeout: 0 })).toBe('taken over')
  const { events } = await handle.log()
  const freed = events.find(({ type }) => type === 'temporarily_timed_out')
  expect(freed?.createdAt).toBeLessThanOrEqual(lockExpiry + watcherLeeway + watcherTickSleep)
  expect(lockExpiry).toBeLessThanOrEqual(30_000)
  await alive.check()
})
