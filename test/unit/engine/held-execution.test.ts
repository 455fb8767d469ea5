/** One held lock: its version, its renewals, its result, and everything that can come between. */

import { describe, expect, it } from 'vitest'
import { isSteleError, SteleError } from '../../../src/base/error.ts'
import { firstLockLength } from '../../../src/engine/lock-times.ts'
import type { WorkerResult } from '../../../src/engine/worker.ts'
import { finishedEvent, unlockedEvent } from '../../support/storage/events.ts'
import { executionId } from '../../support/storage/ids.ts'
import { append } from '../../support/storage/steps.ts'
import {
  activityFunction,
  createOpenWorker,
  deafWorker,
  lockExpiry,
  okResult,
  timeout,
  workflowFunction,
} from './builders.ts'
import { attendFor, openHeld } from './held.ts'
import { loud } from './surroundings.ts'

const a = executionId('a')
const away = new SteleError('storage_unavailable', 'away')
const third = lockExpiry / 3

function codeOf(error: unknown): string {
  return isSteleError(error) ? error.code : String(error)
}

describe('held: the run', () => {
  it('run: the worker is given what the lock says', async () => {
    const { held, worker, lock } = await openHeld()
    void held.run()
    const { run } = worker.of('a')
    expect(run).toMatchObject({
      executionId: a,
      created: lock.created,
      state: lock.state,
      attempt: 1,
      deadline: timeout,
      canRetry: true,
    })
    expect(run.abortReason()).toBeUndefined()
    expect(held.known()).toBe(lock.state)
  })

  it('run: the last attempt is told that it is the last', async () => {
    const { held, worker } = await openHeld({ settings: { retry: { maxRetries: 0, backoff: 1 } } })
    void held.run()
    expect(worker.of('a').run.canRetry).toBe(false)
  })

  const ends: readonly (readonly [string, WorkerResult, string])[] = [
    ['finished', okResult, 'finished'],
    ['temporarily_failed', { type: 'activity_trap', reason: 'no' }, 'retrying'],
    ['temporarily_timed_out', { type: 'temporary_timeout' }, 'retrying'],
    ['unlocked', { type: 'limit_reached', reason: 'too much' }, 'unlocked'],
  ]

  it.each(ends)('settle: %s is written at the end of the run', async (type, result, value) => {
    const { held, worker, clock, done, written, value: present } = await openHeld()
    const run = held.run()
    expect(present()).toBe('running')
    clock.set(40)
    worker.of('a').end(result)
    await done(run)
    expect(await written()).toEqual([[type, 40]])
    expect(present()).toBe(value)
  })

  it('settle: already_written writes nothing, and the run is parked', async () => {
    const { held, worker, done, written, value, counts } = await openHeld()
    const run = held.run()
    worker.of('a').end({ type: 'already_written' })
    await done(run)
    expect([await written(), value()]).toEqual([[], 'parked'])
    expect(counts.get('append')).toBeUndefined()
  })

  it('fault: what an activity’s worker throws is a trap', async () => {
    const { held, worker, done, store } = await openHeld()
    const run = held.run()
    worker.of('a').fail(new TypeError('broken'))
    await done(run)
    const [event] = await store.listEvents({ executionId: a, from: 2, limit: 1 })
    expect(event?.event).toMatchObject({
      type: 'temporarily_failed',
      reason: 'activity trap: broken',
    })
  })

  it.each([
    ['text', 'the worker failed'],
    [new TypeError('broken'), 'broken'],
  ])(
    'fault: what a workflow’s worker throws is ours: uncounted, tried again later',
    async (...row) => {
      const [thrown, reason] = row
      const settings = workflowFunction()
      const { held, worker, done, store } = await openHeld({ settings })
      const run = held.run()
      worker.of('a').fail(thrown)
      await done(run)
      const [event] = await store.listEvents({ executionId: a, from: 2, limit: 1 })
      const dueAt = settings.retry.backoff
      expect(event?.event).toEqual({ type: 'unlocked', dueAt, reason })
      expect(await store.findState(a)).toMatchObject({ status: 'pending_at', failures: 0 })
    },
  )

  it('needs_attention: the lock is given back and the execution paused, in one write', async () => {
    const { held, worker, done, store, written, value, counts } = await openHeld()
    const run = held.run()
    worker.of('a').end({ type: 'needs_attention', reason: 'look' })
    await done(run)
    expect([await written(), value()]).toEqual([
      [
        ['unlocked', 0],
        ['paused', 0],
      ],
      'paused',
    ])
    expect(counts.get('append')).toBe(1)
    expect(await store.findState(a)).toMatchObject({ status: 'pending_at', paused: true })
  })

  it('upgrade_failed: what was tried is written, and the lock given back', async () => {
    const { held, worker, done, store, written, value, context } = await openHeld()
    const run = held.run()
    const { deploymentId } = context
    const tried = { functionVersion: '2', deploymentId, reason: 'another step' }
    worker.of('a').end({ type: 'upgrade_failed', ...tried })
    await done(run)
    expect([await written(), value()]).toEqual([
      [
        ['upgrade_finished', 0],
        ['unlocked', 0],
      ],
      'unlocked',
    ])
    expect(await store.findState(a)).toMatchObject({
      status: 'pending_at',
      incompatibleVersion: '2',
      function: { version: '1' },
    })
  })

  it('isClosing: says what the executor says', async () => {
    let closing = false
    const { held, worker } = await openHeld({ options: { isClosing: () => closing } })
    void held.run()
    const { run } = worker.of('a')
    expect(run.isClosing()).toBe(false)
    closing = true
    expect(run.isClosing()).toBe(true)
  })

  it('release: gives the lock back, uncounted, without a run', async () => {
    const { held, worker, done, store, value } = await openHeld()
    await done(held.release())
    expect(worker.runs).toEqual([])
    expect(value()).toBe('unlocked')
    const [event] = await store.listEvents({ executionId: a, from: 2, limit: 1 })
    expect(event?.event).toEqual(unlockedEvent(0))
    expect(await store.findState(a)).toMatchObject({ status: 'pending_at', failures: 0 })
  })

  it('log: keeps lines with the run, up to its limit', async () => {
    const { held, worker, scheduler, store, lock } = await openHeld()
    void held.run()
    const { run } = worker.of('a')
    run.log('info', 'first', { n: 1 })
    for (const message of ['second', 'third', 'fourth']) run.log('warn', message)
    await scheduler.advance(1000)
    const lines = await store.listRunLogs({ executionId: a, after: 0, limit: 10 })
    expect(lines.map(({ message }) => message)).toEqual(['first', 'second', 'third'])
    expect(lines[0]).toMatchObject({ runId: lock.state.lastOwner.runId, fields: { n: 1 } })
  })
})

describe('held: renewal', () => {
  it('attend: renews at a third of the lock, again and again, until the timeout', async () => {
    const open = await openHeld()
    void open.held.run()
    await attendFor(open, timeout - 1)
    const renewals = [1, 2, 3, 4, 5, 6, 7].map((n) => ['locked', n * third])
    expect(await open.written()).toEqual(renewals)
    expect(open.held.known()).toMatchObject({ version: 8, lockExpiresAt: timeout })
    expect(open.value()).toBe('running')
  })

  it('attend: no lock lasts beyond the timeout', async () => {
    const open = await openHeld({ settings: { lockExpiry: 270 } })
    void open.held.run()
    await attendFor(open, timeout - 1)
    expect((await open.written()).at(-1)).toEqual(['locked', 810])
    expect(open.held.known()).toMatchObject({ lockExpiresAt: timeout })
  })

  it('attend: at the deadline the attempt has timed out, and its late result is refused', async () => {
    const open = await openHeld({ worker: createOpenWorker() })
    const { held, worker, store } = open
    const run = held.run()
    await attendFor(open, timeout)
    await open.done(run)
    expect(worker.of('a').told).toEqual(['timed_out'])
    expect((await open.written()).at(-1)).toEqual(['temporarily_timed_out', timeout])
    worker.of('a').end(okResult)
    await open.scheduler.settle()
    expect(await store.findState(a)).toMatchObject({ status: 'pending_at', failures: 1 })
  })

  it('attend: a lock that lasts as long as the attempt is not renewed', async () => {
    const open = await openHeld({ settings: { lockExpiry: 5000 } })
    void open.held.run()
    expect(firstLockLength(activityFunction({ lockExpiry: 5000 }))).toBe(timeout)
    expect(open.held.attend(0)).toBe(timeout)
    await attendFor(open, timeout - 1)
    expect(await open.written()).toEqual([])
  })

  it('attend: a renewal that fails is tried again before the lock ends', async () => {
    const open = await openHeld()
    void open.held.run()
    open.fail('append', away)
    await attendFor(open, third)
    open.fail('append', undefined)
    await open.scheduler.advance(third)
    open.held.attend(2 * third)
    expect(await open.written()).toEqual([['locked', 2 * third]])
    expect(loud(open.log)).toEqual(['Results failed: storage_unavailable'])
  })

  it('heartbeat: before it is due asks nobody', async () => {
    const { held, worker, clock, done, written, counts } = await openHeld()
    void held.run()
    clock.set(third - 1)
    await done(worker.of('a').run.heartbeat())
    expect(await written()).toEqual([])
    expect(counts.get('append')).toBeUndefined()
  })

  it('heartbeat: many at once are one renewal', async () => {
    const { held, worker, clock, done, written } = await openHeld()
    void held.run()
    clock.set(third)
    const { run } = worker.of('a')
    await done(Promise.all([run.heartbeat(), run.heartbeat(), run.heartbeat()]))
    await done(run.heartbeat())
    expect(await written()).toEqual([['locked', third]])
  })

  it('heartbeat: a fault of the storage is told to who asked, and the lock is not lost', async () => {
    const { held, worker, clock, done, fail } = await openHeld()
    void held.run()
    clock.set(third)
    fail('append', away)
    expect(codeOf(await done(worker.of('a').run.heartbeat().catch(codeOf)))).toBe(
      'storage_unavailable',
    )
    expect(worker.of('a').run.abortReason()).toBeUndefined()
  })

  it('order: the result takes the version after a renewal that is on its way', async () => {
    const { held, worker, clock, done, written, hold, scheduler, value } = await openHeld()
    const run = held.run()
    clock.set(third)
    const letGo = hold('append')
    const beat = worker.of('a').run.heartbeat()
    worker.of('a').end(okResult)
    await scheduler.settle()
    expect(value()).toBe('settling')
    letGo()
    await done(Promise.all([run, beat]))
    expect(await written()).toEqual([
      ['locked', third],
      ['finished', third],
    ])
    expect(value()).toBe('finished')
  })
})

describe('held: others', () => {
  it('cancel: the run is told at once, and writes nothing more', async () => {
    const { held, worker, done, store, value, written } = await openHeld()
    const run = held.run()
    await done(store.cancel({ executionId: a, createdAt: 20 }))
    await done(run)
    expect(worker.of('a').told).toEqual(['cancelled'])
    expect(value()).toBe('superseded')
    expect(await written()).toEqual([['finished', 20]])
  })

  it('cancel: that of a workflow is told although its log goes on', async () => {
    const { held, worker, done, store, value } = await openHeld({ settings: workflowFunction() })
    const run = held.run()
    await done(store.cancel({ executionId: a, createdAt: 20 }))
    await done(run)
    expect([worker.of('a').told, value()]).toEqual([['cancelled'], 'superseded'])
  })

  it('cancel: committed together with a renewal, it is told all the same', async () => {
    const { held, worker, clock, done, store } = await openHeld()
    void held.run()
    clock.set(third)
    const beat = worker.of('a').run.heartbeat()
    const cancel = store.cancel({ executionId: a, createdAt: third })
    await done(Promise.all([beat.catch(codeOf), cancel]))
    expect(worker.of('a').told).toEqual(['cancelled'])
  })

  it('foreign write: the heartbeat says that the lock is lost', async () => {
    const { held, worker, clock, done, store, value } = await openHeld({ deaf: true })
    void held.run()
    const event = { type: 'temporarily_timed_out', backoffExpiresAt: 50 } as const
    await done(append(store, ['a', 2], [event]))
    clock.set(third)
    const { run } = worker.of('a')
    const lost = await done(run.heartbeat().catch(codeOf))
    expect([lost, value()]).toEqual(['lock_lost', 'superseded'])
    expect(worker.of('a').told).toEqual(['superseded'])
    expect(await done(run.heartbeat().catch(codeOf))).toBe('lock_lost')
  })

  it('foreign write: a cancellation is told as one, even by the answer to a renewal', async () => {
    const open = await openHeld({ deaf: true, settings: workflowFunction() })
    void open.held.run()
    await open.done(open.store.cancel({ executionId: a, createdAt: 10 }))
    open.clock.set(third)
    await open.done(open.worker.of('a').run.heartbeat().catch(codeOf))
    expect(open.worker.of('a').told).toHaveLength(1)
    expect(open.value()).toBe('superseded')
  })

  it('foreign write: the result is refused and nothing is written', async () => {
    const { held, worker, done, store, value, written } = await openHeld({ deaf: true })
    const run = held.run()
    await done(append(store, ['a', 2], [unlockedEvent(500)]))
    worker.of('a').end(okResult)
    await done(run)
    expect([await written(), value()]).toEqual([[['unlocked', 10]], 'superseded'])
  })

  it('notice: of what the holder knows, or of older, says nothing', async () => {
    const { held, worker, lock, value } = await openHeld()
    void held.run()
    held.notice(lock.state)
    held.notice({ ...lock.state, version: 0 })
    expect([worker.of('a').told, value()]).toEqual([[], 'running'])
  })

  it('abort: the last word stands, and a lost run is told nothing more', async () => {
    const { held, worker } = await openHeld({ worker: createOpenWorker(deafWorker) })
    void held.run()
    held.abort('timed_out')
    held.abort('stopping')
    held.abort('released')
    held.abort('cancelled')
    expect(worker.of('a').told).toEqual(['timed_out', 'stopping', 'released'])
    expect(worker.of('a').run.abortReason()).toBe('released')
  })

  it('abort: a worker that throws at it harms nobody', async () => {
    const { held, worker, done, written } = await openHeld({ worker: createOpenWorker(deafWorker) })
    const run = held.run()
    worker.of('a').run.onAbort(() => {
      throw new TypeError('broken')
    })
    held.abort('stopping')
    worker.of('a').end(okResult)
    await done(run)
    expect(await written()).toEqual([['finished', 0]])
  })

  it('abort: a listener that comes late is told what it missed', async () => {
    const { held, worker } = await openHeld({ worker: createOpenWorker(deafWorker) })
    void held.run()
    held.abort('stopping')
    const told: string[] = []
    worker.of('a').run.onAbort((reason) => told.push(reason))
    expect(told).toEqual(['stopping'])
  })
})

describe('held: faults while settling', () => {
  it('passing: the result is offered again, later and later, and written once', async () => {
    const { held, worker, scheduler, fail, value, written, log, counts } = await openHeld()
    const run = held.run()
    fail('append', away)
    worker.of('a').end(okResult)
    await scheduler.advance(10_000)
    expect(value()).toBe('settling')
    expect(counts.get('append')).toBeLessThan(15)
    fail('append', undefined)
    await scheduler.advance(2000)
    await run
    expect(await written()).toEqual([['finished', 0]])
    expect(value()).toBe('finished')
    expect(loud(log)).toEqual(['Results failed: storage_unavailable', 'Results works again'])
  })

  it('passing: a renewal in between moves the version, and the result goes after it', async () => {
    const { held, worker, scheduler, fail, hold, value, written, clock } = await openHeld()
    const run = held.run()
    fail('append', away)
    worker.of('a').end(okResult)
    await scheduler.settle()
    fail('append', undefined)
    const letGo = hold('append')
    clock.set(third)
    held.attend(third)
    await scheduler.advance(1000)
    letGo()
    await scheduler.advance(5000)
    await run
    expect(await written()).toEqual([
      ['locked', third],
      ['finished', 0],
    ])
    expect(value()).toBe('finished')
  })

  it('passing: meanwhile somebody else may win, and then nothing more is written', async () => {
    const { held, worker, scheduler, fail, value, written, store, done } = await openHeld()
    const run = held.run()
    fail('append', away)
    worker.of('a').end(okResult)
    await scheduler.settle()
    await done(append(store, ['a', 2], [unlockedEvent(500)]))
    fail('append', undefined)
    await scheduler.advance(2000)
    await run
    expect([await written(), value()]).toEqual([[['unlocked', 10]], 'superseded'])
  })

  it.each([new SteleError('internal', 'bug'), new TypeError('bug')])(
    'lasting: %s is not repeated; the watcher will free the lock',
    async (error) => {
      const { held, worker, fail, value, done, written, counts } = await openHeld()
      const run = held.run()
      fail('append', error)
      worker.of('a').end(okResult)
      await done(run)
      expect([counts.get('append'), value()]).toEqual([1, 'superseded'])
      expect(await written()).toEqual([])
    },
  )

  it('stop: once the moment has passed nothing is offered any more', async () => {
    const { held, worker, scheduler, fail, value } = await openHeld()
    const run = held.run()
    fail('append', away)
    worker.of('a').end(okResult)
    await scheduler.settle()
    held.abort('released')
    await scheduler.advance(2000)
    await run
    expect(value()).toBe('superseded')
  })

  it('commit: the actor enters its last state only when the result is committed', async () => {
    const { held, worker, scheduler, hold, value, done, written } = await openHeld()
    const run = held.run()
    const letGo = hold('append')
    worker.of('a').end(okResult)
    await scheduler.advance(5000)
    expect([await written(), value()]).toEqual([[], 'settling'])
    letGo()
    await done(run)
    expect(await written()).toEqual([['finished', 0]])
    expect(value()).toBe('finished')
  })

  it('finished: who holds no more listens no more', async () => {
    const { held, worker, done, store, value } = await openHeld()
    const run = held.run()
    worker.of('a').end({ type: 'activity_trap', reason: 'no' })
    await done(run)
    await done(append(store, ['a', 3], [finishedEvent()]))
    expect([worker.of('a').told, value()]).toEqual([[], 'retrying'])
  })
})
