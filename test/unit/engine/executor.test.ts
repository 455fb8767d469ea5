/** An executor polls, locks what it has permits for, runs it, and closes without losing anything. */

import { describe, expect, it } from 'vitest'
import { SteleError } from '../../../src/base/error.ts'
import { createExecutor, stopGrace } from '../../../src/engine/executor.ts'
import { createPermits } from '../../../src/engine/permits.ts'
import type { FunctionId } from '../../../src/model/function-id.ts'
import { charge } from '../../support/storage/events.ts'
import { executeSql } from '../../support/storage/opened-storage.ts'
import { createActivity } from '../../support/storage/steps.ts'
import {
  activityFunction,
  createConstantWorker,
  createOpenWorker,
  deafWorker,
  type ExecutorPart,
  eventsOf,
  executorIn,
  okResult,
  tickSleep,
} from './builders.ts'
import {
  loud,
  openSurroundings,
  type Surroundings,
  type SurroundingsOptions,
} from './surroundings.ts'

const away = new SteleError('storage_unavailable', 'away')
const ship: FunctionId = { kind: 'activity', name: 'ship', version: '1' }

async function open(part: ExecutorPart = {}, options: SurroundingsOptions = {}) {
  const surroundings = await openSurroundings(options)
  const worker = createOpenWorker()
  const executor = executorIn(surroundings, { worker, ...part })
  const create = (id: string, more: Parameters<typeof createActivity>[2] = {}) =>
    surroundings.done(createActivity(surroundings.store, id, more))
  const value = (): unknown => {
    const snapshot: { readonly value?: unknown } = executor.actor.getSnapshot()
    return snapshot.value
  }
  const started = (): readonly string[] => worker.runs.map(({ run }) => run.executionId)
  return { ...surroundings, worker, executor, create, value, started }
}

async function typesAndTimes({ store, scheduler }: Surroundings, id: string) {
  await scheduler.settle()
  const events = await eventsOf(store, id)
  return events.map(({ event, createdAt }) => `${event.type}@${createdAt}`)
}

describe('executor: polling', () => {
  it('start: runs what is due, and then waits', async () => {
    const { executor, create, scheduler, started, value } = await open()
    await create('a')
    await create('b')
    executor.start()
    await scheduler.settle()
    expect([...started()].toSorted()).toEqual(['a', 'b'])
    expect(value()).toEqual({ polling: 'waiting' })
    expect(executor.held()).toBe(2)
  })

  it('batch: more than fits into one poll is polled for at once', async () => {
    const { executor, create, scheduler, started, counts } = await open({
      settings: { batchSize: 2 },
    })
    for (const id of ['a', 'b', 'c', 'd', 'e']) await create(id)
    executor.start()
    await scheduler.settle()
    expect(started()).toHaveLength(5)
    expect(counts.get('lockDue')).toBe(3)
  })

  it('notice: what is created while it waits runs at once', async () => {
    const { executor, create, scheduler, started, clock } = await open()
    executor.start()
    await scheduler.advance(30)
    await create('a', { scheduledAt: 30 })
    expect([started(), clock.now()]).toEqual([['a'], 30])
  })

  it.each([true, false])(
    'future: what is scheduled runs at its due time, not a poll later (deaf: %s)',
    async (deaf) => {
      const { executor, create, scheduler, store, done } = await open({}, { deaf })
      executor.start()
      await create('a', { scheduledAt: 250 })
      await scheduler.advance(251)
      const [, locked] = await done(eventsOf(store, 'a'))
      expect(locked).toMatchObject({ createdAt: 250, event: { type: 'locked' } })
    },
  )

  it('idle: ten seconds of nothing cost a bounded number of questions', async () => {
    const { executor, scheduler, total } = await open()
    executor.start()
    await scheduler.settle()
    const before = total()
    await scheduler.advance(10_000)
    // A poll and a look ahead each 100 ms, and two signs of life.
    expect(total() - before).toBeLessThanOrEqual(2 * 100 + 2)
    expect(total() - before).toBeGreaterThan(100)
  })

  it('run id: is shared by one poll, and new for the next', async () => {
    const { executor, create, scheduler, worker } = await open()
    await create('a')
    await create('b')
    executor.start()
    await scheduler.settle()
    await create('c')
    const [first, second, third] = worker.runs.map(({ run }) => run.state.lastOwner)
    expect(first).toEqual(second)
    expect(third?.runId).not.toBe(first?.runId)
    expect(third?.executorId).toBe(executor.executorId)
  })

  it('auto: a version that was never tried is locked under its own name', async () => {
    const functions = [activityFunction({ id: { ...charge, version: '2' }, strategy: 'auto' })]
    const { executor, create, scheduler, worker } = await open({ functions })
    await create('a')
    executor.start()
    await scheduler.settle()
    expect(worker.of('a').run.state.function.version).toBe('1')
  })
})

describe('executor: permits', () => {
  const onePermit = () => ({ permits: createPermits({ total: 1, perFunction: new Map() }) })

  it('saturated: with due rows and no permit it does not spin, and goes on when one is freed', async () => {
    const { executor, create, scheduler, worker, started, value, total } = await open(onePermit())
    await create('a')
    await create('b')
    executor.start()
    await scheduler.settle()
    expect([started(), value()]).toEqual([['a'], 'saturated'])
    const before = total()
    await scheduler.advance(90)
    expect(total()).toBe(before)
    worker.of('a').end(okResult)
    await scheduler.settle()
    expect(started()).toEqual(['a', 'b'])
  })

  it('saturated: ten seconds of it cost renewals and signs of life only', async () => {
    const { executor, create, scheduler, counts } = await open({
      ...onePermit(),
      functions: [activityFunction({ timeout: 60_000, lockExpiry: 30_000 })],
    })
    await create('a')
    await create('b')
    executor.start()
    await scheduler.advance(10_000)
    expect(counts.get('lockDue')).toBe(1)
    expect(counts.get('findNextDue')).toBeUndefined()
  })

  it('saturated: a permit freed while it finds none is not missed', async () => {
    const { permits } = onePermit()
    const { executor, create, scheduler, started, value } = await open({ permits })
    await create('a')
    permits.reserve(1)
    executor.start()
    // The poll finds no permit; before it has said so, the permit is freed.
    scheduler.soon(() => {
      permits.release('other')
    })
    await scheduler.settle()
    expect([started(), value()]).toEqual([['a'], 'saturated'])
  })

  it('function: its own limit holds, others go on', async () => {
    const functions = [activityFunction({ concurrency: 1 }), activityFunction({ id: ship })]
    const { executor, create, scheduler, worker, started } = await open({ functions })
    for (const id of ['a', 'b']) await create(id)
    await create('s', { function: ship })
    executor.start()
    await scheduler.settle()
    expect([...started()].toSorted()).toEqual(['a', 's'])
    worker.of('a').end(okResult)
    await scheduler.settle()
    expect(started().at(-1)).toBe('b')
  })

  it('function: its permit freed before a poll looks is used by that poll', async () => {
    const functions = [activityFunction({ concurrency: 1 }), activityFunction({ id: ship })]
    const { executor, create, scheduler, worker, started, hold, counts } = await open({ functions })
    for (const id of ['a', 'b']) await create(id)
    executor.start()
    await scheduler.settle()
    const letGo = hold('lockDue')
    await create('s', { function: ship })
    worker.of('a').end(okResult)
    await scheduler.settle()
    const polls = counts.get('lockDue')
    letGo()
    await scheduler.settle()
    expect(started().toSorted()).toEqual(['a', 'b', 's'])
    expect(counts.get('lockDue')).toBe(polls)
  })

  it('function: its permit freed while a poll without it is under way is not missed', async () => {
    const functions = [activityFunction({ concurrency: 1 }), activityFunction({ id: ship })]
    const all = await open({ functions })
    const { executor, create, scheduler, worker, started, clock } = all
    for (const id of ['a', 'b']) await create(id)
    executor.start()
    await scheduler.settle()
    const letGo = all.holdAnswer('lockDue')
    await create('s', { function: ship })
    clock.advance(1)
    worker.of('a').end(okResult)
    await scheduler.settle()
    expect(started()).toEqual(['a'])
    letGo()
    await scheduler.settle()
    expect(started()).toEqual(['a', 's', 'b'])
  })

  it('fair: work of many functions is taken in order of due time', async () => {
    const functions = [activityFunction(), activityFunction({ id: ship })]
    const { executor, create, scheduler, started, clock, worker } = await open({
      functions,
      ...onePermit(),
    })
    for (const [id, at] of [
      ['a', 1],
      ['b', 3],
      ['c', 5],
    ] as const)
      await create(id, { scheduledAt: at })
    for (const [id, at] of [
      ['r', 2],
      ['s', 4],
    ] as const) {
      await create(id, { function: ship, scheduledAt: at })
    }
    clock.set(10)
    executor.start()
    for (let left = 5; left > 0; left -= 1) {
      await scheduler.settle()
      worker.runs.at(-1)?.end(okResult)
    }
    await scheduler.settle()
    expect(started()).toEqual(['a', 'r', 'b', 's', 'c'])
  })

  it('end: every way in which a run ends returns its permit', async () => {
    const permits = createPermits({ total: 4, perFunction: new Map() })
    const { executor, create, scheduler, worker, store, fail, done } = await open({ permits })
    for (const id of ['ok', 'cancelled', 'thrown', 'refused']) await create(id)
    executor.start()
    await scheduler.settle()
    expect(permits.free()).toBe(0)
    worker.of('ok').end(okResult)
    await done(store.cancel({ executionId: worker.of('cancelled').run.executionId, createdAt: 0 }))
    worker.of('thrown').fail(new TypeError('no'))
    await scheduler.settle()
    fail('append', new TypeError('bug'))
    worker.of('refused').end(okResult)
    await scheduler.settle()
    expect([permits.free(), executor.held()]).toEqual([4, 0])
  })

  it('poll: one that fails returns its permits', async () => {
    const permits = createPermits({ total: 4, perFunction: new Map() })
    const { executor, scheduler, fail } = await open({ permits })
    fail('lockDue', away)
    executor.start()
    await scheduler.advance(1000)
    expect(permits.free()).toBe(4)
  })
})

describe('executor: stragglers', () => {
  const part: ExecutorPart = {
    settings: { stragglersMax: 1 },
    functions: [activityFunction({ timeout: 100, retry: { maxRetries: 0, backoff: 1 } })],
  }

  it('stragglers: too many stop new work, and it is said; their end lets it go on', async () => {
    const worker = createOpenWorker(deafWorker)
    const { executor, create, scheduler, log, value } = await open({ ...part, worker })
    await create('a')
    executor.start()
    await scheduler.advance(100)
    await create('b')
    await scheduler.advance(1000)
    expect([worker.runs.length, value()]).toEqual([1, 'saturated'])
    expect(loud(log)).toEqual([expect.stringMatching(/^Too many handlers go on/)])
    worker.of('a').end(okResult)
    await scheduler.settle()
    expect(worker.runs.map(({ run }) => run.executionId)).toEqual(['a', 'b'])
  })
})

describe('executor: faults', () => {
  it('tick: an hour of a storage that is away makes two lines, and polls become rare', async () => {
    const { executor, scheduler, fail, log, counts } = await open()
    fail('lockDue', away)
    executor.start()
    await scheduler.advance(3_600_000)
    expect(counts.get('lockDue')).toBeLessThan(3_600_000 / 5000 + 10)
    fail('lockDue', undefined)
    await scheduler.advance(10_000)
    expect(loud(log)).toEqual([
      'Polling for activities failed: storage_unavailable',
      'Polling for activities works again',
    ])
  })

  it('tick: a poll that asked nobody does not say that the storage works again', async () => {
    const permits = createPermits({ total: 1, perFunction: new Map() })
    const { executor, scheduler, fail, log, value } = await open({ permits })
    fail('lockDue', away)
    executor.start()
    await scheduler.settle()
    // Another executor of the engine takes the last permit.
    permits.reserve(1)
    await scheduler.advance(10 * tickSleep)
    expect(value()).toBe('saturated')
    expect(loud(log)).toEqual(['Polling for activities failed: storage_unavailable'])
  })

  it('tick: after a fault work goes on', async () => {
    const { executor, create, scheduler, fail, started } = await open()
    await create('a')
    fail('lockDue', away)
    executor.start()
    await scheduler.settle()
    fail('lockDue', undefined)
    await scheduler.advance(2 * tickSleep)
    expect(started()).toEqual(['a'])
  })

  it('poison: a row that cannot be read is set aside, and the others run', async () => {
    const { executor, create, scheduler, started, driver, log, done } = await open()
    await create('bad')
    await create('good')
    const sql = 'UPDATE executions SET failures = 9223372036854775807 WHERE execution_id = $1'
    await done(executeSql({ driver }, sql, 'bad'))
    executor.start()
    await scheduler.settle()
    expect(started()).toEqual(['good'])
    expect(loud(log)).toEqual([expect.stringMatching(/^A row cannot be locked and was set aside/)])
    await scheduler.advance(10 * tickSleep)
    expect(loud(log)).toHaveLength(1)
  })
})

describe('executor: by hand', () => {
  it('poll: locks at the instant given, runs, and says how much', async () => {
    const surroundings = await openSurroundings()
    await surroundings.done(createActivity(surroundings.store, 'a'))
    const executor = executorIn(surroundings, { worker: createConstantWorker(okResult) })
    const { locked, granted, ended } = await surroundings.done(executor.poll(70))
    await surroundings.done(ended)
    expect([locked, granted]).toEqual([1, 100])
    expect(await typesAndTimes(surroundings, 'a')).toEqual(['created@0', 'locked@70', 'finished@0'])
  })

  it('poll: without a permit asks nobody', async () => {
    const surroundings = await openSurroundings()
    const permits = createPermits({ total: 1, perFunction: new Map() })
    const executor = executorIn(surroundings, { permits })
    permits.reserve(1)
    expect(await surroundings.done(executor.poll(0))).toMatchObject({ locked: 0, granted: 0 })
    expect(surroundings.total()).toBe(0)
  })

  it('poll: a fault is the caller’s to see', async () => {
    const surroundings = await openSurroundings()
    surroundings.fail('lockDue', away)
    const executor = executorIn(surroundings)
    await expect(surroundings.done(executor.poll(0))).rejects.toBe(away)
  })
})

describe('executor: close', () => {
  it('idle: closes at once, listens and polls no more', async () => {
    const { executor, create, scheduler, done, started, value, total } = await open()
    executor.start()
    await scheduler.settle()
    await done(executor.close(30_000))
    expect(value()).toBe('closed')
    const before = total()
    await create('a')
    await scheduler.advance(10_000)
    expect([started(), total()]).toEqual([[], before])
    expect(scheduler.dueTimes().length).toBeLessThanOrEqual(1)
  })

  it('never started: closes without touching the storage', async () => {
    const { executor, total, done } = await open()
    await done(executor.close(0))
    expect(total()).toBe(0)
  })

  it('drain: waits for what runs, takes nothing new, and writes the result', async () => {
    const open1 = await open()
    const { executor, create, scheduler, worker, started, value, clock } = open1
    await create('a')
    executor.start()
    await scheduler.settle()
    const closed = executor.close(30_000)
    await create('b')
    await scheduler.advance(500)
    expect([started(), value()]).toEqual([['a'], { closing: 'draining' }])
    expect(worker.of('a').told).toEqual([])
    worker.of('a').end(okResult)
    await scheduler.settle()
    await closed
    expect((await typesAndTimes(open1, 'a')).at(-1)).toBe('finished@500')
    expect(clock.now()).toBe(500)
  })

  it('timeout: tells runs to stop, and a second later gives the locks back, uncounted', async () => {
    const functions = [activityFunction({ timeout: 60_000, lockExpiry: 30_000 })]
    const open1 = await open({ functions })
    const { executor, create, scheduler, worker, store } = open1
    await create('a')
    executor.start()
    await scheduler.settle()
    const closed = executor.close(2000)
    await scheduler.advance(2000)
    expect(worker.of('a').told).toEqual(['stopping'])
    await scheduler.advance(stopGrace)
    await closed
    expect(worker.of('a').told).toEqual(['stopping', 'released'])
    const events = await eventsOf(store, 'a')
    expect(events.at(-1)).toMatchObject({
      createdAt: 2000 + stopGrace,
      event: { type: 'unlocked', dueAt: 2000 + stopGrace, reason: 'executor closing' },
    })
    expect(await store.findState(worker.of('a').run.executionId)).toMatchObject({
      status: 'pending_at',
      failures: 0,
    })
  })

  it('in flight: what a poll locked while closing is given back, and never run', async () => {
    const open1 = await open()
    const { executor, create, scheduler, started, hold, done, value } = open1
    await create('a')
    const letGo = hold('lockDue')
    executor.start()
    await scheduler.settle()
    const closed = executor.close(30_000)
    await scheduler.settle()
    expect(value()).toEqual({ closing: 'draining' })
    letGo()
    await done(closed)
    expect(started()).toEqual([])
    expect(await typesAndTimes(open1, 'a')).toEqual(['created@0', 'locked@0', 'unlocked@0'])
  })

  it('twice: is once', async () => {
    const { executor, done } = await open()
    executor.start()
    expect(executor.close(0)).toBe(executor.close(10))
    await done(executor.close(0))
  })

  it('last words: what functions logged is written, and the executor is recorded as stopped', async () => {
    const { executor, create, scheduler, worker, store, done } = await open()
    await create('a')
    executor.start()
    await scheduler.settle()
    const { run, end } = worker.of('a')
    run.log('info', 'bye')
    end(okResult)
    await done(executor.close(1000))
    const { executionId } = run
    const lines = await store.listRunLogs({ executionId, after: 0, limit: 10 })
    expect(lines.map(({ message }) => message)).toEqual(['bye'])
    expect(await store.listExecutors(10)).toMatchObject([{ stoppedAt: 0 }])
  })

  it('permits: a closed executor hears of none', async () => {
    const permits = createPermits({ total: 1, perFunction: new Map() })
    const surroundings = await openSurroundings()
    const executor = executorIn(surroundings, { permits })
    executor.start()
    await surroundings.done(executor.close(0))
    permits.reserve(1)
    permits.release('charge')
    await surroundings.scheduler.settle()
    expect(executor.actor.getSnapshot()).toMatchObject({ status: 'done', value: 'closed' })
  })
})

describe('createExecutor', () => {
  it('new: each executor has an id of its own and does nothing', async () => {
    const surroundings = await openSurroundings()
    const one = executorIn(surroundings)
    const other = executorIn(surroundings)
    await surroundings.scheduler.advance(1000)
    expect(one.executorId).not.toBe(other.executorId)
    expect([surroundings.total(), typeof createExecutor]).toEqual([0, 'function'])
  })
})
