import { defineActivity, defineWorkflow } from 'stele'
import { describe, expect, it } from 'vitest'
import { createGate, readPath } from '../seed/workflow-test.ts'
import { openTestEngine } from '../unit/client/test-engine.ts'

const report = defineActivity({ name: 'report' }, (error: unknown) => error)
const fail = defineActivity({ name: 'fail', retry: { maxRetries: 0 } }, () => {
  throw Object.assign(new TypeError('no route'), { code: 'EHOSTUNREACH' })
})

describe('B35: an error that is passed on', () => {
  it('B35: its stack differs at the next replay, and that is no nondeterminism', async () => {
    let depth = 0
    const gate = createGate()
    const main = defineWorkflow({ name: 'main' }, async (_: undefined, context) => {
      const { call, joinSet, schedule, step } = context
      const own = deep(depth, () => new RangeError('own'))
      const caught = await call(fail).catch((error: unknown) => error)
      const stepped = await step(
        'step',
        () => {
          throw new SyntaxError('in a step')
        },
        { retry: { maxRetries: 0 } },
      ).catch((error: unknown) => error)
      const set = joinSet('set', { of: report })
      for (const error of [own, Reflect.get(Object(caught), 'cause'), { list: [own, stepped] }]) {
        set.submit(report, error)
        schedule(report, error, { in: '1 day' })
      }
      await step('gate', () => gate.opened)
      const names: unknown[] = []
      for await (const end of set) names.push(nameOf(end.value))
      return names
    })
    const functions = [report, fail, main]
    await using world = await openTestEngine({ functions, limits: { warmRuns: 0 } })
    const handle = await world.engine.submit(main)
    await world.settle()
    // The code is the same, but where it is called from is not: as after any other deploy.
    depth = 5
    await handle.pause()
    await handle.unpause()
    await world.settle()
    depth = 9
    gate.open()
    await world.settle()
    expect(await handle.result({ timeout: 0 })).toEqual(['RangeError', 'TypeError', 'Object'])
    await world.check()
  })

  it('B35: but another message is another call', async () => {
    let message = 'one'
    const main = defineWorkflow({ name: 'main' }, async (_: undefined, { call, sleep }) => {
      await sleep('1s')
      await call(report, new Error(message))
      await sleep('1s')
    })
    const functions = [report, main]
    await using world = await openTestEngine({ functions, limits: { warmRuns: 0 } })
    const handle = await world.engine.submit(main)
    await world.advance(1_500)
    message = 'two'
    await world.advance(1_500)
    expect(await handle.state()).toMatchObject({ paused: true })
    message = 'one'
    await handle.unpause()
    await world.settle()
    expect(await handle.outcome({ timeout: 0 })).toMatchObject({ type: 'ok' })
    await world.check()
  })
})

function deep<Value>(depth: number, make: () => Value): Value {
  return depth === 0 ? make() : deep(depth - 1, make)
}

function nameOf(value: unknown): unknown {
  return value instanceof Error ? value.name : readPath(value, 'constructor', 'name')
}
