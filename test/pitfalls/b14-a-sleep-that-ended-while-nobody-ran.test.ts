import { defineActivity, defineWorkflow } from 'stele'
import { describe, expect, it } from 'vitest'
import { eventsOf } from '../seed/workflow-test.ts'
import { temporaryDirectory } from '../support/storage/temporary-directory.ts'
import { createTestTime, openTestEngine } from '../unit/client/test-engine.ts'

const day = 24 * 3_600_000

describe('B14: what became due while nobody ran', () => {
  it('B14: fires once, at once, when an engine starts', async () => {
    using folder = temporaryDirectory()
    const file = folder.file('x.db')
    const time = createTestTime()
    const fired: string[] = []
    const note = defineActivity({ name: 'note' }, (input: string) => {
      fired.push(input)
    })
    const main = defineWorkflow({ name: 'main' }, async (_: undefined, context) => {
      const { sleep, call, joinSet, now, schedule } = context
      const set = joinSet('set')
      set.delay('2 days')
      set.delay('1 day')
      schedule(note, 'scheduled', { in: '1 day' })
      await sleep('1 day')
      await call(note, 'slept')
      const ends: string[] = []
      for await (const end of set) ends.push(end.id)
      await call(note, 'delays')
      return [ends, now()]
    })
    const functions = [note, main]
    const first = await openTestEngine({ functions, file, time })
    const { id } = await first.engine.submit(main, undefined, { id: 'm' })
    await first.settle()
    await first.stop()
    time.clock.advance(10 * day)
    await using second = await openTestEngine({ functions, file, time })
    await second.settle()
    const handle = await second.engine.get(id, main)
    const [ends, now] = await handle.result({ timeout: 0 })
    expect(ends).toEqual(['Delay_m.n:set_2', 'Delay_m.n:set_1'])
    expect(now).toBe(second.clock.now())
    expect(fired.toSorted()).toEqual(['delays', 'scheduled', 'slept'])
    expect((await handle.log()).responses).toHaveLength(5)
    await second.advance(1_000)
    expect(fired).toHaveLength(3)
    await second.check()
  })

  it('B14: a sleep longer than 2^31 ms ends when it should, not at once', async () => {
    const main = defineWorkflow({ name: 'main' }, async (_: undefined, { sleep, now }) => {
      await sleep('1000 days')
      return now()
    })
    await using world = await openTestEngine({
      functions: [main],
      executor: { tickSleep: '100 days' },
      timersWatcher: { tickSleep: '100 days' },
      // Signs of life every five seconds would be all that happens here.
      file: ':memory:',
    })
    const handle = await world.engine.submit(main)
    await world.settle()
    world.clock.advance(2 ** 31 + 1)
    await world.advance(0)
    expect(await handle.state()).toMatchObject({ status: 'blocked' })
    world.clock.set(1_000 * day - 1)
    await world.advance(0)
    expect(await handle.state()).toMatchObject({ status: 'blocked' })
    await world.advance(1)
    expect(await handle.result({ timeout: 0 })).toBe(1_000 * day)
    const [delay] = await eventsOf(handle, 'join_set_request')
    expect(delay).toMatchObject({ dueAt: 1_000 * day })
    await world.check()
  })
})
