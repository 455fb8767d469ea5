import { defineWorkflow } from 'stele'
import { describe, expect, it } from 'vitest'
import { openTestEngine, type TestEngine } from './test-engine.ts'

const nap = defineWorkflow({ name: 'nap' }, async (_: undefined, { sleep }) => {
  await sleep(1_000)
  return 'awake'
})
const delayId = 'Delay_e.o:1-sleep_1'
const notFound = expect.objectContaining({ code: 'delay_not_found' })

/** An engine with a workflow that sleeps for a second. */
async function asleep(): Promise<{ world: TestEngine; result: () => Promise<unknown> }> {
  const world = await openTestEngine({ functions: [nap] })
  const handle = await world.engine.submit(nap, undefined, { id: 'e' })
  await world.settle()
  return { world, result: () => handle.result({ timeout: 0 }) }
}

describe('delay', () => {
  it('pause: it does not fire before it is unpaused; then at once, when it was due', async () => {
    const { world, result } = await asleep()
    await using _ = world
    const delay = world.engine.delay(delayId)
    expect(delay.id).toBe(delayId)
    await delay.pause()
    await world.advance(5_000)
    expect((await (await world.engine.get('e')).state()).status).toBe('blocked')
    await delay.unpause()
    await world.advance(2_000)
    expect(await result()).toBe('awake')
    await world.check()
  })

  it('pause: twice is once, and so is unpause', async () => {
    const { world, result } = await asleep()
    await using _ = world
    const { pause, unpause } = world.engine.delay(delayId)
    await pause()
    await pause()
    await unpause()
    await unpause()
    await world.advance(2_000)
    expect(await result()).toBe('awake')
  })

  it('cancel: whoever waits is told; twice is once', async () => {
    const { world, result } = await asleep()
    await using _ = world
    const { cancel } = world.engine.delay(delayId)
    expect(await cancel()).toBe('cancelled')
    await world.settle()
    await expect(result()).rejects.toMatchObject({ code: 'execution_failed' })
    expect(await cancel()).toBe('cancelled')
    await world.check()
  })

  it('cancel: one that is paused too', async () => {
    const { world } = await asleep()
    await using _ = world
    const { pause, cancel } = world.engine.delay(delayId)
    await pause()
    expect(await cancel()).toBe('cancelled')
  })

  it.each(['Delay_e.o:1-sleep_2', 'Delay_f.o:1-sleep_1', 'e', '', 5, undefined])(
    'refusal: %j is not open',
    async (id) => {
      const { world } = await asleep()
      await using _ = world
      const { pause, unpause, cancel } = world.engine.delay(id as never)
      await expect(pause()).rejects.toEqual(notFound)
      await expect(unpause()).rejects.toEqual(notFound)
      await expect(cancel()).rejects.toEqual(notFound)
    },
  )

  it('refusal: one that has fired cannot be held', async () => {
    const { world, result } = await asleep()
    await using _ = world
    await world.advance(2_000)
    expect(await result()).toBe('awake')
    const { pause, unpause, cancel } = world.engine.delay(delayId)
    await expect(pause()).rejects.toEqual(notFound)
    await expect(unpause()).rejects.toEqual(notFound)
    expect(await cancel()).toBe('already_finished')
  })

  it('refusal: an engine that has stopped', async () => {
    const { world } = await asleep()
    const { pause, cancel } = world.engine.delay(delayId)
    await world.stop()
    const stopped = expect.objectContaining({ code: 'engine_stopped' })
    await expect(pause()).rejects.toEqual(stopped)
    await expect(cancel()).rejects.toEqual(stopped)
  })
})
