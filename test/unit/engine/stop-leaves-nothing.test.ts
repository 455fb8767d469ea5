/** What is left of an engine after its stop: nothing that would keep a process alive. */

import { createEngine, defineActivity } from 'stele'
import { expect, it } from 'vitest'
import { createTestClock, createTestScheduler } from '../../support/test-time.ts'

it('stop: no timer is left, neither after a run nor after a wait', async () => {
  const clock = createTestClock(1_000_000)
  const scheduler = createTestScheduler(clock, { soon: 'event_loop' })
  const noop = defineActivity({ name: 'noop' }, () => 'done')
  const engine = await createEngine({
    storage: ':memory:',
    functions: [noop],
    logger: false,
    clock,
    scheduler,
  })
  await engine.start()
  const handle = await engine.submit(noop)
  expect(await handle.result()).toBe('done')
  const later = await engine.submit(noop, undefined, { delay: '1 hour' })
  const waiting = later.result({ timeout: '2 hours' })
  const rejection = expect(waiting).rejects.toMatchObject({ code: 'engine_stopped' })
  await engine.stop()
  await rejection
  expect(scheduler.dueTimes()).toEqual([])
})
