/** The seed's tests of its workflow worker, through the public face. */

import {
  type ActivityContext,
  ActivityError,
  defineActivity,
  defineWorkflow,
  functionRef,
  type Workflow,
} from 'stele'
import { describe, expect, it } from 'vitest'
import { temporaryDirectory } from '../support/storage/temporary-directory.ts'
import { createTestTime, openTestEngine, typesOf } from '../unit/client/test-engine.ts'
import {
  createGate,
  eventsOf,
  historyOf,
  memories,
  readPath,
  rejectionOf,
  toCode,
} from './workflow-test.ts'

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

  it('unawaited_activity_should_be_cancelled at the end', async () => {
    const { slow, aborted } = listening()
    const main = defineWorkflow({ name: 'main' }, async (_: undefined, { call, sleep }) => {
      void call(slow, 'unawaited')
      await Promise.race([call(slow, 'loser'), sleep('1s')])
      return 'done'
    })
    await using world = await openTestEngine({ functions: [slow, main], limits })
    const handle = await world.engine.submit(main)
    await world.advance(1_200)
    expect(await handle.result({ timeout: 0 })).toBe('done')
    expect(aborted).toEqual(['loser', 'unawaited'])
    const tree = await handle.tree()
    expect(tree.children.map(({ execution }) => execution.failureKind)).toEqual([
      'cancelled',
      'cancelled',
    ])
    await world.check()
  })

  it('unawaited_activity_should_be_cancelled on a trap', async () => {
    const { slow, aborted } = listening()
    const main = defineWorkflow({ name: 'main' }, async (_: undefined, { call, sleep }) => {
      void call(slow, 'unawaited')
      await sleep('1s')
      throw new RangeError('over')
    })
    await using world = await openTestEngine({ functions: [slow, main], limits })
    const handle = await world.engine.submit(main)
    await world.advance(1_200)
    expect(await handle.outcome({ timeout: 0 })).toMatchObject({
      type: 'execution_failure',
      kind: 'uncategorized',
      reason: 'workflow trap: over',
    })
    expect(aborted).toEqual(['unawaited'])
    await world.check()
  })

  it('an un-awaited child workflow is awaited at the end, not cancelled', async () => {
    const child = defineWorkflow({ name: 'child' }, (_: undefined, { sleep }) => sleep('1s'))
    const main = defineWorkflow({ name: 'main' }, (_: undefined, { call }) => {
      void call(child)
      return 'done'
    })
    await using world = await openTestEngine({ functions: [child, main], limits })
    const handle = await world.engine.submit(main)
    await world.advance(900)
    expect(await handle.state()).toMatchObject({ status: 'blocked' })
    await world.advance(200)
    expect(await handle.result({ timeout: 0 })).toBe('done')
    const [tree] = (await handle.tree()).children
    expect(tree?.execution.outcomeType).toBe('ok')
    await world.check()
  })

  it('replay after every stage: whoever takes over repeats nothing', async () => {
    using folder = temporaryDirectory()
    const file = folder.file('stages.db')
    const time = createTestTime()
    const calls: string[] = []
    const note = defineActivity({ name: 'note' }, (input: string) => {
      calls.push(input)
    })
    const main = defineWorkflow({ name: 'main' }, async (_: undefined, context) => {
      const { call, step, sleep, random, patched } = context
      await call(note, 'one')
      await step('two', () => {
        calls.push('two')
      })
      await sleep('1s')
      if (patched('more')) await call(note, 'three')
      await sleep('1s')
      return random()
    })
    const submitter = await openTestEngine({ functions: [note, main], time, file, started: false })
    const { id } = await submitter.engine.submit(main)
    for (let stages = 0; stages < 40; stages += 1) {
      const world = await openTestEngine({ functions: [note, main], limits, time, file })
      await world.advance(10)
      await world.stop()
    }
    const handle = await submitter.engine.get(id)
    expect(await handle.state()).toMatchObject({ status: 'finished', outcome: { type: 'ok' } })
    expect(calls).toEqual(['one', 'two', 'three'])
    expect(await historyOf(handle)).not.toContain('temporarily_timed_out')
    await submitter.check()
    await submitter.stop()
  })
})

describe('workflow worker, its process', () => {
  it('execution_deadline_before_now_should_timeout: a lock that has run out is no permission', async () => {
    using folder = temporaryDirectory()
    const file = folder.file('deadline.db')
    const gate = createGate()
    const main = defineWorkflow(
      { name: 'main', lockExpiry: '1s', timeout: '2s', retry: { maxRetries: 1, backoff: 0 } },
      (_: undefined, { step }) => step('hang', () => gate.opened, { timeout: '1 day' }),
    )
    await using world = await openTestEngine({ functions: [main], file })
    const handle = await world.engine.submit(main)
    await world.settle()
    // The process sleeps: when it wakes up, its lock and its deadline have passed long ago.
    world.clock.advance(100_000_000)
    await world.advance(1_000)
    gate.open()
    await world.advance(1_000)
    const types = await typesOf(handle)
    expect(types).toContain('temporarily_timed_out')
    expect(await handle.state()).toMatchObject({ status: 'finished', outcome: { type: 'ok' } })
    await world.check()
  })

  it('sleep_should_be_persisted_after_executor_restart: its end is where it was', async () => {
    using folder = temporaryDirectory()
    const file = folder.file('sleep.db')
    const time = createTestTime()
    const main = defineWorkflow({ name: 'main' }, async (_: undefined, { sleep, now }) => {
      await sleep('10s')
      return now()
    })
    const first = await openTestEngine({ functions: [main], file, time })
    const { id } = await first.engine.submit(main)
    await first.advance(4_000)
    await first.stop()
    await using second = await openTestEngine({ functions: [main], file, time })
    const handle = await second.engine.get(id, main)
    await second.advance(9_999 - second.clock.now())
    expect(await handle.state()).toMatchObject({ status: 'blocked' })
    await second.advance(1)
    expect(await handle.result({ timeout: 0 })).toBe(10_000)
    expect(await eventsOf(handle, 'join_set_request')).toHaveLength(1)
    await second.check()
  })

  it('workflow with a handler elsewhere: declared here, executed there', async () => {
    const declared = defineWorkflow<'remote', number, number, number>({ name: 'remote' })
    const remote: Workflow<number, number> = declared.implement((n, { call }) => call(double, n))
    await using world = await openTestEngine({ functions: [double, remote] })
    const handle = await world.engine.submit(declared, 4)
    await world.settle()
    expect(await handle.result({ timeout: 0 })).toBe(8)
    const refused = await rejectionOf(world.engine.complete(handle.id, { type: 'ok', value: 1 }))
    expect(refused).toMatchObject({ code: 'illegal_state' })
  })
})

/** An activity that never ends by itself, and what was aborted. */
function listening() {
  const aborted: string[] = []
  const slow = defineActivity({ name: 'slow' }, (input: string, { signal }: ActivityContext) => {
    signal.addEventListener('abort', () => aborted.push(input))
    return createGate<string>().opened
  })
  return { slow, aborted }
}

function fib(n: number): number {
  return n < 2 ? n : fib(n - 1) + fib(n - 2)
}
