import { type AnyFunction, defineActivity, defineWorkflow, type Implemented } from 'stele'
import { describe, expect, it } from 'vitest'
import { openTestEngine } from './test-engine.ts'

const never = (): Promise<never> => new Promise(() => undefined)

function open(
  functions: readonly (AnyFunction & Implemented)[],
): ReturnType<typeof openTestEngine> {
  return openTestEngine({ functions, executor: { concurrency: 1 } })
}

describe('permits', () => {
  it('workflows go on while activities have used up theirs', async () => {
    const slow = defineActivity({ name: 'slow' }, never)
    const nap = defineWorkflow({ name: 'nap' }, async (_, { sleep }) => {
      await sleep('1s')
      return 'awake'
    })
    await using test = await open([slow, nap])
    await test.engine.submit(slow)
    await test.advance(10)
    const handle = await test.engine.submit(nap)
    await test.advance(2_000)
    await expect(handle.result({ timeout: 0 })).resolves.toBe('awake')
  })

  it('activities of one engine keep to its concurrency', async () => {
    let running = 0
    let most = 0
    const work = defineActivity({ name: 'work' }, async () => {
      running += 1
      most = Math.max(most, running)
      await Promise.resolve()
      running -= 1
    })
    await using test = await open([work])
    await test.engine.submitMany(work, [undefined, undefined, undefined])
    await test.advance(1_000)
    expect(most).toBe(1)
  })
})

describe('a workflow that waits', () => {
  it('is paused with the reason when its code turns out to wait for something else', async () => {
    let wake = (): void => undefined
    const foreign = defineWorkflow({ name: 'foreign' }, async (_, { sleep, step }) => {
      const late = sleep('1 hour')
      await new Promise<void>((resolve) => {
        wake = resolve
      })
      await step('never', () => 1)
      await late
    })
    await using test = await open([foreign])
    const handle = await test.engine.submit(foreign)
    await test.advance(100)
    wake()
    await test.advance(100)
    await expect(handle.state()).resolves.toMatchObject({
      status: 'blocked',
      paused: true,
      reason: expect.stringContaining('a promise that is not of Stele'),
    })
  })
})
