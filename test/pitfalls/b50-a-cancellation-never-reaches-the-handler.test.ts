import { defineActivity } from 'stele'
import { describe, expect, it } from 'vitest'
import { temporaryDirectory } from '../support/storage/temporary-directory.ts'
import { createTestTime, openTestEngine } from '../unit/client/test-engine.ts'

function listening(options: object = {}) {
  const signals: AbortSignal[] = []
  const beats: (() => Promise<void>)[] = []
  const work = defineActivity(
    { name: 'work', ...options },
    (_: undefined, { signal, heartbeat }) => {
      signals.push(signal)
      beats.push(heartbeat)
      return new Promise<string>(() => undefined)
    },
  )
  const isAborted = (): boolean | undefined => signals[0]?.aborted
  return { work, isAborted, beats }
}

describe('B50: a cancellation aborts the signal of a running handler', () => {
  it('B50: in the same process before `cancel` resolves, without any time passing', async () => {
    const { work, isAborted } = listening()
    await using world = await openTestEngine({ functions: [work] })
    const handle = await world.engine.submit(work)
    await world.settle()
    expect(isAborted()).toBe(false)
    await handle.cancel()
    expect(isAborted()).toBe(true)
  })

  it('B50: from another connection to the file within 200 ms', async () => {
    using folder = temporaryDirectory()
    const file = folder.file('cancel.db')
    const time = createTestTime()
    const { work, isAborted } = listening()
    await using runner = await openTestEngine({ functions: [work], file, time })
    await using other = await openTestEngine({ file, time, started: false })
    const { id } = await runner.engine.submit(work)
    await time.settle()
    const handle = await other.engine.get(id)
    await handle.cancel()
    expect(isAborted()).toBe(false)
    await time.advance(200)
    expect(isAborted()).toBe(true)
    await runner.check()
  })

  it.each([0, 1, 2, 3, 4, 5, 6, 8, 12])(
    'B50: also when the lock is being renewed in the very same turn, %d microtasks before',
    async (microtasks) => {
      const { work, isAborted, beats } = listening({ lockExpiry: '3s', timeout: '1h' })
      await using world = await openTestEngine({ functions: [work] })
      const handle = await world.engine.submit(work)
      await world.settle()
      world.clock.advance(1_500)
      const beat = beats[0]?.().catch(() => undefined)
      for (let left = microtasks; left > 0; left -= 1) await Promise.resolve()
      await handle.cancel()
      await beat
      await world.settle()
      expect(isAborted()).toBe(true)
      await world.check()
    },
  )
})
