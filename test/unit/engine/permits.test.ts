/** Permits are counted: never more than there are, never fewer than none. */

import { describe, expect, it } from 'vitest'
import { SteleError } from '../../../src/base/error.ts'
import { createPermits, type Permits } from '../../../src/engine/permits.ts'
import { createActivity, createWorkflow } from '../../support/storage/steps.ts'
import { createOpenWorker, executorIn, okResult, tickSleep, workflowFunction } from './builders.ts'
import { openSurroundings } from './surroundings.ts'

describe('permits', () => {
  it('reserve: gives what is wanted, as long as there is some', () => {
    const permits = createPermits({ total: 3, perFunction: new Map() })
    expect(permits.reserve(2)).toBe(2)
    expect(permits.reserve(2)).toBe(1)
    expect(permits.reserve(2)).toBe(0)
    expect(permits.free()).toBe(0)
  })

  it('reserve: a wish for none, or for less, takes nothing', () => {
    const permits = createPermits({ total: 3, perFunction: new Map() })
    expect([permits.reserve(0), permits.reserve(-1), permits.free()]).toEqual([0, 0, 3])
  })

  it('freeFor: a function without a limit of its own is never short', () => {
    const permits = createPermits({ total: 1, perFunction: new Map() })
    permits.reserve(1)
    permits.use('charge')
    expect(permits.freeFor('charge')).toBe(Number.POSITIVE_INFINITY)
  })

  it('freeFor: what runs counts against the limit of its function alone', () => {
    const limits = new Map([
      ['charge', 2],
      ['ship', 1],
    ])
    const permits = createPermits({ total: 9, perFunction: limits })
    permits.reserve(2)
    permits.use('charge')
    permits.use('charge')
    expect([permits.freeFor('charge'), permits.freeFor('ship')]).toEqual([0, 1])
    permits.release('charge')
    expect([permits.freeFor('charge'), permits.free()]).toEqual([1, 8])
  })

  it('giveBack: what was not used is free again, without a word while some were left', () => {
    const permits = createPermits({ total: 3, perFunction: new Map() })
    const heard: boolean[] = []
    permits.onFreed((wasExhausted) => heard.push(wasExhausted))
    permits.reserve(2)
    permits.giveBack(2)
    expect([permits.free(), heard]).toEqual([3, []])
  })

  it('giveBack: who found none while all were reserved is told, once they are free', () => {
    const permits = createPermits({ total: 3, perFunction: new Map() })
    const seen: (readonly [boolean, number])[] = []
    permits.onFreed((wasExhausted) => seen.push([wasExhausted, permits.free()]))
    permits.reserve(3)
    expect(permits.reserve(3)).toBe(0)
    permits.giveBack(2)
    permits.giveBack(1)
    expect(seen).toEqual([[false, 2]])
  })

  it('giveBack: of none frees none, so nobody is told', () => {
    const permits = createPermits({ total: 1, perFunction: new Map() })
    const heard: boolean[] = []
    permits.onFreed((wasExhausted) => heard.push(wasExhausted))
    permits.reserve(1)
    permits.giveBack(0)
    expect(heard).toEqual([])
  })

  it('onFreed: tells of each release, and whether its function was at its limit', () => {
    const permits = createPermits({ total: 3, perFunction: new Map([['charge', 2]]) })
    const heard: boolean[] = []
    const unlisten = permits.onFreed((wasExhausted) => heard.push(wasExhausted))
    permits.reserve(3)
    permits.use('charge')
    permits.use('charge')
    permits.use('ship')
    permits.release('ship')
    permits.release('charge')
    permits.release('charge')
    expect(heard).toEqual([false, true, false])
    unlisten()
    permits.reserve(1)
    permits.use('ship')
    permits.release('ship')
    expect(heard.length).toBe(3)
  })

  it('onFreed: a permit is free before anybody hears of it', () => {
    const permits = createPermits({ total: 1, perFunction: new Map([['charge', 1]]) })
    const seen: (readonly [number, number])[] = []
    permits.onFreed(() => seen.push([permits.free(), permits.freeFor('charge')]))
    permits.reserve(1)
    permits.use('charge')
    permits.release('charge')
    expect(seen).toEqual([[1, 1]])
  })

  it('twice: a permit given back twice is a bug, and is said', () => {
    const permits = createPermits({ total: 1, perFunction: new Map() })
    expect(() => {
      permits.giveBack(1)
    }).toThrow(/no permit is given back twice/)
    const others = createPermits({ total: 1, perFunction: new Map() })
    expect(() => {
      others.release('charge')
    }).toThrow(/no permit is given back twice/)
  })
})

const away = new SteleError('storage_unavailable', 'away')

/** Two executors in one engine: of activities, and of workflows. */
async function openTwo(permits: Permits) {
  const surroundings = await openSurroundings()
  const worker = createOpenWorker()
  const activities = executorIn(surroundings, { worker, permits })
  const functions = [workflowFunction()]
  const workflows = executorIn(surroundings, { worker, permits, kind: 'workflows', functions })
  const started = (): readonly string[] => worker.runs.map(({ run }) => run.executionId)
  return { ...surroundings, worker, activities, workflows, started }
}

describe('executors: one stock of permits', () => {
  it('poll: who found none because the other’s poll held all of them looks again', async () => {
    const permits = createPermits({ total: 10, perFunction: new Map() })
    const { activities, workflows, store, done, scheduler, hold, started, clock } =
      await openTwo(permits)
    await done(createWorkflow(store, 'w'))
    const letGo = hold('lockDue')
    activities.start()
    await scheduler.settle()
    expect(permits.free()).toBe(0)
    workflows.start()
    await scheduler.settle()
    expect(workflows.actor.getSnapshot()).toMatchObject({ value: 'saturated' })
    letGo()
    await scheduler.settle()
    expect([started(), clock.now()]).toEqual([['w'], 0])
  })

  it('poll: the same when the other’s poll fails', async () => {
    const permits = createPermits({ total: 10, perFunction: new Map() })
    const { activities, workflows, store, done, scheduler, hold, fail, started } =
      await openTwo(permits)
    await done(createWorkflow(store, 'w'))
    const letGo = hold('lockDue')
    fail('lockDue', away)
    activities.start()
    await scheduler.settle()
    workflows.start()
    await scheduler.settle()
    letGo()
    // The failing poll gives its permits back; what comes after it reaches the storage again.
    await scheduler.settle()
    fail('lockDue', undefined)
    await scheduler.advance(10 * tickSleep)
    expect(started()).toEqual(['w'])
  })

  it('run: one that ends lets the other go on', async () => {
    const permits = createPermits({ total: 1, perFunction: new Map() })
    const { activities, workflows, store, done, scheduler, worker, started, clock } =
      await openTwo(permits)
    await done(createActivity(store, 'a'))
    activities.start()
    await scheduler.settle()
    await done(createWorkflow(store, 'w'))
    workflows.start()
    await scheduler.settle()
    expect(started()).toEqual(['a'])
    worker.of('a').end(okResult)
    await scheduler.settle()
    expect([started(), clock.now()]).toEqual([['a', 'w'], 0])
  })

  it('idle: two that have nothing to do do not keep waking each other', async () => {
    const permits = createPermits({ total: 1, perFunction: new Map() })
    const { activities, workflows, scheduler, counts } = await openTwo(permits)
    activities.start()
    workflows.start()
    await scheduler.advance(10_000)
    // A poll each 100 ms of each of them, and now and then one more that found none before.
    expect(counts.get('lockDue')).toBeLessThanOrEqual(2 * 2 * 101)
  })
})
