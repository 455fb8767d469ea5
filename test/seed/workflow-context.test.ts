/** The seed's tests of its workflow context: ids, names, chance, and the order of closing. */

import { defineActivity, defineWorkflow, type EventView, type LogView } from 'stele'
import { describe, expect, it } from 'vitest'
import { openTestEngine } from '../unit/client/test-engine.ts'
import { createGate, eventsOf, historyOf, memories } from './workflow-test.ts'

const double = defineActivity({ name: 'double' }, (input: number) => input * 2)
const approve = defineActivity<'approve', string, string, string>({ name: 'approve' }).stub()

/** A log without what each run brings along. */
function withoutRuns({ events, responses }: LogView): unknown {
  const bare = ({ version: _v, ...event }: EventView): unknown => event
  return [events.filter(({ type }) => type !== 'locked').map(bare), responses]
}

/** Every call of the context that comes back at once, in an order that chance decides. */
const dice = defineWorkflow({ name: 'dice' }, async (steps: number, context) => {
  const { random, uuid, joinSet, schedule, call, sleep, step, patched } = context
  const seen: unknown[] = []
  for (let done = 0; done < steps; done += 1) {
    const which = Math.floor(random() * 7)
    if (which === 0) seen.push(uuid())
    else if (which === 1) seen.push(joinSet().name)
    else if (which === 2) seen.push(schedule(double, done, { in: '365 days' }).id)
    else if (which === 3) seen.push(await call(double, done))
    else if (which === 4) seen.push(await sleep('1s'))
    else if (which === 5) seen.push(await step(`step-${done}`, () => done))
    else seen.push(patched(`change-${done}`))
  }
  return seen
})

describe('random steps', () => {
  it('random step sequences executed twice give the same log', async () => {
    const logs: unknown[] = []
    for (const { limits } of [...memories, ...memories]) {
      await using world = await openTestEngine({
        functions: [double, dice],
        limits,
        deployment: 'D',
      })
      const handle = await world.engine.submit(dice, 40, { id: 'dice' })
      await world.advance(60_000)
      await handle.result({ timeout: 0 })
      logs.push(withoutRuns(await handle.log()))
      await world.check()
    }
    expect(logs[0]).toEqual(logs[1])
    expect(logs[2]).toEqual(logs[0])
    expect(logs[3]).toEqual(logs[1])
  })

  it('chance is another one in each execution', async () => {
    const main = defineWorkflow({ name: 'main' }, (_: undefined, { random, uuid }) => [
      random(),
      random(),
      uuid(),
      Math.random(),
    ])
    await using world = await openTestEngine({ functions: [main] })
    const handles = await world.engine.submitMany(main, Array.from({ length: 50 }))
    await world.settle()
    const drawn = await Promise.all(handles.map((handle) => handle.result({ timeout: 0 })))
    expect(new Set(drawn.flat()).size).toBe(200)
  })
})

describe.each(memories)('workflow context, $memory', ({ limits }) => {
  it('reexecution_with_kept_responses gives the same log: a mistaken pause changes nothing', async () => {
    const main = defineWorkflow({ name: 'main' }, async (_: undefined, { call, sleep }) => {
      const one = await call(double, 1)
      await sleep('1s')
      return call(double, one)
    })
    const run = async (isHeld: boolean): Promise<unknown> => {
      await using world = await openTestEngine({ functions: [double, main], limits })
      const handle = await world.engine.submit(main, undefined, { id: 'm' })
      await world.settle()
      if (isHeld) {
        await handle.pause()
        await handle.unpause()
      }
      await world.advance(1_100)
      expect(await handle.result({ timeout: 0 })).toBe(4)
      const history = await historyOf(handle)
      return history.filter((type) => type !== 'paused' && type !== 'unpaused')
    }
    expect(await run(true)).toEqual(await run(false))
  })

  it('one_off_join_sets_with_equal_names: each call has its own', async () => {
    const main = defineWorkflow({ name: 'main' }, async (_: undefined, { call, sleep }) => {
      const values = [await call(double, 1, { name: 'x' }), await call(double, 2, { name: 'x' })]
      const both = await Promise.all([
        call(double, 3, { name: 'x' }),
        sleep('1s', { name: 'x' }),
        call(double, 4, { name: 'x' }),
      ])
      return [...values, ...both]
    })
    await using world = await openTestEngine({ functions: [double, main], limits })
    const handle = await world.engine.submit(main, undefined, { id: 'm' })
    await world.advance(1_100)
    expect(await handle.result({ timeout: 0 })).toEqual([2, 4, 6, undefined, 8])
    const sets = await eventsOf(handle, 'join_set_create')
    const names = ['o:1-x', 'o:2-x', 'o:3-x', 'o:4-x', 'o:5-x']
    expect(sets.map(({ joinSetId }) => joinSetId)).toEqual(names)
    await world.check()
  })

  it('generated_join_sets have numbers of their own, and named ones are refused twice', async () => {
    const main = defineWorkflow({ name: 'main' }, async (_: undefined, { joinSet, sleep }) => {
      const names = [joinSet().name, joinSet('1').name, joinSet().name]
      let code: unknown
      try {
        joinSet('1')
      } catch (error) {
        code = Reflect.get(Object(error), 'code')
      }
      await sleep('1s')
      return [...names, joinSet().name, code]
    })
    await using world = await openTestEngine({ functions: [main], limits })
    const handle = await world.engine.submit(main)
    await world.advance(1_100)
    expect(await handle.result({ timeout: 0 })).toEqual(['1', '1', '2', '3', 'invalid_name'])
    const sets = await eventsOf(handle, 'join_set_create')
    const ids = ['g:1', 'n:1', 'g:2', 'o:1-sleep', 'g:3']
    expect(sets.map(({ joinSetId }) => joinSetId)).toEqual(ids)
    await world.check()
  })

  it('two_delays_in_same_join_set: both fire, in the order of their times', async () => {
    const main = defineWorkflow({ name: 'main' }, async (_: undefined, { joinSet, now }) => {
      const set = joinSet('set')
      const long = set.delay('20s')
      const short = set.delay('10s')
      const ends: unknown[] = []
      for await (const end of set) ends.push([end.kind, end.id, end.outcome.type, now()])
      return { long: long.id, short: short.id, ends }
    })
    await using world = await openTestEngine({ functions: [main], limits })
    const handle = await world.engine.submit(main, undefined, { id: 'm' })
    await world.advance(20_100)
    const { long, short, ends } = await handle.result({ timeout: 0 })
    expect(ends).toEqual([
      ['delay', short, 'ok', 10_000],
      ['delay', long, 'ok', 20_000],
    ])
    await world.check()
  })

  it('submit_to_closed_join_set is refused, and a workflow that does not care fails for good', async () => {
    const main = defineWorkflow({ name: 'main' }, async (_: undefined, { joinSet, sleep }) => {
      const set = joinSet('set', { of: double })
      await set.close()
      await sleep('1s')
      set.submit(double, 1)
    })
    await using world = await openTestEngine({ functions: [double, main], limits })
    const handle = await world.engine.submit(main)
    await world.advance(1_100)
    expect(await handle.outcome({ timeout: 0 })).toMatchObject({
      type: 'execution_failure',
      kind: 'uncategorized',
      reason: expect.stringMatching(/^workflow trap: Join set n:set of E_\w+ is closed/),
    })
    expect(await historyOf(handle)).not.toContain('temporarily_failed')
    await world.check()
  })

  it('closing several join sets is deterministic: the youngest first, its members last to first', async () => {
    const order: string[] = []
    const slow = defineActivity({ name: 'slow' }, (input: string, { signal }) => {
      signal.addEventListener('abort', () => order.push(input))
      return createGate<string>().opened
    })
    const main = defineWorkflow({ name: 'main' }, async (_: undefined, { joinSet, sleep }) => {
      const [a, b] = [joinSet('a', { of: slow }), joinSet('b', { of: slow })]
      for (const input of ['a1', 'a2']) a.submit(slow, input)
      for (const input of ['b1', 'b2']) b.submit(slow, input)
      a.delay('1 day')
      await sleep('1s')
      return 'done'
    })
    await using world = await openTestEngine({ functions: [slow, main], limits })
    const handle = await world.engine.submit(main)
    await world.advance(2_000)
    expect(await handle.result({ timeout: 0 })).toBe('done')
    expect(order).toEqual(['b2', 'b1', 'a2', 'a1'])
    const closings = (await eventsOf(handle, 'join_next')).filter(({ closing }) => closing)
    expect(closings.map(({ joinSetId }) => joinSetId)).toEqual(['n:b', 'n:b', 'n:a', 'n:a', 'n:a'])
    await world.check()
  })

  it('metadata and the deployment come down to the children', async () => {
    const main = defineWorkflow({ name: 'main' }, async (_: undefined, { outcome }) => {
      await outcome(approve, 'x')
    })
    const functions = [approve, main]
    await using world = await openTestEngine({ functions, limits, deployment: 'D' })
    await world.engine.submit(main, undefined, { id: 'm', metadata: { tenant: 't1' } })
    await world.settle()
    const child = await world.engine.get('m.o:1-approve_1')
    const [created] = await eventsOf(child, 'created')
    expect(created).toMatchObject({
      metadata: { tenant: 't1' },
      deploymentId: 'D',
      parent: { executionId: 'm', joinSetId: 'o:1-approve' },
    })
  })
})
