import { defineActivity, defineWorkflow, unchecked } from 'stele'
import { describe, expect, it } from 'vitest'
import { createGate, memories } from '../seed/workflow-test.ts'
import { openTestEngine } from '../unit/client/test-engine.ts'

describe.each(memories)('B12, $memory', ({ limits }) => {
  it('B12: messages that arrive while an activity and a step run start neither again', async () => {
    const counts = { activity: 0, step: 0 }
    const gates = { activity: createGate<string>(), step: createGate<string>() }
    const work = defineActivity({ name: 'work' }, () => {
      counts.activity += 1
      return gates.activity.opened
    })
    const main = defineWorkflow(
      { name: 'main', messages: { ping: unchecked<number>() } },
      async (_: undefined, { call, step, messages }) => {
        const pings: number[] = []
        const listen = async (): Promise<void> => {
          for await (const ping of messages.ping) pings.push(ping)
        }
        void listen()
        const worked = call(work)
        const stepped = step('step', () => {
          counts.step += 1
          return gates.step.opened
        })
        return [await worked, await stepped, pings]
      },
    )
    await using world = await openTestEngine({ functions: [work, main], limits })
    const handle = await world.engine.submit(main)
    await world.settle()
    for (let ping = 0; ping < 10; ping += 1) {
      await handle.send('ping', ping)
      await world.advance(250)
    }
    expect(counts).toEqual({ activity: 1, step: 1 })
    gates.step.open('stepped')
    await world.settle()
    for (let ping = 10; ping < 20; ping += 1) {
      await handle.send('ping', ping)
      await world.advance(250)
    }
    gates.activity.open('worked')
    await world.settle()
    const pings = Array.from({ length: 20 }, (_, index) => index)
    expect(await handle.result({ timeout: 0 })).toEqual(['worked', 'stepped', pings])
    expect(counts).toEqual({ activity: 1, step: 1 })
    await world.check()
  })
})
