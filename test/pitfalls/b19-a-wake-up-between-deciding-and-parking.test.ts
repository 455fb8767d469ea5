import { defineActivity, defineWorkflow, unchecked } from 'stele'
import { describe, expect, it } from 'vitest'
import type { Driver } from '../../src/storage/driver.ts'
import { createGate, memories } from '../seed/workflow-test.ts'
import { openTestEngine } from '../unit/client/test-engine.ts'

const approve = defineActivity<'approve', string, string, string>({ name: 'approve' }).stub()
const main = defineWorkflow(
  { name: 'main', messages: { go: unchecked<string>() } },
  async (_: undefined, { call, messages, sleep }) => {
    const approved = call(approve, 'x')
    const first = await messages.go.next()
    await sleep('1s')
    const both = await Promise.all([messages.go.next(), approved])
    return [first, ...both]
  },
)

/** A driver whose n-th write waits, before its transaction or after it, until the gate opens. */
function holding(hold: { readonly write: number; readonly after: boolean }) {
  const reached = createGate()
  const gate = createGate()
  let writes = 0
  const wrap = (driver: Driver): Driver => ({
    ...driver,
    write: async (protocol) => {
      writes += 1
      if (writes !== hold.write) return driver.write(protocol)
      if (hold.after) {
        const written = await driver.write(protocol)
        reached.open()
        await gate.opened
        return written
      }
      reached.open()
      await gate.opened
      return driver.write(protocol)
    },
  })
  return { wrap, gate, reached }
}

const places = Array.from({ length: 12 }, (_, index) => index + 2).flatMap((write) => [
  { write, after: false },
  { write, after: true },
])

describe.each(memories)('B19, $memory', ({ limits }) => {
  it.each(places)(
    'B19: what is awaited comes while write $write is on its way (committed: $after): nobody sleeps on',
    async (hold) => {
      const { wrap, gate } = holding(hold)
      await using world = await openTestEngine({ functions: [approve, main], limits, wrap })
      const submitted = world.engine.submit(main, undefined, { id: 'm' })
      await world.settle()
      // Another process: the engine is not told, it has to find out.
      const foreign = async (write: () => Promise<unknown>): Promise<void> => {
        await write().catch(() => undefined)
        await world.settle()
      }
      const sendFrom = { executionId: 'm', createdAt: 0, joinSetId: 'm:go' } as const
      await foreign(() =>
        world.storage.send({ ...sendFrom, payload: 'one', messageId: '1' } as never),
      )
      gate.open()
      const handle = await submitted
      await world.settle()
      await handle.send('go', 'one', { id: '1' })
      await world.engine.complete('m.o:1-approve_1', { type: 'ok', value: 'yes' })
      await handle.send('go', 'two')
      await world.advance(2_000)
      expect(await handle.result({ timeout: 0 })).toEqual(['one', 'two', 'yes'])
      await world.check()
    },
  )
})
