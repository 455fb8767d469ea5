import { defineActivity } from 'stele'
import { expect, it } from 'vitest'
import { temporaryDirectory } from '../support/storage/temporary-directory.ts'
import { openTestEngine, typesOf } from '../unit/client/test-engine.ts'

it('B3: what a run writes after its lease has moved is refused; the new owner goes on', async () => {
  using folder = temporaryDirectory()
  const file = folder.file('lease.db')
  const ends: ((value: string) => void)[] = []
  const work = defineActivity(
    { name: 'work', lockExpiry: '1s', timeout: '1h', retry: { backoff: 0 } },
    () =>
      new Promise<string>((resolve) => {
        ends.push(resolve)
      }),
  )
  // The first engine is frozen once it has locked: its own time stands still.
  await using frozen = await openTestEngine({ functions: [work], file })
  const { id } = await frozen.engine.submit(work)
  await frozen.settle()
  await using next = await openTestEngine({ functions: [work], file })
  await next.advance(2_000)
  expect(ends).toHaveLength(2)
  ends[0]?.('from the frozen one')
  await frozen.settle()
  const handle = await next.engine.get(id)
  expect(await handle.state()).toMatchObject({ status: 'locked', attempt: 2 })
  ends[1]?.('from the owner')
  await next.settle()
  expect(await handle.result({ timeout: 0 })).toBe('from the owner')
  const types = (await typesOf(handle)).filter((type, index, all) => type !== all[index - 1])
  expect(types).toEqual(['created', 'locked', 'temporarily_timed_out', 'locked', 'finished'])
  await next.check()
})
