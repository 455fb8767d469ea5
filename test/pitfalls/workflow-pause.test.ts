/** Holding workflows and their delays back, in every state, and letting them go again. */

import { defineActivity, defineWorkflow } from 'stele'
import { describe, expect, it } from 'vitest'
import { createGate, eventsOf, memories, readPath, rejectionOf } from '../seed/workflow-test.ts'
import { openTestEngine } from '../unit/client/test-engine.ts'

const approve = defineActivity<'approve', string, string, string>({ name: 'approve' }).stub()

describe.each(memories)('pause, $memory', ({ limits }) => {
  it('pause: pending: its time passes, and nothing happens before unpause', async () => {
    const main = defineWorkflow({ name: 'main' }, (_: undefined, { now }) => now())
    await using world = await openTestEngine({ functions: [main], limits })
    const handle = await world.engine.submit(main, undefined, { delay: '1s' })
    await handle.pause()
    await world.advance(5_000)
    expect(await handle.state()).toMatchObject({ status: 'pending_at', paused: true })
    const twice = await rejectionOf(handle.pause())
    expect(twice).toMatchObject({ code: 'illegal_state' })
    await handle.unpause()
    await world.settle()
    expect(await handle.result({ timeout: 0 })).toBe(1_000)
    const late = await rejectionOf(handle.unpause())
    expect(late).toMatchObject({ code: 'already_finished' })
    await world.check()
  })

  it('pause: locked, in a step: the step is told, and begins anew; what was recorded stays', async () => {
    const aborted: unknown[] = []
    const attempts: number[] = []
    const gate = createGate<number>()
    const main = defineWorkflow({ name: 'main' }, async (_: undefined, { step }) => {
      const one = await step('one', () => 1)
      const two = await step('two', ({ signal, attempt }) => {
        attempts.push(attempt)
        signal.addEventListener('abort', () => aborted.push(Reflect.get(signal.reason, 'code')))
        return attempts.length === 1 ? gate.opened : 2
      })
      return [one, two]
    })
    await using world = await openTestEngine({ functions: [main], limits })
    const handle = await world.engine.submit(main)
    await world.settle()
    await handle.pause()
    await world.advance(300)
    expect(aborted).toEqual(['lock_lost'])
    gate.open(99)
    await world.settle()
    expect(await handle.state()).toMatchObject({ paused: true, status: 'pending_at' })
    await handle.unpause()
    await world.settle()
    expect(await handle.result({ timeout: 0 })).toEqual([1, 2])
    expect(attempts).toEqual([1, 1])
    await world.check()
  })

  it('pause: blocked, unpaused before the answer: still blocked, and woken by it', async () => {
    const main = defineWorkflow({ name: 'main' }, (_: undefined, { call }) => call(approve, 'x'))
    await using world = await openTestEngine({ functions: [approve, main], limits })
    const handle = await world.engine.submit(main, undefined, { id: 'm' })
    await world.settle()
    await handle.pause()
    expect(await handle.state()).toMatchObject({ status: 'blocked', paused: true })
    await handle.unpause()
    expect(await handle.state()).toMatchObject({ status: 'blocked', paused: false })
    await world.engine.complete('m.o:1-approve_1', { type: 'ok', value: 'yes' })
    await world.settle()
    expect(await handle.result({ timeout: 0 })).toBe('yes')
    await world.check()
  })

  it('pause: blocked, answered while paused: due at once, but only after unpause', async () => {
    const main = defineWorkflow({ name: 'main' }, async (_: undefined, { call, sleep }) => {
      await sleep('1s')
      return call(approve, 'x')
    })
    await using world = await openTestEngine({ functions: [approve, main], limits })
    const handle = await world.engine.submit(main, undefined, { id: 'm' })
    await world.settle()
    await handle.pause()
    await world.advance(2_000)
    expect(await handle.state()).toMatchObject({ status: 'pending_at', paused: true })
    await handle.unpause()
    await world.settle()
    expect(await handle.state()).toMatchObject({ status: 'blocked', paused: false })
    await handle.pause()
    await world.engine.complete('m.o:2-approve_1', { type: 'ok', value: 'yes' })
    await world.advance(500)
    expect(await handle.state()).toMatchObject({ status: 'pending_at', paused: true })
    await handle.unpause()
    await world.settle()
    expect(await handle.result({ timeout: 0 })).toBe('yes')
    await world.check()
  })

  it('pause: between two attempts of a step, near and far', async () => {
    for (const backoff of [500, 60_000]) {
      const main = defineWorkflow({ name: 'main' }, (_: undefined, { step }) =>
        step(
          'flaky',
          ({ attempt }) => {
            if (attempt === 1) throw new Error('not yet')
            return attempt
          },
          { retry: { backoff } },
        ),
      )
      await using world = await openTestEngine({ functions: [main], limits })
      const handle = await world.engine.submit(main)
      await world.settle()
      await handle.pause()
      world.clock.advance(backoff * 2)
      await world.advance(500)
      expect(await handle.state()).toMatchObject({ paused: true })
      await handle.unpause()
      await world.advance(100)
      expect(await handle.result({ timeout: 0 })).toBe(2)
      await world.check()
    }
  })
})

const delayId = 'Delay_m.o:1-sleep_1'

describe.each(memories)('delay, $memory', ({ limits }) => {
  const main = defineWorkflow({ name: 'main' }, async (_: undefined, { sleep, now }) => {
    const code = await sleep('10s').catch((error: unknown) => readPath(error, 'outcome'))
    return [code, now()]
  })

  it('delay: paused, its time passes; unpaused, it fires at once', async () => {
    await using world = await openTestEngine({ functions: [main], limits })
    const handle = await world.engine.submit(main, undefined, { id: 'm' })
    await world.settle()
    const delay = world.engine.delay(delayId)
    await delay.pause()
    await delay.pause()
    await world.advance(20_000)
    expect(await handle.state()).toMatchObject({ status: 'blocked' })
    await delay.unpause()
    await world.advance(200)
    const [, now] = await handle.result({ timeout: 0 })
    expect(now).toBeGreaterThanOrEqual(20_000)
    const late = await rejectionOf(delay.pause())
    expect(late).toMatchObject({ code: 'delay_not_found' })
    await world.check()
  })

  it('delay: paused and unpaused before its time: fires on time', async () => {
    await using world = await openTestEngine({ functions: [main], limits })
    const handle = await world.engine.submit(main, undefined, { id: 'm' })
    await world.settle()
    await world.engine.delay(delayId).pause()
    await world.advance(5_000)
    await world.engine.delay(delayId).unpause()
    await world.advance(5_100)
    expect(await handle.result({ timeout: 0 })).toEqual([undefined, 10_000])
    await world.check()
  })

  it('delay: cancelled: whoever sleeps is told, once', async () => {
    await using world = await openTestEngine({ functions: [main], limits })
    const handle = await world.engine.submit(main, undefined, { id: 'm' })
    await world.advance(3_000)
    expect(await world.engine.delay(delayId).cancel()).toBe('cancelled')
    await world.settle()
    const [outcome] = await handle.result({ timeout: 0 })
    expect(outcome).toMatchObject({ type: 'execution_failure', kind: 'cancelled' })
    expect(await world.engine.delay(delayId).cancel()).toMatch(/^cancelled|already_finished$/)
    expect((await handle.log()).responses).toHaveLength(1)
    expect(await eventsOf(handle, 'join_set_request')).toHaveLength(1)
    await world.check()
  })
})
