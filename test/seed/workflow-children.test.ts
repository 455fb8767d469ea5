/**
 * The seed's tests that have a parent, its hand-written one replaced by a real workflow; and its
 * worked traces C, E, F, G and I, event by event.
 */

import { defineActivity, defineWorkflow } from 'stele'
import { describe, expect, it } from 'vitest'
import { openTestEngine, typesOf } from '../unit/client/test-engine.ts'
import { createGate, eventsOf, memories } from './workflow-test.ts'

const approve = defineActivity<'approve', string, string, string>({ name: 'approve' }).stub()

describe.each(memories)('seed, a real parent, $memory', ({ limits }) => {
  it('5 child_execution_permanently_failed_should_notify_parent_permanent_failure', async () => {
    const child = defineActivity({ name: 'child', retry: { maxRetries: 0 } }, () => {
      throw new Error('error reason')
    })
    const main = defineWorkflow({ name: 'main' }, (_: undefined, { outcome }) => outcome(child))
    await using world = await openTestEngine({ functions: [child, main], limits })
    const handle = await world.engine.submit(main, undefined, { id: 'p' })
    await world.settle()
    expect(world.clock.now()).toBe(0)
    const failure = {
      type: 'execution_failure',
      kind: 'uncategorized',
      reason: 'activity trap: error reason',
    }
    const finished = await world.engine.get('p.o:1-child_1')
    expect((await finished.log()).events[2]).toMatchObject({ type: 'finished', outcome: failure })
    const { responses } = await handle.log()
    expect(responses).toMatchObject([
      {
        type: 'child_finished',
        joinSetId: 'o:1-child',
        childExecutionId: 'p.o:1-child_1',
        finishedVersion: 2,
        outcome: failure,
      },
    ])
    expect(await handle.result({ timeout: 0 })).toMatchObject(failure)
    await world.check()
  })

  it('6 child_execution_permanently_failed_should_notify_parent_timeout', async () => {
    const child = defineActivity(
      { name: 'child', retry: { maxRetries: 0 }, timeout: '1s', lockExpiry: '1s' },
      () => createGate().opened,
    )
    const main = defineWorkflow({ name: 'main' }, (_: undefined, { outcome }) => outcome(child))
    await using world = await openTestEngine({ functions: [child, main], limits })
    const handle = await world.engine.submit(main, undefined, { id: 'p' })
    await world.advance(999)
    expect(await handle.state()).toMatchObject({ status: 'blocked' })
    await world.advance(1)
    const failure = { type: 'execution_failure', kind: 'timed_out' }
    expect(await handle.result({ timeout: 0 })).toEqual(failure)
    expect((await handle.log()).responses).toMatchObject([{ finishedVersion: 2, createdAt: 1_000 }])
    await world.check()
  })

  it('7 hanging_lock_should_be_cleaned_and_execution_retried: the parent sees one end only', async () => {
    const attempts: number[] = []
    const child = defineActivity(
      { name: 'child', retry: { maxRetries: 1, backoff: 300 }, timeout: 100, lockExpiry: 100 },
      (_: undefined, { attempt }) => {
        attempts.push(attempt)
        return createGate().opened
      },
    )
    const main = defineWorkflow({ name: 'main' }, (_: undefined, { outcome }) => outcome(child))
    await using world = await openTestEngine({ functions: [child, main], limits })
    const handle = await world.engine.submit(main, undefined, { id: 'p' })
    await world.advance(1_000)
    const failure = { type: 'execution_failure', kind: 'timed_out' }
    expect(await handle.result({ timeout: 0 })).toEqual(failure)
    expect(attempts).toEqual([1, 2])
    expect((await handle.log()).responses).toMatchObject([{ createdAt: 500 }])
    await world.check()
  })

  it('trace C, cold parent: blocked without a lock, woken by the response, at its time', async () => {
    const main = defineWorkflow({ name: 'main' }, (_: undefined, { call }) => call(approve, 'x'))
    await using world = await openTestEngine({ functions: [approve, main], limits })
    const handle = await world.engine.submit(main, undefined, { id: 'p' })
    await world.settle()
    expect(await handle.state()).toMatchObject({ status: 'blocked', version: 4 })
    expect((await handle.explain()).heldBy).toBeUndefined()
    await world.advance(300)
    await world.engine.complete('p.o:1-approve_1', { type: 'ok', value: 'y' })
    await world.settle()
    const { events } = await handle.log()
    expect(events.map(({ type, createdAt }) => [type, createdAt])).toEqual([
      ['created', 0],
      ['locked', 0],
      ['join_set_create', 0],
      ['join_set_request', 0],
      ['join_next', 0],
      ['locked', 300],
      ['finished', 300],
    ])
    expect(events[4]).toMatchObject({ runExpiresAt: 0, seenCursor: 0 })
    await world.check()
  })

  it('trace E, response before join_next: blocked is pending at once', async () => {
    const gate = createGate()
    const main = defineWorkflow({ name: 'main' }, async (_: undefined, { joinSet, step }) => {
      const set = joinSet('set', { of: approve })
      set.submit(approve, 'x')
      await step('slow', () => gate.opened)
      return (await set.next()).value
    })
    await using world = await openTestEngine({ functions: [approve, main], limits })
    const handle = await world.engine.submit(main, undefined, { id: 'p' })
    await world.settle()
    await world.engine.complete('p.n:set_1', { type: 'ok', value: 'y' })
    expect(await handle.state()).toMatchObject({ status: 'locked' })
    expect((await handle.log()).responses).toHaveLength(1)
    gate.open()
    await world.settle()
    expect(await handle.result({ timeout: 0 })).toBe('y')
    await world.check()
  })

  it('trace F, pause: the running run is refused, and the next one goes on from the log', async () => {
    const gate = createGate<string>()
    const main = defineWorkflow({ name: 'main' }, async (_: undefined, { step }) => {
      const one = await step('one', () => 1)
      return [one, await step('two', () => gate.opened)]
    })
    await using world = await openTestEngine({ functions: [main], limits })
    const handle = await world.engine.submit(main)
    await world.settle()
    await world.advance(50)
    await handle.pause()
    const types = ['created', 'locked', 'step_finished', 'unlocked', 'paused']
    expect(await typesOf(handle)).toEqual(types)
    gate.open('late')
    await world.settle()
    expect(await typesOf(handle)).toEqual(types)
    expect(await handle.state()).toMatchObject({ status: 'pending_at', paused: true, attempt: 1 })
    await handle.unpause()
    await world.settle()
    expect(await handle.result({ timeout: 0 })).toEqual([1, 'late'])
    expect(await eventsOf(handle, 'step_finished')).toHaveLength(2)
    await world.check()
  })

  it('trace G, cancelling a child in backoff: the parent is told', async () => {
    const child = defineActivity({ name: 'child', retry: { backoff: '1h' } }, () => {
      throw new Error('not yet')
    })
    const main = defineWorkflow({ name: 'main' }, (_: undefined, { outcome }) => outcome(child))
    await using world = await openTestEngine({ functions: [child, main], limits })
    const handle = await world.engine.submit(main, undefined, { id: 'p' })
    await world.settle()
    const one = await world.engine.get('p.o:1-child_1')
    expect(await one.state()).toMatchObject({ status: 'pending_at', attempt: 2 })
    expect(await one.cancel()).toBe('cancelled')
    await world.settle()
    expect(await handle.result({ timeout: 0 })).toMatchObject({ kind: 'cancelled' })
    expect(await one.cancel()).toBe('cancelled')
    await world.check()
  })
})
