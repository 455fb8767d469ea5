/** Whatever an actor delays, it delays on the engine's scheduler. */

import { describe, expect, it } from 'vitest'
import { createActor, setup } from 'xstate'
import { createActorClock } from '../../../src/engine/actor-clock.ts'
import { createTestClock, createTestScheduler } from '../../support/test-time.ts'

const patience = setup({}).createMachine({
  initial: 'waiting',
  states: {
    waiting: { after: { 1_000: 'late' }, on: { stop: 'stopped' } },
    late: { type: 'final' },
    stopped: {},
  },
})

describe('createActorClock', () => {
  it('delays end when the scheduler says so', async () => {
    const scheduler = createTestScheduler(createTestClock())
    const actor = createActor(patience, { clock: createActorClock(scheduler) }).start()
    await scheduler.advance(999)
    expect(actor.getSnapshot().value).toBe('waiting')
    await scheduler.advance(1)
    expect(actor.getSnapshot().value).toBe('late')
  })

  it('a delay that is left behind is cancelled', async () => {
    const scheduler = createTestScheduler(createTestClock())
    const actor = createActor(patience, { clock: createActorClock(scheduler) }).start()
    actor.send({ type: 'stop' })
    expect(scheduler.dueTimes()).toEqual([])
    await scheduler.advance(2_000)
    expect(actor.getSnapshot().value).toBe('stopped')
  })
})
