/** A poll joins the commit that makes its work due, and is never asked for without need. */

import { describe, expect, it } from 'vitest'
import { SteleError } from '../../src/base/error.ts'
import { createStorage } from '../../src/storage/storage.ts'
import { charge } from '../support/storage/events.ts'
import { executionId } from '../support/storage/ids.ts'
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
