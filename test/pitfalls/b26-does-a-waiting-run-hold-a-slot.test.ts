import { defineActivity, defineWorkflow, unchecked } from 'stele'
import { describe, expect, it } from 'vitest'
import { createGate, memories } from '../seed/workflow-test.ts'
import { openTestEngine } from '../unit/client/test-engine.ts'

const approve = defineActivity<'approve', string, string, string>({ name: 'approve' }).stub()

describe.each(memories)('B26, $memory', ({ limits }) => {
  it('B26: no: a hundred wait for messages, children and delays, and all of them have begun', async () => {
    const main = defineWorkflow(
      { name: 'main', concurrency: 1, messages: { go: unchecked<undefined>() } },
      async (kind: number, { call, sleep, messages }) => {
        if (kind === 0) await messages.go.next()
        else if (kind === 1) await call(approve, 'x')
        else await sleep('1 day')
      },
    )
    await using world = await openTestEngine({
      functions: [approve, main],
      executor: { concurrency: 1 },
      limits,
    })
    const inputs = Array.from({ length: 99 }, (_, index) => index % 3)
    const handles = await world.engine.submitMany(main, inputs)
    await world.advance(1_000)
    const states = await Promise.all(handles.map((handle) => handle.state()))
    expect(states.filter(({ status }) => status === 'blocked')).toHaveLength(99)
    await world.check()
  })

  it('B26: yes, while a step of it runs: that is work', async () => {
    let running = 0
    let most = 0
    const gates = [createGate(), createGate(), createGate()]
    const main = defineWorkflow({ name: 'main', concurrency: 2 }, (index: number, { step }) =>
      step('work', async () => {
        running += 1
        most = Math.max(most, running)
        await gates[index]?.opened
        running -= 1
      }),
    )
    await using world = await openTestEngine({ functions: [main], limits })
    const handles = await world.engine.submitMany(main, [0, 1, 2])
    await world.advance(500)
    expect(running).toBe(2)
    for (const gate of gates) gate.open()
    await world.advance(500)
    for (const handle of handles) await handle.result({ timeout: 0 })
    expect(most).toBe(2)
    await world.check()
  })
})
