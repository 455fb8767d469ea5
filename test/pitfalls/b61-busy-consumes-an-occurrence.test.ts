import { defineActivity, defineWorkflow } from 'stele'
import { describe, expect, it } from 'vitest'
import type { Driver } from '../../src/storage/driver.ts'
import { openConnection } from '../../src/storage/sqlite/connection.ts'
import { temporaryDirectory } from '../support/storage/temporary-directory.ts'
import { openTestEngine } from '../unit/client/test-engine.ts'

const fired: string[] = []
const note = defineActivity({ name: 'note' }, (name: string) => {
  fired.push(name)
})
const hang = defineActivity(
  { name: 'hang', lockExpiry: '1s', timeout: '1s', retry: { maxRetries: 1, backoff: 10 } },
  (_: undefined, { attempt }) => {
    fired.push(`hang ${attempt}`)
    return attempt === 2 ? undefined : new Promise<undefined>(() => undefined)
  },
)
const nap = defineWorkflow({ name: 'nap' }, async (_: undefined, { sleep, call }) => {
  await sleep('1s')
  await call(note, 'slept')
})

describe('B61: somebody else holds the write lock when everything is due', () => {
  it('B61: each occurrence happens, once, as soon as the lock is let go', async () => {
    using folder = temporaryDirectory()
    const file = folder.file('busy.db')
    fired.length = 0
    const errors: unknown[] = []
    const logger = {
      debug: () => undefined,
      info: () => undefined,
      warn: () => undefined,
      error: (fields: object) => errors.push(fields),
    }
    await using world = await openTestEngine({ functions: [note, hang, nap], file, logger })
    const handles = [
      await world.engine.submit(nap),
      await world.engine.submit(hang),
      await world.engine.submit(note, 'scheduled', { delay: '1s' }),
    ]
    await world.advance(500)
    const other = openConnection(file, 0)
    other.control('BEGIN IMMEDIATE')
    await world.advance(2_000)
    expect(fired).toEqual(['hang 1'])
    const submitting = world.engine.submit(note, 'submitted')
    await world.advance(500)
    other.control('COMMIT')
    other.close()
    await world.advance(2_000)
    handles.push(await submitting)
    for (const handle of handles) {
      expect(await handle.outcome({ timeout: 0 })).toMatchObject({ type: 'ok' })
    }
    expect(fired.toSorted()).toEqual(['hang 1', 'hang 2', 'scheduled', 'slept', 'submitted'])
    expect(errors).toEqual([])
    await world.check()
  })

  it('B61: a transaction that reads before it writes is never too late to write', async () => {
    using folder = temporaryDirectory()
    const file = folder.file('snapshot.db')
    const wrap = (driver: Driver): Driver => ({
      ...driver,
      write: (protocol) =>
        driver.write(function* () {
          const steps = protocol()
          let step = steps.next([])
          while (step.done !== true) {
            // Between a read and a write of the transaction nobody can commit.
            const other = openConnection(file, 0)
            expect(() => other.control('BEGIN IMMEDIATE')).toThrow(/locked/)
            other.close()
            step = steps.next(yield step.value)
          }
          return step.value
        }),
    })
    await using world = await openTestEngine({ functions: [note], file, wrap })
    const handle = await world.engine.submit(note, 'written')
    await world.settle()
    expect(await handle.outcome({ timeout: 0 })).toMatchObject({ type: 'ok' })
  })
})
