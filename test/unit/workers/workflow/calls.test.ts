import { defineActivity, defineWorkflow, functionRef, isExecutionError, type Schema } from 'stele'
import { describe, expect, it } from 'vitest'
import { thrownBy } from '../../base/thrown-by.ts'
import type { TestFrame, TestHandler } from './test-frame.ts'
import { act, begun, child, delay, faultOf, refusing, returned, sub } from './test-frame.ts'

const day = 86_400_000

/** The events that the code has written, without their places. */
function eventsOf({ log }: TestFrame): readonly object[] {
  return log.slice(1).map(({ event }) => event)
}

/** What a call of the context rejects with, or throws. */
async function refusalOf(handler: TestHandler): Promise<unknown> {
  const world = await begun(async (context, input) => {
    try {
      return await handler(context, input)
    } catch (error) {
      return error
    }
  })
  return (world.end() as { value: unknown }).value
}

describe('call', () => {
  it('call: opens a one-off set, creates the child, and asks for its end', async () => {
    const world = await begun(({ call }) => call(act, 5), { metadata: { trace: 'x' } })
    expect(eventsOf(world)).toEqual([
      { type: 'join_set_create', seq: 1, joinSetId: 'o:1-act' },
      {
        type: 'join_set_request',
        seq: 1,
        joinSetId: 'o:1-act',
        kind: 'child',
        childExecutionId: child('o:1-act'),
        function: { kind: 'activity', name: 'act', version: '1' },
        input: 5,
        result: 'ok',
      },
      {
        type: 'join_next',
        seq: 1,
        joinSetId: 'o:1-act',
        closing: false,
        requestedFunction: 'act',
        seenCursor: 0,
        runExpiresAt: 1_000,
      },
    ])
    expect(world.creations).toEqual([
      {
        executionId: child('o:1-act'),
        createdAt: 1_000,
        event: {
          type: 'created',
          function: { kind: 'activity', name: 'act', version: '1' },
          input: 5,
          parent: { executionId: 'e', joinSetId: 'o:1-act' },
          scheduledAt: 1_000,
          deploymentId: expect.any(String),
          metadata: { trace: 'x' },
        },
      },
    ])
  })

  it('call: gives the decoded value', async () => {
    const world = await begun(({ call }) => call(act, 5))
    world.childEnds('o:1-act', { type: 'ok', value: { n: 1 } })
    await world.advance()
    expect(world.end()).toEqual(returned({ n: 1 }))
  })

  it('call: a name and a delay are taken; the name is part of the id of the child', async () => {
    const world = await begun(({ call }) => call(act, 5, { name: 'retry/2', delay: '1 day' }))
    expect(world.creations).toMatchObject([
      { executionId: child('o:1-retry/2'), event: { scheduledAt: 1_000 + day } },
    ])
  })

  it('call: sets are numbered in the order of calls', async () => {
    const world = await begun(({ call }) => Promise.all([call(act, 1), call(sub, 2)]))
    expect(world.creations.map(({ executionId }) => executionId)).toEqual([
      child('o:1-act'),
      child('o:2-sub'),
    ])
  })

  it.each([
    ['err', { type: 'err', value: 'declined' }],
    ['execution_failure', { type: 'execution_failure', kind: 'timed_out' }],
  ] as const)('call: %s rejects with ExecutionError, its outcome decoded', async (_, outcome) => {
    const world = await begun(({ call }) => call(act, 5))
    world.childEnds('o:1-act', outcome)
    await world.advance()
    const { error } = world.end() as { error: unknown }
    expect(isExecutionError(error, act)).toBe(true)
    expect(error).toMatchObject({ executionId: child('o:1-act'), functionName: 'act', outcome })
  })

  it('call: what the child threw is the cause, live and replayed', async () => {
    const world = await begun(({ call }) => call(act, 5))
    const error = { name: 'RangeError', message: 'too far', code: 'E_FAR' }
    world.childEnds('o:1-act', { type: 'execution_failure', kind: 'uncategorized', error })
    const cold = world.replay()
    await Promise.all([world.advance(), cold.advance()])
    for (const { end } of [world, cold]) {
      expect(end()).toMatchObject({
        type: 'threw',
        error: { code: 'execution_failed', cause: { name: 'RangeError', code: 'E_FAR' } },
      })
    }
  })

  it('call: a value that the codec cannot read rejects', async () => {
    const world = await begun(({ call }) => call(act, 5))
    world.childEnds('o:1-act', { type: 'ok', value: { $devalue: 'nonsense' } })
    await world.advance()
    expect(world.end()).toMatchObject({ type: 'threw', error: { code: 'value_unreadable' } })
  })

  it('call: its input is copied; what the code does to the object later is its own', async () => {
    const input = { items: ['a'] }
    const world = await begun(({ call }) => {
      const called = call(act as never, input as never)
      input.items.push('late')
      return called
    })
    expect(world.creations).toMatchObject([{ event: { input: { items: ['a'] } } }])
  })

  it('call: dates, maps and bigints as inputs replay as the same call', async () => {
    const handler: TestHandler = ({ call }) =>
      call(act as never, { at: new Date(5), by: new Map([['a', 1n]]) } as never)
    const world = await begun(handler)
    const cold = world.replay()
    await cold.advance()
    expect(faultOf(cold)).toBeUndefined()
    const other = world.replay(({ call }) =>
      call(act as never, { at: new Date(6), by: new Map([['a', 1n]]) } as never),
    )
    await other.advance()
    expect(faultOf(other)).toMatchObject({ version: 2 })
  })

  it('B35: an error with its stack as an input replays as the same call', async () => {
    const failAt = [
      (message: string) => new Error(message),
      (message: string) => {
        const inner = (): Error => new Error(message)
        return inner()
      },
    ]
    let runs = 0
    const world = await begun(({ call }) => {
      const error = failAt[runs % 2]?.('no card')
      runs += 1
      return call(act as never, { error } as never)
    })
    const cold = world.replay()
    await cold.advance()
    expect(runs).toBe(2)
    expect(faultOf(cold)).toBeUndefined()
  })

  it('B35: an error with its stack replays as the same call, whatever a schema makes of it', async () => {
    const schema: Schema = {
      '~standard': { version: 1, vendor: 'test', validate: () => ({ value: 'parsed' }) },
    }
    const fn = defineActivity({ name: 'act', input: schema }, () => 1)
    const makers = [() => new Error('no card'), () => [new Error('no card')].at(0)]
    let runs = 0
    const world = await begun(({ call }) => {
      const error = makers[runs % 2]?.()
      runs += 1
      return call(fn, { error })
    })
    const cold = world.replay()
    await cold.advance()
    expect(runs).toBe(2)
    expect(faultOf(cold)).toBeUndefined()
  })

  it.each([
    ['not a function', ({ call }) => call((() => 1) as never), 'unknown_function'],
    ['options', ({ call }) => call(act, 1, { nme: 'x' } as never), 'invalid_option'],
    ['name', ({ call }) => call(act, 1, { name: 'a b' }), 'invalid_name'],
    ['name of another type', ({ call }) => call(act, 1, { name: 5 as never }), 'invalid_option'],
    ['delay', ({ call }) => call(act, 1, { delay: 'soon' as never }), 'invalid_option'],
    ['input', ({ call }) => call(act, (() => 1) as never), 'value_not_storable'],
    ['sleep', ({ sleep }) => sleep('soon' as never), 'invalid_option'],
    ['sleep.name', ({ sleep }) => sleep(1, { name: 'a b' }), 'invalid_name'],
    ['sleep.options', ({ sleep }) => sleep(1, { nme: 'a' } as never), 'invalid_option'],
    ['sleepUntil', ({ sleepUntil }) => sleepUntil('soon' as never), 'invalid_option'],
    ['step', ({ step }) => step('a', 5 as never), 'invalid_option'],
    ['step.name', ({ step }) => step(5 as never, () => 1), 'invalid_option'],
    ['step.options', ({ step }) => step('a', () => 1, { retries: 1 } as never), 'invalid_option'],
    ['step.retry', ({ step }) => step('a', () => 1, { retry: { jitter: 2 } }), 'invalid_option'],
    ['step.timeout', ({ step }) => step('a', () => 1, { timeout: 'x' as never }), 'invalid_option'],
    ['patched', ({ patched }) => patched(5 as never), 'invalid_option'],
    ['schedule', ({ schedule }) => schedule(act, 1, { at: 1, in: 1 }), 'invalid_option'],
    ['schedule.options', ({ schedule }) => schedule(act, 1, { on: 1 } as never), 'invalid_option'],
    ['schedule.fn', ({ schedule }) => schedule({} as never), 'unknown_function'],
  ] as const satisfies readonly (readonly [string, TestHandler, string])[])(
    'refusal: %s',
    async (_, handler, code) => {
      expect(await refusalOf(handler)).toMatchObject({ code })
    },
  )

  it('call: an input too large is refused before anything is written', async () => {
    const world = await begun(({ call }) => call(act, 'x'.repeat(200) as never), {
      valueBytes: 100,
    })
    expect(world.end()).toMatchObject({ error: { code: 'value_too_large' } })
    expect(world.types()).toEqual([])
  })

  it('call: an input that the schema refuses rejects, is recorded, and starts no child', async () => {
    const strict = defineActivity({ name: 'act', input: refusing }, () => 1)
    const world = await begun(({ call }) => call(strict, 5))
    expect(world.end()).toMatchObject({
      error: { code: 'invalid_input', message: expect.stringContaining('not that') },
    })
    expect(eventsOf(world)[1]).toMatchObject({
      result: 'invalid_input',
      reason: expect.any(String),
    })
    expect(world.creations).toEqual([])
  })

  it('call: a refusal is replayed after the schema was loosened', async () => {
    const strict = defineActivity({ name: 'act', input: refusing }, () => 1)
    const code =
      (fn: typeof act): TestHandler =>
      ({ call, sleep }) =>
        call(fn, 5).catch((error: unknown) => sleep(1).then(() => error))
    const world = await begun(code(strict as never))
    const later = world.replay(code(act))
    later.delayEnds('o:2-sleep')
    await later.advance()
    expect(faultOf(later)).toBeUndefined()
    expect(later.end()).toMatchObject(returned({ code: 'invalid_input' }))
  })

  it('call: an input that was accepted stays so after the schema was tightened', async () => {
    const strict = defineActivity({ name: 'act', input: refusing }, () => 1)
    const world = await begun(({ call }) => call(act, 5))
    const later = world.replay(({ call }) => call(strict, 5))
    later.childEnds('o:1-act', { type: 'ok', value: 5 })
    await later.advance()
    expect(faultOf(later)).toBeUndefined()
    expect(later.end()).toEqual(returned(5))
  })

  it('call: the schema of a function that is only referred to is that of the engine', async () => {
    const strict = defineActivity({ name: 'act', input: refusing }, () => 1)
    const handler: TestHandler = ({ call }) => call(functionRef<typeof act>('act'), 5)
    const known = await begun(handler, { functions: [strict] })
    expect(known.end()).toMatchObject({ error: { code: 'invalid_input' } })
    const unknown = await begun(handler)
    expect(unknown.creations).toHaveLength(1)
  })

  it('call: a child that is left alone may fail; that is nobody’s rejection', async () => {
    const world = await begun(async ({ call, sleep }) => {
      void call(act, 1)
      await sleep(1)
      return 'fine'
    })
    world.childEnds('o:1-act', { type: 'err', value: 1 }).delayEnds('o:2-sleep')
    await world.advance()
    expect(world.end()).toEqual(returned('fine'))
  })

  it('call: the version of the callee may change', async () => {
    const newer = defineActivity({ name: 'act', version: '2' }, (n: number) => n)
    const world = await begun(({ call }) => call(act, 1))
    const later = world.replay(({ call }) => call(newer, 1))
    await later.advance()
    expect(faultOf(later)).toBeUndefined()
  })
})

describe('outcome', () => {
  it.each([
    [{ type: 'ok', value: 5 }],
    [{ type: 'err', value: { code: 4 } }],
    [{ type: 'execution_failure', kind: 'cancelled' }],
  ] as const)('outcome: %j is a value', async (outcome) => {
    const world = await begun((context) => context.outcome(act, 5))
    world.childEnds('o:1-act', outcome)
    await world.advance()
    expect(world.end()).toEqual(returned(outcome))
  })

  it('outcome: nothing of what is kept for the engine is shown', async () => {
    const world = await begun((context) => context.outcome(act, 5))
    const failure = { type: 'execution_failure', kind: 'uncategorized', reason: 'no' } as const
    world.childEnds('o:1-act', { ...failure, error: { name: 'Error', message: 'no' } })
    await world.advance()
    expect(world.end()).toEqual(returned(failure))
  })

  it('outcome: a value that the codec cannot read rejects', async () => {
    const world = await begun((context) => context.outcome(act, 5))
    world.childEnds('o:1-act', { type: 'err', value: { $devalue: 'nonsense' } })
    await world.advance()
    expect(world.end()).toMatchObject({ error: { code: 'value_unreadable' } })
  })
})

describe('sleep', () => {
  it('sleep: a delay in a one-off set, due by the wall clock, meant as it was said', async () => {
    const world = await begun(({ sleep }) => sleep('1 day', { name: 'cool-down' }), { now: 5_000 })
    expect(eventsOf(world)[1]).toEqual({
      type: 'join_set_request',
      seq: 1,
      joinSetId: 'o:1-cool-down',
      kind: 'delay',
      delayId: delay('o:1-cool-down'),
      dueAt: 5_000 + day,
      intent: { type: 'in', in: day },
    })
    world.delayEnds('o:1-cool-down')
    await world.advance()
    expect(world.end()).toEqual(returned(undefined))
  })

  it('sleep: a replay at another time is the same call', async () => {
    const world = await begun(({ sleep }) => sleep('1 day'))
    const cold = world.at(999_999).replay()
    await cold.advance()
    expect(faultOf(cold)).toBeUndefined()
  })

  it.each([new Date(7_000), 7_000])('sleepUntil: an instant, %s', async (instant) => {
    const world = await begun(({ sleepUntil }) => sleepUntil(instant))
    expect(eventsOf(world)[1]).toMatchObject({ dueAt: 7_000, intent: { type: 'at', at: 7_000 } })
    world.delayEnds('o:1-sleep')
    await world.advance()
    expect(world.end()).toEqual(returned(undefined))
  })

  it('sleep: one that was cancelled from outside rejects', async () => {
    const world = await begun(({ sleep }) => sleep(1, { name: 'cool' }))
    world.delayEnds('o:1-cool', 'cancelled')
    await world.advance()
    expect(world.end()).toMatchObject({
      error: {
        code: 'execution_failed',
        executionId: delay('o:1-cool'),
        functionName: 'cool',
        outcome: { type: 'execution_failure', kind: 'cancelled' },
      },
    })
  })
})

describe('schedule', () => {
  it.each([
    [undefined, { type: 'now' }, 5_000],
    [{ at: 9_000 }, { type: 'at', at: 9_000 }, 9_000],
    [{ at: new Date(9_000) }, { type: 'at', at: 9_000 }, 9_000],
    [{ in: '1 day' }, { type: 'in', in: day }, 5_000 + day],
  ] as const)('schedule: %j', async (options, intent, scheduledAt) => {
    const world = await begun(({ schedule }) => schedule(sub, 5, options), {
      now: 5_000,
      metadata: { trace: 'x' },
    })
    const { id } = (world.end() as { value: { id: string } }).value
    expect(id).toMatch(/^E_[0-9A-Z]{26}$/)
    expect(eventsOf(world)).toEqual([
      {
        type: 'schedule',
        seq: 1,
        executionId: id,
        function: { kind: 'workflow', name: 'sub', version: '1' },
        input: 5,
        intent,
        result: 'ok',
      },
    ])
    expect(world.creations).toMatchObject([
      {
        executionId: id,
        event: { scheduledAt, scheduledBy: 'e', input: 5, metadata: { trace: 'x' } },
      },
    ])
    expect(world.creations[0]?.event).not.toHaveProperty('parent')
  })

  it('schedule: nothing as the input is stored as nothing', async () => {
    const ping = defineWorkflow({ name: 'ping' }, () => 1)
    const world = await begun(({ schedule }) => schedule(ping))
    expect(eventsOf(world)[0]).not.toHaveProperty('input')
    expect(world.creations[0]?.event).not.toHaveProperty('input')
  })

  it('schedule: a replay gives the same id and creates nothing', async () => {
    const world = await begun(async ({ schedule, sleep }) => {
      const { id } = schedule(sub, 5)
      await sleep(1)
      return id
    })
    const cold = world.replay()
    cold.delayEnds('o:1-sleep')
    await cold.advance()
    expect(cold.end()).toEqual(returned(world.creations[0]?.executionId))
    expect(cold.creations).toEqual([])
  })

  it('schedule: an input that the schema refuses throws, and is recorded', async () => {
    const strict = defineWorkflow({ name: 'strict', input: refusing }, () => 1)
    const world = await begun(({ schedule }) => thrownBy(() => schedule(strict, 5)))
    expect(world.end()).toMatchObject(returned({ code: 'invalid_input' }))
    expect(eventsOf(world)).toMatchObject([{ type: 'schedule', result: 'invalid_input' }])
    expect(world.creations).toEqual([])
  })

  it('schedule: a refusal is replayed after the schema was loosened', async () => {
    const strict = defineWorkflow({ name: 'sub', input: refusing }, () => 1)
    const code =
      (fn: typeof sub): TestHandler =>
      async ({ schedule, sleep }) => {
        const error = thrownBy(() => schedule(fn, 5))
        await sleep(1)
        return error
      }
    const world = await begun(code(strict as never))
    const later = world.replay(code(sub))
    later.delayEnds('o:1-sleep')
    await later.advance()
    expect(faultOf(later)).toBeUndefined()
    expect(later.end()).toMatchObject(returned({ code: 'invalid_input' }))
  })
})

describe('the rest of the context', () => {
  it('context: id and metadata; members need no `this`', async () => {
    const bare = await begun(({ executionId, metadata }) => [executionId, metadata])
    expect(bare.end()).toEqual(returned(['e', {}]))
    const given = await begun(({ metadata }) => metadata, { metadata: { a: 'b' } })
    expect(given.end()).toEqual(returned({ a: 'b' }))
  })

  it('chance: numbers in [0, 1) and UUIDs, another for each call', async () => {
    const world = await begun(({ random, uuid }) => [random(), random(), uuid(), uuid()])
    const { value } = world.end() as { value: [number, number, string, string] }
    expect(new Set(value).size).toBe(4)
    expect(value[0]).toBeGreaterThanOrEqual(0)
    expect(value[0]).toBeLessThan(1)
    expect(value[2]).toMatch(
      /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    )
    expect(world.types()).toEqual([])
  })
})
