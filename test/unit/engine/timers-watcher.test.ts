/** The watcher frees expired locks, fires delays and carries cancellations down; it never spins. */

import { describe, expect, it } from 'vitest'
import { SteleError } from '../../../src/base/error.ts'
import { timersPerTick } from '../../../src/engine/timers-watcher.ts'
import { cancelStepMax } from '../../../src/storage/close-cancelled.ts'
import {
  blockingAskEvent,
  childEvent,
  delayEvent,
  joinSetEvent,
  unlockedEvent,
} from '../../support/storage/events.ts'
import { childOf, executionId } from '../../support/storage/ids.ts'
import { executeSql } from '../../support/storage/opened-storage.ts'
import {
  activityRequest,
  activityTarget,
  lockRequest,
  lockTarget,
} from '../../support/storage/requests.ts'
import { append, createActivity, createWorkflow } from '../../support/storage/steps.ts'
import { eventsOf, tickSleep, watcherIn } from './builders.ts'
import {
  loud,
  openSurroundings,
  type Surroundings,
  type SurroundingsOptions,
} from './surroundings.ts'

const away = new SteleError('storage_unavailable', 'away')
const leeway = 500

async function open(
  options: SurroundingsOptions = {},
  settings: Parameters<typeof watcherIn>[1] = {},
) {
  const surroundings = await openSurroundings(options)
  const watcher = watcherIn(surroundings, settings)
  const tickAt = (at: number, locksExpiredBy = at) =>
    surroundings.done(watcher.tick({ locksExpiredBy, delaysDueBy: at }))
  const value = (): unknown => {
    const snapshot: { readonly value?: unknown } = watcher.actor.getSnapshot()
    return snapshot.value
  }
  return { ...surroundings, watcher, tickAt, value }
}

/** Creates and locks at the present instant, until `expiry` later; the budget as told. */
async function createLockedActivity(
  { store, done, clock }: Surroundings,
  id: string,
  { expiry = 1000, maxRetries = 5 } = {},
) {
  const at = clock.now()
  await done(createActivity(store, id, { scheduledAt: at }))
  const retry = { maxRetries, backoff: 100 }
  const targets = [activityTarget({ lockExpiry: expiry, retry })]
  await done(store.lockDue(() => lockRequest(at, { targets })))
}

async function createLockedWorkflow({ store, done, clock }: Surroundings, id: string) {
  const at = clock.now()
  await done(createWorkflow(store, id, { scheduledAt: at }))
  await done(store.lockDue(() => lockRequest(at, { targets: [lockTarget()] })))
}

async function summary({ store, scheduler }: Surroundings, id: string) {
  await scheduler.settle()
  const events = await eventsOf(store, id)
  return events.map(({ event, createdAt }) => `${event.type}@${createdAt}`)
}

describe('watcher: locks', () => {
  it('tick: frees a lock at exactly its expiry, and not before', async () => {
    const all = await open()
    await createLockedActivity(all, 'a')
    expect(await all.tickAt(999)).toMatchObject({ expiredLocks: 0, hasMore: false })
    expect(await all.tickAt(1000)).toMatchObject({ expiredLocks: 1, hasMore: false })
    const last = (await eventsOf(all.store, 'a')).at(-1)
    expect(last).toMatchObject({
      createdAt: 1000,
      event: { type: 'temporarily_timed_out', backoffExpiresAt: 1100 },
    })
  })

  it('tick: without a budget the execution has timed out', async () => {
    const all = await open()
    await createLockedActivity(all, 'a', { maxRetries: 0 })
    await all.tickAt(1000)
    expect(await all.store.findState(executionId('a'))).toMatchObject({
      status: 'finished',
      failureKind: 'timed_out',
    })
  })

  it('tick: a workflow that made progress is due again at once, uncounted', async () => {
    const all = await open()
    await createLockedWorkflow(all, 'w')
    await all.done(append(all.store, ['w', 2], [joinSetEvent()]))
    expect(await all.tickAt(1000)).toMatchObject({ expiredLocks: 1 })
    expect((await eventsOf(all.store, 'w')).at(-1)?.event).toEqual(
      unlockedEvent(1000, 'made progress'),
    )
  })

  it('leeway: holds for locks alone; a running watcher frees them that much later', async () => {
    const all = await open({}, { leeway })
    await createLockedActivity(all, 'a')
    all.watcher.start()
    await all.scheduler.advance(1000 + leeway - 1)
    expect(await summary(all, 'a')).toHaveLength(2)
    await all.scheduler.advance(1)
    expect((await summary(all, 'a')).at(-1)).toBe('temporarily_timed_out@1000')
  })

  it('race: what its owner wrote first is neither freed nor counted', async () => {
    const all = await open()
    await createLockedActivity(all, 'a')
    const letGo = all.hold('append')
    const ticked = all.watcher.tick({ locksExpiredBy: 1000, delaysDueBy: 1000 })
    await all.scheduler.settle()
    await all.done(append(all.store, ['a', 2], [unlockedEvent(2000)]))
    letGo()
    expect(await all.done(ticked)).toMatchObject({ expiredLocks: 0 })
    expect(await summary(all, 'a')).toEqual(['created@0', 'locked@0', 'unlocked@10'])
    expect(loud(all.log)).toEqual([])
  })

  it('refused for ever: a lock that cannot be freed does not make it spin', async () => {
    const all = await open()
    // The response to the parent is taken already, so the end of the child is refused.
    await createLockedWorkflow(all, 'p')
    await createLockedActivity(all, 'p.n:boxes_1', { maxRetries: 0 })
    const response = {
      type: 'child_finished',
      joinSetId: childEvent('p').joinSetId,
      childExecutionId: childOf('p'),
      finishedVersion: 1,
    } as const
    const command = { executionId: executionId('p'), createdAt: 0, response }
    await all.done(all.store.respond(command))
    await all.done(append(all.store, ['p', 2], [unlockedEvent(100_000)]))
    all.clock.set(1000)
    all.watcher.start()
    await all.scheduler.advance(1000)
    expect(all.counts.get('findExpired')).toBeLessThanOrEqual(1000 / tickSleep + 2)
  })
})

describe('watcher: delays', () => {
  async function openDelay(dueAt: number, settings: Parameters<typeof watcherIn>[1] = {}) {
    const all = await open({}, settings)
    await createLockedWorkflow(all, 'w')
    const events = [joinSetEvent('n:timers'), delayEvent('w', dueAt), blockingAskEvent('n:timers')]
    await all.done(append(all.store, ['w', 2], events))
    const inbox = async () => {
      await all.scheduler.settle()
      const page = { executionId: executionId('w'), after: 0, limit: 10 }
      const responses = await all.store.listResponses(page)
      return responses.map(({ createdAt, response }) => [response.type, createdAt] as const)
    }
    return { ...all, inbox }
  }

  it('tick: fires what is due, with the present time', async () => {
    const { tickAt, inbox, store } = await openDelay(700)
    expect(await tickAt(699)).toMatchObject({ firedDelays: 0 })
    expect(await tickAt(720)).toMatchObject({ firedDelays: 1, expiredLocks: 0 })
    expect(await inbox()).toEqual([['delay_finished', 720]])
    expect(await store.findState(executionId('w'))).toMatchObject({ scheduledAt: 720 })
  })

  it('running: fires at the due time, whatever leeway and tick sleep say', async () => {
    const { watcher, scheduler, inbox } = await openDelay(730, { leeway, tickSleep: 10_000 })
    watcher.start()
    await scheduler.advance(729)
    expect(await inbox()).toEqual([])
    await scheduler.advance(1)
    expect(await inbox()).toEqual([['delay_finished', 730]])
  })

  it('running: hears of a delay that comes while it sleeps', async () => {
    const all = await open({}, { tickSleep: 10_000 })
    all.watcher.start()
    await createLockedWorkflow(all, 'w')
    const events = [joinSetEvent('n:timers'), delayEvent('w', 40)]
    await all.done(append(all.store, ['w', 2], events))
    await all.scheduler.advance(40)
    const page = { executionId: executionId('w'), after: 0, limit: 10 }
    expect(await all.store.listResponses(page)).toMatchObject([{ createdAt: 40 }])
  })

  it('running: a delay longer than timers can be does not fire at once', async () => {
    const far = 2 ** 31 + 60_000
    const { watcher, scheduler, inbox, clock, counts } = await openDelay(far, {
      tickSleep: 2 ** 30,
    })
    watcher.start()
    await scheduler.settle()
    expect(await inbox()).toEqual([])
    // Straight to the last minute: the timer that waits is the watcher's own.
    clock.set(far - 1)
    await scheduler.settle()
    expect(await inbox()).toEqual([])
    expect(counts.get('findExpired')).toBe(1)
    await scheduler.advance(1)
    expect(await inbox()).toEqual([['delay_finished', far]])
  })

  it('race: a delay that was cancelled meanwhile fires no more', async () => {
    const { watcher, store, done, hold, inbox } = await openDelay(10)
    const letGo = hold('endDelay')
    const ticked = watcher.tick({ locksExpiredBy: 10, delaysDueBy: 10 })
    const { delayId } = delayEvent('w', 10)
    await done(store.endDelay({ delayId, createdAt: 5, result: 'cancelled' }))
    letGo()
    expect(await done(ticked)).toMatchObject({ firedDelays: 1 })
    expect(await inbox()).toEqual([['delay_finished', 5]])
  })
})

describe('watcher: cancellations', () => {
  it('cancel: goes down in batches to children and delays, then up as an end', async () => {
    const all = await open()
    const children = cancelStepMax + 5
    await createLockedWorkflow(all, 'top')
    const indexes = Array.from({ length: children }, (_, index) => index + 1)
    const creations = indexes.map((index) =>
      activityRequest(childOf('top.n:boxes_1', 'n:boxes', index)),
    )
    // A workflow under a workflow, with many children and a delay of its own.
    await all.done(createWorkflow(all.store, 'top.n:boxes_1', { scheduledAt: 0 }))
    await all.done(all.store.lockDue(() => lockRequest(0, { targets: [lockTarget()] })))
    const child = 'top.n:boxes_1'
    const events = [
      joinSetEvent('n:timers'),
      delayEvent(child, 100_000),
      joinSetEvent(),
      ...indexes.map((index) => childEvent(child, { index })),
    ]
    await all.done(
      all.store.append({
        executionId: executionId(child),
        version: 2,
        events: events.map((event) => ({ event, createdAt: 0 })),
        creations,
      }),
    )
    await all.done(all.store.cancel({ executionId: executionId('top'), createdAt: 1 }))
    all.watcher.start()
    await all.scheduler.advance(20 * tickSleep)
    const finished = { status: 'finished', failureKind: 'cancelled' }
    for (const id of ['top', child, childOf(child, 'n:boxes', children)]) {
      expect(await all.store.findState(executionId(id))).toMatchObject(finished)
    }
    const page = { executionId: executionId('top'), after: 0, limit: 10 }
    expect(await all.store.listResponses(page)).toMatchObject([
      { response: { type: 'child_finished', childExecutionId: child } },
    ])
    const inbox = { executionId: executionId(child), after: 0, limit: 1000 }
    const responses = await all.store.listResponses(inbox)
    expect(responses).toHaveLength(children + 1)
    expect(responses).toContainEqual(
      expect.objectContaining({
        response: expect.objectContaining({ type: 'delay_finished', result: 'cancelled' }),
      }),
    )
  })
})

describe('watcher: ticks', () => {
  it('full: goes on at once while there is more than fits into one', async () => {
    const all = await open()
    const { store, done, scheduler, counts } = all
    const ids = Array.from({ length: timersPerTick + 1 }, (_, index) => `a${index}`)
    await done(store.createMany(ids.map((id) => activityRequest(id))))
    const targets = [activityTarget({ limit: 1000 })]
    await done(store.lockDue(() => lockRequest(0, { targets, limit: 1000 })))
    expect(await all.tickAt(0)).toMatchObject({ hasMore: false, expiredLocks: 0 })
    all.clock.set(1000)
    counts.clear()
    all.watcher.start()
    await scheduler.settle()
    expect(counts.get('findExpired')).toBe(2)
    const next = await store.findNextTimers()
    expect(next.lockExpiresAt).toBeUndefined()
  })

  it('poison: rows that cannot be read are set aside, said once, and stop nobody', async () => {
    const all = await open()
    await createLockedActivity(all, 'bad')
    await createLockedActivity(all, 'good')
    const sql = 'UPDATE executions SET failures = 9223372036854775807 WHERE execution_id = $1'
    await all.done(executeSql(all, sql, 'bad'))
    all.watcher.start()
    await all.scheduler.advance(5000)
    expect((await summary(all, 'good')).at(-1)).toBe('temporarily_timed_out@1000')
    expect(loud(all.log)).toEqual(['Rows that cannot be read were set aside'])
  })

  it('fault: a database that cannot be read for a moment sets nobody aside', async () => {
    const fields = { file: 'a.db', sqlite: 'SQLITE_CORRUPT' }
    const malformed = new SteleError('storage_corrupt', 'malformed', { fields })
    const surroundings = await open()
    const { store, tickAt, clock } = surroundings
    await createLockedActivity(surroundings, 'a')
    clock.advance(5_000)
    surroundings.fail('append', malformed)
    await expect(tickAt(clock.now())).rejects.toBe(malformed)
    surroundings.fail('append', undefined)
    await tickAt(clock.now())
    expect(await surroundings.done(store.findReport(executionId('a')))).not.toHaveProperty(
      'setAside',
    )
    expect((await eventsOf(store, 'a')).at(-1)).toMatchObject({
      event: { type: 'temporarily_timed_out' },
    })
  })

  it('idle: ten seconds of nothing cost two questions a tick', async () => {
    const all = await open()
    all.watcher.start()
    await all.scheduler.advance(10_000)
    expect(all.total()).toBeLessThanOrEqual(2 * (10_000 / tickSleep + 1))
  })

  it('fault: an hour of a storage that is away makes two lines, and ticks become rare', async () => {
    const all = await open()
    all.fail('findExpired', away)
    all.watcher.start()
    await all.scheduler.advance(3_600_000)
    expect(all.counts.get('findExpired')).toBeLessThan(3_600_000 / 5000 + 10)
    expect(all.counts.get('findNextTimers')).toBeUndefined()
    all.fail('findExpired', undefined)
    await all.scheduler.advance(10_000)
    expect(loud(all.log)).toEqual([
      'The timers watcher failed: storage_unavailable',
      'The timers watcher works again',
    ])
  })

  it('fault: of the look ahead is left to the next tick', async () => {
    const all = await open()
    all.fail('findNextTimers', away)
    all.watcher.start()
    await all.scheduler.advance(10 * tickSleep)
    expect([loud(all.log), all.value()]).toEqual([[], { watching: 'waiting' }])
  })

  it('fault: by hand it is the caller’s to see', async () => {
    const all = await open()
    all.fail('findExpired', away)
    await expect(all.tickAt(0)).rejects.toBe(away)
  })

  it('deaf: without any notice everything is found by looking', async () => {
    const all = await open({ deaf: true })
    all.watcher.start()
    await all.scheduler.settle()
    await createLockedActivity(all, 'a', { expiry: 30 })
    await all.scheduler.advance(tickSleep)
    expect(await summary(all, 'a')).toHaveLength(3)
  })
})

describe('watcher: close', () => {
  it('close: ticks no more, and waits for the tick under way', async () => {
    const all = await open()
    const letGo = all.hold('findExpired')
    all.watcher.start()
    let closed = false
    const closing = all.watcher.close().then(() => {
      closed = true
    })
    await all.scheduler.settle()
    expect([closed, all.value()]).toEqual([false, 'closed'])
    letGo()
    await all.done(closing)
    const before = all.total()
    await all.scheduler.advance(10_000)
    expect(all.total()).toBe(before)
  })

  it('close: twice is once, and notices that come later are not heard', async () => {
    const all = await open()
    all.watcher.start()
    await all.done(all.watcher.close())
    await all.done(all.watcher.close())
    const before = all.total()
    all.context.storage.notifications.publish([{ topic: 'timer', dueAt: 0 }])
    await all.scheduler.advance(1000)
    expect(all.total()).toBe(before)
  })

  it('never started: closes without touching the storage', async () => {
    const all = await open()
    await createLockedActivity(all, 'a')
    all.clock.set(5000)
    await all.done(all.watcher.close())
    expect(all.total()).toBe(0)
    expect(await summary(all, 'a')).toHaveLength(2)
  })
})
