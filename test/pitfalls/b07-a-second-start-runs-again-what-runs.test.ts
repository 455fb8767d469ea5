import { defineActivity } from 'stele'
import { expect, it } from 'vitest'
import { temporaryDirectory } from '../support/storage/temporary-directory.ts'
import { createTestTime, openTestEngine } from '../unit/client/test-engine.ts'

it('B7: starting again, or another engine beside it, does not run again what still runs', async () => {
  using folder = temporaryDirectory()
  const file = folder.file('start.db')
  const time = createTestTime()
  let runs = 0
  let end: (value: string) => void = () => undefined
  const work = defineActivity({ name: 'work', lockExpiry: '1s' }, () => {
    runs += 1
    return new Promise<string>((resolve) => {
      end = resolve
    })
  })
  await using first = await openTestEngine({ functions: [work], file, time })
  const handle = await first.engine.submit(work)
  await time.settle()
  await first.engine.start()
  await using _second = await openTestEngine({ functions: [work], file, time })
  await time.advance(10_000)
  expect(runs).toBe(1)
  end('once')
  await time.settle()
  expect(await handle.result({ timeout: 0 })).toBe('once')
  await first.check()
})
