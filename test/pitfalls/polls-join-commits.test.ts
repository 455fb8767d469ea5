/** A poll joins the commit that makes its work due, and is never asked for without need. */

import { describe, expect, it } from 'vitest'
import { SteleError } from '../../src/base/error.ts'
import type { Driver } from '../../src/storage/driver.ts'
import { createStorage } from '../../src/storage/storage.ts'
import { charge } from '../support/storage/events.ts'
import { executionId } from '../support/storage/ids.ts'
import { sqliteError } from '../support/storage/observed-connection.ts'
import { createActivity } from '../support/storage/steps.ts'
import { createOpenWorker, type ExecutorPart, executorIn } from '../unit/engine/builders.ts'
import { openSurroundings } from '../unit/engine/surroundings.ts'

const away = new SteleError('storage_unavailable', 'away')

async function open(part: ExecutorPart = {}) {
  const surroundings = await openSurroundings()
  const worker = createOpenWorker()
  const executor = executorIn(surroundings, { worker, ...part })
  const started = (): readonly string[] => worker.runs.map(({ run }) => run.executionId)
  return { ...surroundings, executor, started }
}

describe('executor: work that comes into being here', () => {
  it('is locked with the commit that creates it', async () => {
    const { executor, store, done, scheduler, started } = await open()
    executor.start()
    await scheduler.settle()
    const created = createActivity(store, 'a').then(() => store.findState(executionId('a')))
    expect(await done(created)).toMatchObject({ status: 'locked', version: 1 })
    expect(started()).toEqual(['a'])
  })

  it('is locked by one poll when much of it comes at once', async () => {
    const { executor, store, done, scheduler, started, counts } = await open()
    executor.start()
    await scheduler.settle()
    const before = counts.get('lockDue') ?? 0
    await done(Promise.all(['a', 'b', 'c'].map((id) => createActivity(store, id))))
    expect(started().toSorted()).toEqual(['a', 'b', 'c'])
    expect((counts.get('lockDue') ?? 0) - before).toBe(1)
  })

  it('is found by the next poll when nobody is told before the commit', async () => {
    const { executor, store, done, scheduler, started, driver } = await open()
    executor.start()
    await scheduler.settle()
    const { write } = driver
    const late = createStorage(
      { ...driver, write: (protocol) => write(protocol) },
      store.notifications,
    )
    const created = createActivity(late, 'a').then(() => store.findState(executionId('a')))
    expect(await done(created)).toMatchObject({ status: 'pending_at' })
    await scheduler.settle()
    expect(started()).toEqual(['a'])
  })
})

describe('executor: a storage that is away', () => {
  it('notice: of work that cannot be looked for is not tried again at once', async () => {
    // As long as the longest pause after a failure: the wait does not look like one.
    const tickSleep = 5_000
    const { executor, context, fail, scheduler, counts } = await open({ settings: { tickSleep } })
    executor.start()
    await scheduler.settle()
    fail('lockDue', away)
    const before = counts.get('lockDue') ?? 0
    const notice = { topic: 'pending', kind: 'activity', name: charge.name, dueAt: 0 } as const
    context.storage.notifications.publish([notice])
    await scheduler.advance(tickSleep - 1)
    expect((counts.get('lockDue') ?? 0) - before).toBe(1)
  })
})

/** Polls meet this fault while it lasts. */
function withFaultyPolls(driver: Driver, meet: () => void): Driver {
  const { write } = driver
  return {
    ...driver,
    write: (protocol, onAccepted) =>
      write(function* () {
        const inner = protocol()
        let step = inner.next([])
        while (step.done !== true) {
          if (step.value.some(({ statement }) => statement.name.startsWith('due-'))) meet()
          step = inner.next(yield step.value)
        }
        return step.value
      }, onAccepted),
  }
}

describe('executor: a poll that fails where it has joined', () => {
  it.each(['SQLITE_CORRUPT', 'SQLITE_IOERR_READ', 'SQLITE_CONSTRAINT'])(
    '%s: takes nobody with it, and is not made again at once',
    async (code) => {
      const surroundings = await openSurroundings()
      const { driver, store, scheduler, context, done } = surroundings
      let meets = 0
      let isBroken = false
      const broken = withFaultyPolls(driver, () => {
        if (!isBroken) return
        meets += 1
        // Otherwise a test that fails would not end.
        if (meets > 20) isBroken = false
        throw sqliteError(code)
      })
      const storage = createStorage(broken, store.notifications)
      const executor = executorIn({ ...surroundings, context: { ...context, storage } })
      executor.start()
      await scheduler.settle()
      isBroken = true
      await done(createActivity(store, 'a'))
      expect(await done(store.findState(executionId('a')))).toMatchObject({ status: 'pending_at' })
      expect(meets).toBeGreaterThan(0)
      expect(meets).toBeLessThan(5)
      isBroken = false
      await scheduler.advance(10_000)
      expect(await done(store.findState(executionId('a')))).toMatchObject({ status: 'finished' })
    },
  )
})
