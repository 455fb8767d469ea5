import { defineActivity } from 'stele'
import { expect, it } from 'vitest'
import { temporaryDirectory } from '../support/storage/temporary-directory.ts'
import { openTestEngine, type TestEngine } from '../unit/client/test-engine.ts'

it('B36: processes that die after the effect and before the record use up the budget', async () => {
  using folder = temporaryDirectory()
  const file = folder.file('crash.db')
  const effects: number[] = []
  const work = defineActivity(
    { name: 'work', lockExpiry: '1s', timeout: '1h', retry: { maxRetries: 2, backoff: 10 } },
    (_: undefined, { attempt }) => {
      effects.push(attempt)
      return new Promise(() => undefined)
    },
  )
  const generations: TestEngine[] = []
  let now = 0
  const startNext = async (): Promise<TestEngine> => {
    // The generations before it are dead: their time stands still.
    const next = await openTestEngine({ functions: [work], file, started: false })
    generations.push(next)
    next.clock.set(now)
    await next.engine.start()
    await next.settle()
    return next
  }
  const first = await startNext()
  const { id } = await first.engine.submit(work)
  await first.settle()
  for (let generation = 2; generation <= 4; generation += 1) {
    const next = await startNext()
    await next.advance(2_000)
    now = next.clock.now()
  }
  const last = generations.at(-1) ?? first
  const handle = await last.engine.get(id)
  expect(effects).toEqual([1, 2, 3])
  expect(await handle.outcome({ timeout: 0 })).toEqual({
    type: 'execution_failure',
    kind: 'timed_out',
  })
  expect(await handle.state()).toMatchObject({ status: 'finished', attempt: 3 })
  await last.check()
  for (const generation of generations) await generation.stop()
})
