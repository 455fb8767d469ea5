/** One look for all who wait: at commits of others, once a second, and never more than it has to. */

import { describe, expect, it } from 'vitest'
import { createLookout, looksPerTurn, resultPollInterval } from '../../../src/client/lookout.ts'
import type { ExecutionState } from '../../../src/model/state.ts'
import { createNotifications, foreignPollInterval } from '../../../src/storage/notifications.ts'
import type { Storage } from '../../../src/storage/storage.ts'
import { executionId } from '../../support/storage/ids.ts'
import { createTestClock, createTestScheduler } from '../../support/test-time.ts'

/** A lookout over a storage that knows every id but `unknown`, and counts who asks. */
function openLookout() {
  const scheduler = createTestScheduler(createTestClock())
  let isForeign = false
  let fault: Error | undefined
  const hasForeignChanges = (): boolean => isForeign
  const notifications = createNotifications({ scheduler, hasForeignChanges })
  const looks: number[] = []
  const findStates: Storage['findStates'] = (ids) => {
    looks.push(ids.length)
    if (fault !== undefined) return Promise.reject(fault)
    const known = ids.filter((id) => id !== 'unknown')
    return Promise.resolve(
      known.map((id) => ({ executionId: id, status: 'blocked' }) as unknown as ExecutionState),
    )
  }
  const lookout = createLookout({ storage: { findStates, notifications }, scheduler })
  const seen: (string | undefined)[] = []
  const watch = (id: string) =>
    lookout.watch(executionId(id), (state) => seen.push(state?.executionId))
  return {
    scheduler,
    notifications,
    looks,
    seen,
    watch,
    watchMany: (count: number) => Array.from({ length: count }, (_, index) => watch(`e-${index}`)),
    setForeign: (is: boolean) => {
      isForeign = is
    },
    setFault: (error: Error | undefined) => {
      fault = error
    },
  }
}

describe('without commits of others', () => {
  it('poll: one look a second for all, and each is told of its own', async () => {
    const { watch, scheduler, looks, seen } = openLookout()
    for (const id of ['a', 'b', 'a']) watch(id)
    await scheduler.advance(2 * resultPollInterval)
    expect(looks).toEqual([2, 2])
    expect(seen).toEqual(['a', 'b', 'a', 'a', 'b', 'a'])
  })

  it('missing: who is not found, or meets a fault, has to look itself', async () => {
    const { watch, scheduler, seen, setFault } = openLookout()
    for (const id of ['a', 'unknown']) watch(id)
    await scheduler.advance(resultPollInterval)
    expect(seen).toEqual(['a', undefined])
    setFault(new Error('disk'))
    await scheduler.advance(resultPollInterval)
    expect(seen.slice(2)).toEqual([undefined, undefined])
  })

  it('many: looked at in parts, between which others get their turn', async () => {
    const { watchMany, scheduler, looks, seen } = openLookout()
    watchMany(2 * looksPerTurn + 1)
    await scheduler.advance(resultPollInterval)
    expect(looks).toEqual([looksPerTurn, looksPerTurn, 1])
    expect(seen).toHaveLength(2 * looksPerTurn + 1)
  })

  it('rest: when nobody waits, nothing is looked at and no timer is left', async () => {
    const { watchMany, scheduler, notifications, looks } = openLookout()
    for (const cancel of watchMany(3)) cancel()
    await scheduler.advance(5 * resultPollInterval)
    notifications.close()
    expect(looks).toEqual([])
    expect(scheduler.dueTimes()).toEqual([])
  })
})

describe('with commits of others', () => {
  it('few: a look at each', async () => {
    const { watchMany, scheduler, looks, setForeign } = openLookout()
    watchMany(2)
    setForeign(true)
    await scheduler.advance(10 * foreignPollInterval)
    expect(looks).toHaveLength(10)
  })

  it('many: the more there are, the rarer the looks', async () => {
    const { watchMany, scheduler, looks, setForeign } = openLookout()
    watchMany(1_000)
    setForeign(true)
    await scheduler.advance(1_000)
    const rounds = looks.length / Math.ceil(1_000 / looksPerTurn)
    expect(rounds).toBeGreaterThanOrEqual(7)
    expect(rounds).toBeLessThanOrEqual(10)
  })
})
