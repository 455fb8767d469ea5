/** What bounds a workflow: runs that die without progress, the length of its log, and who sees it. */

import { defineWorkflow } from 'stele'
import { describe, expect, it } from 'vitest'
import { createGate, eventsOf, pauseReason } from '../seed/workflow-test.ts'
import { temporaryDirectory } from '../support/storage/temporary-directory.ts'
import { createTestTime, openTestEngine } from '../unit/client/test-engine.ts'

describe('limits.crashesWithoutProgress', () => {
  it('crashes: after so many runs without a new event it is paused with the reason, and an unpause gives it another chance', async () => {
    let begun = 0
    let isFixed = false
    const main = defineWorkflow(
      { name: 'main', timeout: '1s', retry: { backoff: 10, maxBackoff: 10 } },
      async (_: undefined, { step, sleep }) => {
        await sleep('1s')
        return step('hang', () => {
          begun += 1
          return isFixed ? 'done' : createGate<string>().opened
        })
      },
    )
    const limits = { crashesWithoutProgress: 3 }
    using folder = temporaryDirectory()
    const file = folder.file('x.db')
    const time = createTestTime()
    const never = new Promise<never>(() => undefined)
    /** A process that is killed by the step of the workflow. */
    const crash = async (): Promise<void> => {
      const life = { isDead: false }
      const dying = await openTestEngine({
        functions: [main],
        limits,
        file,
        time,
        executor: { lockExpiry: '1s' },
        wrap: (driver) => ({
          ...driver,
          write: (protocol) => (life.isDead ? never : driver.write(protocol)),
          read: (protocol) => (life.isDead ? never : driver.read(protocol)),
        }),
      })
      await dying.advance(1_200)
      life.isDead = true
      await time.advance(2_000)
    }
    await using client = await openTestEngine({ functions: [main], file, time, started: false })
    const handle = await client.engine.submit(main)
    for (let deaths = 0; deaths < 6; deaths += 1) await crash()
    expect(await pauseReason(handle)).toContain('died or timed out without recording anything')
    const tries = begun
    await crash()
    expect(begun).toBe(tries)
    isFixed = true
    await handle.unpause()
    await using healthy = await openTestEngine({ functions: [main], limits, file, time })
    await healthy.advance(500)
    expect(await handle.result({ timeout: 0 })).toBe('done')
    await healthy.check()
  })
})

describe('limits.eventsPerExecution', () => {
  it('events: at the limit it is paused with the reason; under a higher limit it goes on', async () => {
    using folder = temporaryDirectory()
    const file = folder.file('x.db')
    const time = createTestTime()
    const done: number[] = []
    const main = defineWorkflow({ name: 'main' }, async (_: undefined, { step }) => {
      for (let count = 0; count < 100; count += 1) {
        await step('count', () => {
          done.push(count)
        })
      }
      return 'done'
    })
    const limits = { eventsPerExecution: 50 }
    const first = await openTestEngine({ functions: [main], file, time, limits })
    const { id } = await first.engine.submit(main)
    await first.settle()
    const stuck = await first.engine.get(id)
    expect(await pauseReason(stuck)).toContain('`limits.eventsPerExecution` (50)')
    expect((await stuck.state()).version).toBeLessThanOrEqual(52)
    await stuck.unpause()
    await first.settle()
    expect(await pauseReason(stuck)).toContain('`limits.eventsPerExecution` (50)')
    await first.stop()
    await using second = await openTestEngine({ functions: [main], file, time })
    const handle = await second.engine.get(id, main)
    await handle.unpause()
    await second.settle()
    expect(await handle.result({ timeout: 0 })).toBe('done')
    expect(await eventsOf(handle, 'step_finished')).toHaveLength(100)
    // The step at the limit had run, and could not be recorded: at least once, not exactly.
    expect(new Set(done).size).toBe(100)
    expect(done.length).toBeLessThan(105)
    await second.check()
  })
})
