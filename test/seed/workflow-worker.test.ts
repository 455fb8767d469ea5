/** The seed's tests of its workflow worker, through the public face. */

import { ActivityError, defineActivity, defineWorkflow, functionRef } from 'stele'
import { describe, expect, it } from 'vitest'
import { openTestEngine } from '../unit/client/test-engine.ts'
import { createGate, eventsOf, memories, readPath, toCode } from './workflow-test.ts'

const double = defineActivity({ name: 'double' }, (input: number) => input * 2)
const approve = defineActivity<'approve', string, string, string>({ name: 'approve' }).stub()

/** An input of a number, as a Standard Schema. */
const numbers = {
  '~standard': {
    version: 1,
    vendor: 'test',
    validate: (value: unknown) =>
      typeof value === 'number' ? { value } : { issues: [{ message: 'must be a number' }] },
  },
} as const

describe.each(memories)('workflow worker, $memory', ({ limits }) => {
  it('fibow: a workflow that calls an activity again and again', async () => {
    const fibo = defineActivity({ name: 'fibo' }, (n: number): number => fib(n))
    const fibow = defineWorkflow(
      { name: 'fibow' },
      async ({ n, times }: { n: number; times: number }, { call }) => {
        let last = 0
        for (let done = 0; done < times; done += 1) last = await call(fibo, n)
        return last
      },
    )
    await using world = await openTestEngine({ functions: [fibo, fibow], limits })
    const handle = await world.engine.submit(fibow, { n: 10, times: 20 })
    await world.settle()
    expect(await handle.result({ timeout: 0 })).toBe(55)
    expect(await eventsOf(handle, 'join_set_request')).toHaveLength(20)
    await world.check()
  })

  it('fibo_nested: a workflow that calls itself, down to the ground and up again', async () => {
    const declared = defineWorkflow<'nested', number, number, number>({ name: 'nested' })
    const nested = declared.implement(async (n, { call }): Promise<number> => {
      if (n < 2) return n
      const [one, two] = await Promise.all([call(declared, n - 1), call(declared, n - 2)])
      return one + two
    })
    await using world = await openTestEngine({ functions: [nested], limits })
    const handle = await world.engine.submit(nested, 6)
    await world.settle()
    expect(await handle.result({ timeout: 0 })).toBe(8)
    expect((await world.engine.list({ children: true }, { limit: 100 })).items).toHaveLength(25)
    await world.check()
  })

  it('submit_json: an input that the schema refuses starts no child, and the refusal is replayed', async () => {
    const strict = defineActivity({ name: 'strict', input: numbers }, (input: number) => input)
    const bare = functionRef<typeof strict>('strict')
    const main = defineWorkflow(
      { name: 'main' },
      async (_: undefined, { call, joinSet, sleep }) => {
        const codes: unknown[] = []
        const set = joinSet('set', { of: bare })
        for (const input of [1, 'one' as unknown as number, 2]) {
          try {
            codes.push(set.submit(bare, input).id)
          } catch (error) {
            codes.push(toCode(error))
          }
        }
        await sleep('1s')
        codes.push(await call(bare, 'x' as unknown as number).catch(toCode))
        for await (const end of set) codes.push(end.value)
        return codes
      },
    )
    await using world = await openTestEngine({ functions: [strict, main], limits })
    const handle = await world.engine.submit(main, undefined, { id: 'm' })
    await world.advance(1_100)
    const codes = ['m.n:set_1', 'invalid_input', 'm.n:set_3', 'invalid_input', 1, 2]
    expect(await handle.result({ timeout: 0 })).toEqual(codes)
    const requests = await eventsOf(handle, 'join_set_request')
    const results = requests.map((event) => event.kind === 'child' && event.result)
    expect(results).toEqual(['ok', 'invalid_input', 'ok', false, 'invalid_input'])
    await world.check()
  })

  it('submit_json_unknown_ffqn: the child waits, explain says why, and cancelling it goes on', async () => {
    const nobody = defineActivity<'nobody', number, number, number>({ name: 'nobody' })
    const main = defineWorkflow({ name: 'main' }, (_: undefined, { outcome }) => outcome(nobody, 1))
    await using world = await openTestEngine({ functions: [main], limits })
    const handle = await world.engine.submit(main, undefined, { id: 'm' })
    await world.settle()
    const child = await world.engine.get('m.o:1-nobody_1')
    expect((await child.explain()).problems).toEqual([
      expect.stringContaining('No running engine executes the activity nobody'),
    ])
    await child.cancel()
    await world.advance(200)
    expect(await handle.result({ timeout: 0 })).toMatchObject({ kind: 'cancelled' })
    await world.check()
  })

  it('get_result_json of an err: the outcome is a value, and `call` rejects with it', async () => {
    const refuse = defineActivity({ name: 'refuse' }, (input: string) => {
      throw new ActivityError({ refused: input }, { permanent: true })
    })
    const main = defineWorkflow({ name: 'main' }, async (_: undefined, { call, outcome }) => {
      const seen = await outcome(refuse, 'a')
      const caught = await call(refuse, 'b').catch((error: unknown) => readPath(error, 'outcome'))
      return [seen, caught]
    })
    await using world = await openTestEngine({ functions: [refuse, main], limits })
    const handle = await world.engine.submit(main)
    await world.settle()
    expect(await handle.result({ timeout: 0 })).toEqual([
      { type: 'err', value: { refused: 'a' } },
      { type: 'err', value: { refused: 'b' } },
    ])
    await world.check()
  })

  it('sleep2_happy_path: holds nothing, and is over when its time has come', async () => {
    const main = defineWorkflow({ name: 'main' }, async (_: undefined, { sleep, now }) => {
      await sleep('10s')
      return now()
    })
    await using world = await openTestEngine({ functions: [main], limits })
    const handle = await world.engine.submit(main, undefined, { id: 'm' })
    await world.advance(9_999)
    expect(await handle.state()).toMatchObject({ status: 'blocked' })
    expect(await handle.explain()).toMatchObject({ nextWakeAt: 10_000 })
    await world.advance(1)
    expect(await handle.result({ timeout: 0 })).toBe(10_000)
    const [delay] = await eventsOf(handle, 'join_set_request')
    expect(delay).toMatchObject({ dueAt: 10_000, intent: { type: 'in', in: 10_000 } })
    await world.check()
  })

  it('scheduling: relative, absolute and at once, outliving whoever scheduled them', async () => {
    const main = defineWorkflow({ name: 'main' }, (_: undefined, { schedule }) => [
      schedule(double, 1).id,
      schedule(double, 2, { in: '10s' }).id,
      schedule(double, 3, { at: new Date(20_000) }).id,
    ])
    await using world = await openTestEngine({ functions: [double, main], limits })
    const handle = await world.engine.submit(main)
    await world.settle()
    const ids = await handle.result({ timeout: 0 })
    const states = async () => {
      const found = await Promise.all(ids.map((id) => world.engine.get(id)))
      return Promise.all(found.map(async (one) => (await one.state()).status))
    }
    expect(await states()).toEqual(['finished', 'pending_at', 'pending_at'])
    await world.advance(10_000)
    expect(await states()).toEqual(['finished', 'finished', 'pending_at'])
    await world.advance(10_000)
    expect(await states()).toEqual(['finished', 'finished', 'finished'])
    await world.check()
  })

  it('join_next_try_pending: recorded, found again by a replay, and no reason to wake', async () => {
    const main = defineWorkflow({ name: 'main' }, async (_: undefined, { joinSet, sleep }) => {
      const set = joinSet('set', { of: approve })
      set.submit(approve, 'x')
      const looks = [set.tryNext()?.id]
      await sleep('1s')
      looks.push(set.tryNext()?.id)
      await sleep('1s')
      looks.push(set.tryNext()?.id, set.tryNext()?.id)
      return looks
    })
    await using world = await openTestEngine({ functions: [approve, main], limits })
    const handle = await world.engine.submit(main, undefined, { id: 'm' })
    await world.advance(1_500)
    await world.engine.complete('m.n:set_1', { type: 'ok', value: 'y' })
    await world.settle()
    expect(await handle.state()).toMatchObject({ status: 'blocked' })
    await world.advance(1_000)
    const looks = [undefined, undefined, 'm.n:set_1', undefined]
    expect(await handle.result({ timeout: 0 })).toEqual(looks)
    const tries = await eventsOf(handle, 'join_next_try')
    const outcomes = ['pending', 'pending', 'found', 'all_processed']
    expect(tries.map(({ outcome }) => outcome)).toEqual(outcomes)
    await world.check()
  })

  it('await_next_all_processed: iterating ends by itself, and an empty set is over at once', async () => {
    const main = defineWorkflow({ name: 'main' }, async (_: undefined, { joinSet }) => {
      const values: unknown[] = []
      for await (const end of joinSet('empty', { of: double })) values.push(end)
      const set = joinSet('set', { of: double })
      set.submit(double, 1)
      for await (const end of set) {
        if (values.length < 2) set.submit(double, 10 + values.length)
        values.push(end.value)
      }
      return values
    })
    await using world = await openTestEngine({ functions: [double, main], limits })
    const handle = await world.engine.submit(main)
    await world.settle()
    expect(await handle.result({ timeout: 0 })).toEqual([2, 20, 22])
    await world.check()
  })

  it('stub races: completed before it is asked for, and before its parent has been told', async () => {
    const main = defineWorkflow({ name: 'main' }, async (_: undefined, { joinSet, step }) => {
      const set = joinSet('set', { of: approve })
      const { id } = set.submit(approve, 'x')
      await step('wait', () => gate.opened)
      return [id, (await set.next()).value]
    })
    const gate = createGate()
    await using world = await openTestEngine({ functions: [approve, main], limits })
    const handle = await world.engine.submit(main, undefined, { id: 'm' })
    await world.settle()
    const completions = ['yes', 'yes', 'no'].map((value) =>
      world.engine.complete('m.n:set_1', { type: 'ok', value }).then(() => 'taken', toCode),
    )
    expect(await Promise.all(completions)).toEqual(['taken', 'taken', 'already_finished'])
    gate.open()
    await world.settle()
    expect(await handle.result({ timeout: 0 })).toEqual(['m.n:set_1', 'yes'])
    await world.check()
  })

  it('activity_failure_projected: the parent is told kind, reason and detail, and goes on', async () => {
    const fail = defineActivity({ name: 'fail', retry: { maxRetries: 1, backoff: 10 } }, () => {
      throw new TypeError('no such card')
    })
    const main = defineWorkflow({ name: 'main' }, async (_: undefined, { outcome, call }) => [
      await outcome(fail),
      await call(fail).catch((error: unknown) =>
        ['code', 'executionId', 'cause.name'].map((path) => readPath(error, ...path.split('.'))),
      ),
    ])
    await using world = await openTestEngine({ functions: [fail, main], limits })
    const handle = await world.engine.submit(main, undefined, { id: 'm' })
    await world.advance(100)
    expect(await handle.result({ timeout: 0 })).toEqual([
      {
        type: 'execution_failure',
        kind: 'uncategorized',
        reason: 'activity trap: no such card',
        detail: expect.stringContaining('TypeError: no such card'),
      },
      ['execution_failed', 'm.o:2-fail_1', 'TypeError'],
    ])
    await world.check()
  })
})

function fib(n: number): number {
  return n < 2 ? n : fib(n - 1) + fib(n - 2)
}
