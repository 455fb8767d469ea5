/** Several engines on one database: who executes what, and who goes on when one stops. */

import { defineActivity, defineWorkflow, unchecked } from 'stele'
import { describe, expect, it } from 'vitest'
import { createGate, memories } from '../seed/workflow-test.ts'
import { temporaryDirectory } from '../support/storage/temporary-directory.ts'
import { createTestTime, openTestEngine, typesOf } from '../unit/client/test-engine.ts'

const double = defineActivity({ name: 'double' }, (input: number) => input * 2)
const childDeclaration = defineWorkflow<'child', number, number, number>({ name: 'child' })
const child = childDeclaration.implement(async (input, { call, sleep }) => {
  await sleep('1s')
  return call(double, input)
})
const parent = defineWorkflow({ name: 'parent' }, async (count: number, { call, joinSet }) => {
  const set = joinSet('set', { of: childDeclaration })
  for (let input = 0; input < count; input += 1) set.submit(childDeclaration, input)
  let total = await call(childDeclaration, 100)
  for await (const end of set) total += end.value
  return total
})

describe.each(memories)('engines, $memory', ({ limits }) => {
  it('engines: a parent here, its children there, their activities in a third', async () => {
    using folder = temporaryDirectory()
    const file = folder.file('x.db')
    const time = createTestTime()
    await using a = await openTestEngine({ functions: [parent], file, time, limits })
    await using b = await openTestEngine({ functions: [child], file, time, limits })
    await using c = await openTestEngine({ functions: [double], file, time, limits })
    const handle = await a.engine.submit(parent, 5)
    await a.advance(3_000)
    expect(await handle.result({ timeout: 0 })).toBe(220)
    // Cancelling goes down through all of them.
    const doomed = await a.engine.submit(parent, 2, { id: 'doomed' })
    await a.advance(500)
    await (await b.engine.get('doomed')).cancel()
    await a.advance(1_000)
    expect(await doomed.outcome({ timeout: 0 })).toMatchObject({ kind: 'cancelled' })
    const { children } = await doomed.tree()
    expect(children.map(({ execution }) => execution.failureKind)).toEqual([
      'cancelled',
      'cancelled',
      'cancelled',
    ])
    await c.check()
  })

  it('engines: ten thousand milliseconds of two engines that share every run: once each', async () => {
    using folder = temporaryDirectory()
    const file = folder.file('x.db')
    const time = createTestTime()
    const ran = new Map<string, number>()
    const main = defineWorkflow(
      { name: 'main', messages: { go: unchecked<number>() } },
      async (_: undefined, { messages, step, sleep, executionId }) => {
        const got: number[] = []
        for (let count = 0; count < 4; count += 1) {
          got.push(await messages.go.next())
          await step(`step ${count}`, () => {
            const key = `${executionId} ${count}`
            ran.set(key, (ran.get(key) ?? 0) + 1)
          })
          await sleep('300ms')
        }
        return got
      },
    )
    await using a = await openTestEngine({ functions: [main], file, time, limits })
    await using b = await openTestEngine({ functions: [main], file, time, limits })
    const handles = await a.engine.submitMany(main, Array.from({ length: 10 }))
    for (let sent = 0; sent < 4; sent += 1) {
      for (const [index, { id }] of handles.entries()) {
        const { engine } = (index + sent) % 2 === 0 ? a : b
        await (await engine.get(id, main)).send('go', sent)
      }
      await a.advance(1_000)
    }
    for (const handle of handles) expect(await handle.result({ timeout: 0 })).toEqual([0, 1, 2, 3])
    expect([...ran.values()].every((count) => count === 1)).toBe(true)
    expect(ran.size).toBe(40)
    await b.check()
  })

  it.each(['parked', 'in a step', 'in backoff, near', 'in backoff, far'])(
    'engines: stop while a run is %s, and a second engine carries on at once',
    async (where) => {
      using folder = temporaryDirectory()
      const file = folder.file('x.db')
      const time = createTestTime()
      let isHanging = true
      const main = defineWorkflow({ name: 'main' }, async (_: undefined, { step, sleep }) => {
        await step('before', () => 1)
        if (where === 'parked') await sleep('3s')
        else if (where === 'in a step') {
          await step('hang', () => (isHanging ? createGate<number>().opened : 1))
        } else {
          const backoff = where.endsWith('near') ? 800 : 2_900
          const options = { retry: { backoff, maxBackoff: backoff } }
          await step('flaky', ({ attempt }) => need(attempt > 1), options)
        }
        return 'done'
      })
      const functions = [main]
      const first = await openTestEngine({ functions, file, time, limits })
      const { id } = await first.engine.submit(main)
      await first.advance(100)
      await first.stop()
      isHanging = false
      await using second = await openTestEngine({ functions, file, time, limits })
      const handle = await second.engine.get(id, main)
      await second.advance(3_100 - time.clock.now())
      expect(await handle.result({ timeout: 0 })).toBe('done')
      const types = await typesOf(handle)
      expect(types).not.toContain('temporarily_timed_out')
      expect(await handle.state()).toMatchObject({ attempt: 1 })
      await second.check()
    },
  )
})

function need(holds: boolean): void {
  if (!holds) throw new Error('not yet')
}
