/** An executor wakes by notice, by due time, and by the slow poll; never in vain, never too late. */

import { describe, expect, it } from 'vitest'
import { SteleError } from '../../../src/base/error.ts'
import { createWakeUp } from '../../../src/engine/wake-up.ts'
import { charge } from '../../support/storage/events.ts'
import { activityTarget } from '../../support/storage/requests.ts'
import { createActivity } from '../../support/storage/steps.ts'
import { activityFunction, tickSleep } from './builders.ts'
import { openSurroundings, type SurroundingsOptions } from './surroundings.ts'

async function open(options: SurroundingsOptions = {}) {
  const surroundings = await openSurroundings(options)
  const { context, clock } = surroundings
  const wakes: number[] = []
  const wakeUp = createWakeUp({
    context,
    tickSleep,
    targets: () => [activityTarget()],
    onWake: () => wakes.push(clock.now()),
  })
  wakeUp.listen([activityFunction()])
  const notify = (dueAt: number): void => {
    const notice = { topic: 'pending', kind: 'activity', name: charge.name, dueAt } as const
    context.storage.notifications.publish([notice])
  }
  return { ...surroundings, wakeUp, wakes, notify }
}

describe('wake-up: the slow poll', () => {
  it('pause: wakes once, when the pause is over', async () => {
    const { wakeUp, wakes, scheduler } = await open()
    wakeUp.wait(tickSleep)
    await scheduler.advance(10 * tickSleep)
    expect(wakes).toEqual([tickSleep])
  })

  it('pause: of a storage that fails is kept, and the storage is left alone', async () => {
    const { wakeUp, wakes, scheduler, counts } = await open()
    wakeUp.wait(5 * tickSleep)
    await scheduler.advance(10 * tickSleep)
    expect(wakes).toEqual([5 * tickSleep])
    expect(counts.get('findNextDue')).toBeUndefined()
  })

  it('look ahead: a fault is left to the next poll', async () => {
    const { wakeUp, wakes, scheduler, fail, log } = await open()
    fail('findNextDue', new SteleError('storage_unavailable', 'away'))
    wakeUp.wait(tickSleep)
    await scheduler.advance(tickSleep)
    expect(wakes).toEqual([tickSleep])
    expect(log).toEqual([])
  })
})

describe('wake-up: due times', () => {
  it('ahead: what is stored and due before the slow poll wakes at its due time', async () => {
    const { wakeUp, wakes, scheduler, store, done } = await open({ deaf: true })
    await done(createActivity(store, 'a', { scheduledAt: 30 }))
    wakeUp.beginPoll()
    wakeUp.wait(tickSleep)
    await scheduler.advance(tickSleep)
    expect(wakes).toEqual([30])
  })

  it('ahead: what became due during the poll wakes at once', async () => {
    const { wakeUp, wakes, scheduler, store, clock, done } = await open({ deaf: true })
    wakeUp.beginPoll()
    clock.advance(10)
    await done(createActivity(store, 'a', { scheduledAt: 5 }))
    wakeUp.wait(tickSleep)
    await scheduler.advance(0)
    expect(wakes).toEqual([10])
  })

  it('ahead: what was due before the poll and is still there is not hurried after', async () => {
    const { wakeUp, wakes, scheduler, store, clock, done } = await open({ deaf: true })
    await done(createActivity(store, 'a', { scheduledAt: 5 }))
    clock.set(50)
    wakeUp.beginPoll()
    wakeUp.wait(tickSleep)
    await scheduler.advance(2 * tickSleep)
    expect(wakes).toEqual([50 + tickSleep])
  })
})

describe('wake-up: notices', () => {
  it('notice: while waiting wakes at once, and once', async () => {
    const { wakeUp, wakes, scheduler, clock, notify } = await open()
    wakeUp.wait(tickSleep)
    await scheduler.advance(20)
    notify(0)
    notify(0)
    expect([wakes, clock.now()]).toEqual([[20], 20])
    await scheduler.advance(10 * tickSleep)
    expect(wakes).toEqual([20])
  })

  it('notice: of the future wakes at its due time', async () => {
    const { wakeUp, wakes, scheduler, notify } = await open()
    wakeUp.wait(tickSleep)
    notify(70)
    notify(40)
    notify(60)
    await scheduler.advance(2 * tickSleep)
    expect(wakes).toEqual([40])
  })

  it('notice: of later than the slow poll does not delay it', async () => {
    const { wakeUp, wakes, scheduler, notify } = await open()
    wakeUp.wait(tickSleep)
    notify(5 * tickSleep)
    await scheduler.advance(tickSleep)
    expect(wakes).toEqual([tickSleep])
  })

  it('notice: between poll and wait is not lost', async () => {
    const { wakeUp, wakes, scheduler, notify } = await open()
    wakeUp.beginPoll()
    notify(0)
    wakeUp.wait(tickSleep)
    expect(wakes).toEqual([])
    await scheduler.settle()
    expect(wakes).toEqual([0])
  })

  it('notice: of the future, between poll and wait, is not lost either', async () => {
    const { wakeUp, wakes, scheduler, notify } = await open()
    wakeUp.beginPoll()
    notify(30)
    wakeUp.wait(tickSleep)
    await scheduler.advance(tickSleep)
    expect(wakes).toEqual([30])
  })

  it('notice: from before the poll is old', async () => {
    const { wakeUp, wakes, scheduler, notify } = await open()
    notify(0)
    wakeUp.beginPoll()
    wakeUp.wait(tickSleep)
    await scheduler.advance(tickSleep)
    expect(wakes).toEqual([tickSleep])
  })

  it('notice: of the future, from before the poll, stays, whatever hides it in the storage', async () => {
    const { wakeUp, wakes, scheduler, store, notify, done } = await open()
    await done(createActivity(store, 'hides', { scheduledAt: 0 }))
    wakeUp.beginPoll()
    notify(30)
    wakeUp.beginPoll()
    wakeUp.wait(tickSleep)
    await scheduler.advance(tickSleep)
    expect(wakes).toEqual([30])
  })

  it('notice: of another function is not for us', async () => {
    const { wakeUp, wakes, scheduler, context } = await open()
    wakeUp.wait(tickSleep)
    const notice = { topic: 'pending', kind: 'activity', name: 'other', dueAt: 0 } as const
    context.storage.notifications.publish([notice])
    await scheduler.settle()
    expect(wakes).toEqual([])
  })

  it('close: wakes nobody any more and hears nothing', async () => {
    const { wakeUp, wakes, scheduler, notify } = await open()
    wakeUp.wait(tickSleep)
    wakeUp.close()
    notify(0)
    await scheduler.advance(10 * tickSleep)
    expect(wakes).toEqual([])
  })
})
