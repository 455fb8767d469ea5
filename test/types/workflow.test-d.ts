import {
  type AnyFunction,
  type Child,
  type ChildResponse,
  createEngine,
  type DelayResponse,
  defineActivity,
  defineWorkflow,
  type Engine,
  err,
  type FailureOf,
  type HandleOf,
  type Implemented,
  type InputOf,
  type JoinSet,
  type MessageChannel,
  type NameOf,
  type Outcome,
  type OutputOf,
  type RunLog,
  type StepContext,
  unchecked,
  type Workflow,
  type WorkflowContext,
  type WorkflowHandle,
} from 'stele'
import { describe, expectTypeOf, test } from 'vitest'
import { z } from 'zod'

interface Order {
  readonly total: number
}

const pack = defineActivity({ name: 'pack' }, (order: Order) =>
  order.total < 0 ? err('empty') : { weight: order.total },
)
const ship = defineWorkflow(
  { name: 'ship', input: unchecked<{ to: string }>() },
  () => 'tracking' as const,
)
const ping = defineActivity({ name: 'ping' }, () => 5)
const maybe = defineActivity({ name: 'maybe', input: unchecked<number | undefined>() }, (n) => n)

declare const engine: Engine
declare const context: WorkflowContext<{ approve: { by: string }; poke: undefined }>
const { call, outcome, step, sleep, sleepUntil, joinSet, schedule, messages } = context

describe('inference without schemas', () => {
  test('input from the parameter, output from what is returned', () => {
    const checkout = defineWorkflow({ name: 'checkout' }, async (order: Order) => order.total)
    expectTypeOf(checkout).toEqualTypeOf<Workflow<Order, number, unknown, {}, 'checkout'>>()
    expectTypeOf<InputOf<typeof checkout>>().toEqualTypeOf<Order>()
    expectTypeOf<OutputOf<typeof checkout>>().toEqualTypeOf<number>()
    expectTypeOf<NameOf<typeof checkout>>().toEqualTypeOf<'checkout'>()
    expectTypeOf(checkout).toExtend<AnyFunction & Implemented>()
  })

  test('a synchronous handler, and one without input', () => {
    const five = defineWorkflow({ name: 'five' }, () => 5)
    expectTypeOf<InputOf<typeof five>>().toEqualTypeOf<undefined>()
    expectTypeOf<OutputOf<typeof five>>().toEqualTypeOf<number>()
  })

  test('failures from err, literal as they are written', () => {
    const checkout = defineWorkflow({ name: 'checkout' }, (order: Order) => {
      if (order.total < 0) return err('negative')
      if (order.total > 100) return err({ code: 'too_much', limit: 100 })
      return { paid: order.total }
    })
    expectTypeOf<OutputOf<typeof checkout>>().toEqualTypeOf<{ paid: number }>()
    expectTypeOf<FailureOf<typeof checkout>>().toEqualTypeOf<
      'negative' | { readonly code: 'too_much'; readonly limit: 100 }
    >()
  })

  test('what is called gives the output, without an annotation', () => {
    const checkout = defineWorkflow({ name: 'checkout' }, async (order: Order, given) => {
      const { weight } = await given.call(pack, order)
      return [weight, await given.call(ship, { to: 'Kiel' })] as const
    })
    expectTypeOf<OutputOf<typeof checkout>>().toEqualTypeOf<readonly [number, 'tracking']>()
  })

  test('a name that is computed is a text', () => {
    const name: string = ['check', 'out'].join('')
    const checkout = defineWorkflow({ name }, () => 1)
    expectTypeOf<NameOf<typeof checkout>>().toEqualTypeOf<string>()
  })

  test('an annotation needs only input and output', () => {
    const checkout: Workflow<Order, number> = defineWorkflow(
      { name: 'checkout' },
      (order: Order) => order.total,
    )
    expectTypeOf<OutputOf<typeof checkout>>().toEqualTypeOf<number>()
  })
})

describe('inference with schemas', () => {
  test('callers give what the schema accepts; the handler is given what it makes of it', () => {
    const input = z.object({ total: z.coerce.number<string>(), note: z.string().default('') })
    const checkout = defineWorkflow({ name: 'checkout', input }, (given) => {
      expectTypeOf(given).toEqualTypeOf<{ total: number; note: string }>()
      return given.total
    })
    expectTypeOf<InputOf<typeof checkout>>().toEqualTypeOf<{
      total: string
      note?: string | undefined
    }>()
    expectTypeOf<OutputOf<typeof checkout>>().toEqualTypeOf<number>()
  })

  test('the handler returns what the output schema accepts; callers get what it makes of it', () => {
    const output = z.object({ status: z.enum(['paid', 'open']), at: z.coerce.date<string>() })
    const checkout = defineWorkflow({ name: 'checkout', output }, () => ({
      status: 'paid',
      at: '2030-01-01',
    }))
    expectTypeOf<OutputOf<typeof checkout>>().toEqualTypeOf<{ status: 'paid' | 'open'; at: Date }>()
  })

  test('failures from their schema', () => {
    const failure = z.object({ code: z.number() })
    const checkout = defineWorkflow({ name: 'checkout', failure }, () => 1)
    expectTypeOf<FailureOf<typeof checkout>>().toEqualTypeOf<{ code: number }>()
  })

  test('unchecked names a type and checks nothing', () => {
    const checkout = defineWorkflow(
      { name: 'checkout', input: unchecked<Order>() },
      ({ total }) => total,
    )
    expectTypeOf<InputOf<typeof checkout>>().toEqualTypeOf<Order>()
  })
})

describe('messages', () => {
  const collect = defineWorkflow(
    {
      name: 'collect',
      messages: {
        approve: z.object({ at: z.coerce.date<string>() }),
        poke: unchecked<undefined>(),
      },
    },
    async (order: Order, given) => {
      expectTypeOf(given.messages.approve).toEqualTypeOf<MessageChannel<{ at: Date }>>()
      expectTypeOf(given.messages.approve.next()).resolves.toEqualTypeOf<{ at: Date }>()
      expectTypeOf(given.messages.approve.next({ timeout: '1 day' })).resolves.toEqualTypeOf<
        { at: Date } | undefined
      >()
      for await (const { at } of given.messages.approve) return [at, order.total] as const
      return undefined
    },
  )

  test('the workflow is given what the schemas make; senders give what they accept', async () => {
    const handle = await engine.submit(collect, { total: 5 })
    expectTypeOf(handle).toEqualTypeOf<
      WorkflowHandle<
        readonly [Date, number] | undefined,
        unknown,
        { approve: { at: string }; poke: undefined }
      >
    >()
    expectTypeOf<HandleOf<typeof collect>>().toEqualTypeOf<typeof handle>()
    await handle.send('approve', { at: '2030-01-01' })
    await handle.send('approve', { at: '2030-01-01' }, { id: 'once' })
    await handle.send('poke')
    await handle.send('poke', undefined, { id: 'once' })
  })

  test('get with the function gives its handle', async () => {
    expectTypeOf(await engine.get('x', collect)).toEqualTypeOf<HandleOf<typeof collect>>()
  })

  test('mistakes', async () => {
    const handle = await engine.submit(collect, { total: 5 })
    expectTypeOf(handle.send).toBeFunction()
    // @ts-expect-error: there is no such channel
    void handle.send('aprove', { at: 'x' })
    // @ts-expect-error: a text is wanted
    void handle.send('approve', { at: 5 })
    // @ts-expect-error: the payload is missing
    void handle.send('approve')
    // @ts-expect-error: there is no such option
    void handle.send('approve', { at: 'x' }, { key: 'once' })
    expectTypeOf(await engine.submit(ping)).not.toHaveProperty('send')
    // @ts-expect-error: a workflow without channels takes none
    void (await engine.submit(ship, { to: 'Kiel' })).send('approve', 1)
    // @ts-expect-error: a schema is wanted
    defineWorkflow({ name: 'w', messages: { approve: 'text' } }, () => 1)
    // @ts-expect-error: the channel is not declared
    defineWorkflow({ name: 'w' }, (_: undefined, { messages: { approve } }) => void approve)
  })
})

describe('declarations', () => {
  const number = unchecked<number>()

  test('a workflow that calls itself needs no annotation', () => {
    const factorial = defineWorkflow({
      name: 'factorial',
      input: number,
      output: number,
    }).implement(async (n, given) => (n <= 1 ? 1 : n * (await given.call(factorial, n - 1))))
    expectTypeOf<InputOf<typeof factorial>>().toEqualTypeOf<number>()
    expectTypeOf<OutputOf<typeof factorial>>().toEqualTypeOf<number>()
  })

  test('workflows that call each other need none either', () => {
    const even = defineWorkflow({ name: 'even', input: number, output: number }).implement(
      async (n, given) => (n === 0 ? 1 : await given.call(odd, n - 1)),
    )
    const odd = defineWorkflow({ name: 'odd', input: number, output: number }).implement(
      async (n, given) => (n === 0 ? 0 : await given.call(even, n - 1)),
    )
    expectTypeOf<OutputOf<typeof even>>().toEqualTypeOf<number>()
    expectTypeOf<OutputOf<typeof odd>>().toEqualTypeOf<number>()
  })

  test('a return annotation does as well', () => {
    const countdown = defineWorkflow(
      { name: 'countdown' },
      async (n: number, given): Promise<number> =>
        n === 0 ? 0 : await given.call(countdown, n - 1),
    )
    expectTypeOf<OutputOf<typeof countdown>>().toEqualTypeOf<number>()
  })

  test('messages and failures come from the declaration', () => {
    const declared = defineWorkflow({
      name: 'collect',
      messages: { approve: unchecked<string>() },
      failure: unchecked<'declined'>(),
    })
    const collect = declared.implement(async (_, given) => {
      expectTypeOf(await given.messages.approve.next()).toEqualTypeOf<string>()
      return err('declined')
    })
    expectTypeOf<FailureOf<typeof collect>>().toEqualTypeOf<'declined'>()
    expectTypeOf<HandleOf<typeof declared>>().toEqualTypeOf<
      WorkflowHandle<undefined, 'declined', { approve: string }>
    >()
  })

  test('mistakes', () => {
    const declared = defineWorkflow({ name: 'w', input: number, output: number })
    expectTypeOf(declared.implement).toBeFunction()
    // @ts-expect-error: a number is wanted
    declared.implement(() => 'text')
    // @ts-expect-error: a number is given
    declared.implement((order: Order) => order.total)
    // @ts-expect-error: a declaration is not implemented
    void createEngine({ storage: ':memory:', functions: [declared] })
    expectTypeOf(declared).not.toHaveProperty('stub')
  })
})

describe('calls', () => {
  test('give what the function gives', () => {
    expectTypeOf(call(pack, { total: 5 })).resolves.toEqualTypeOf<{ weight: number }>()
    expectTypeOf(
      call(ship, { to: 'Kiel' }, { name: 'first', delay: '1h' }),
    ).resolves.toEqualTypeOf<'tracking'>()
    expectTypeOf(Promise.all([call(ping), call(ship, { to: 'x' })])).resolves.toEqualTypeOf<
      [number, 'tracking']
    >()
  })

  test('an input that may be undefined may be left out; options follow', () => {
    expectTypeOf(call(ping)).resolves.toEqualTypeOf<number>()
    void call(ping, undefined, { name: 'pong' })
    void call(maybe)
    void call(maybe, 5)
    void schedule(ping)
    void schedule(ping, undefined, { in: '1h' })
  })

  test('outcomes narrow by their type', async () => {
    const ended = await outcome(pack, { total: 5 })
    expectTypeOf(ended).toEqualTypeOf<Outcome<{ weight: number }, 'empty'>>()
    if (ended.type === 'ok') expectTypeOf(ended.value).toEqualTypeOf<{ weight: number }>()
    else if (ended.type === 'err') expectTypeOf(ended.value).toEqualTypeOf<'empty'>()
    else expectTypeOf(ended.reason).toEqualTypeOf<string | undefined>()
  })

  test('steps give what their code gives', () => {
    expectTypeOf(step('a', () => 5)).resolves.toEqualTypeOf<number>()
    expectTypeOf(step('a', async () => new Map([['x', 1]]))).resolves.toEqualTypeOf<
      Map<string, number>
    >()
    void step('a', (given) => expectTypeOf(given).toEqualTypeOf<StepContext>(), {
      timeout: '1 minute',
      retry: { maxRetries: 3 },
    })
  })

  test('the rest of the context', () => {
    expectTypeOf(sleep('3 days')).resolves.toEqualTypeOf<void>()
    expectTypeOf(sleepUntil(new Date(0))).resolves.toEqualTypeOf<void>()
    expectTypeOf(schedule(ship, { to: 'x' }, { at: 5 })).toEqualTypeOf<{ readonly id: string }>()
    expectTypeOf(context.now()).toEqualTypeOf<number>()
    expectTypeOf(context.random()).toEqualTypeOf<number>()
    expectTypeOf(context.uuid()).toEqualTypeOf<string>()
    expectTypeOf(context.patched('fee')).toEqualTypeOf<boolean>()
    expectTypeOf(context.log).toEqualTypeOf<RunLog>()
    expectTypeOf(context.metadata).toEqualTypeOf<Readonly<Record<string, string>>>()
    expectTypeOf(messages.poke.next()).resolves.toEqualTypeOf<undefined>()
  })

  test('mistakes', () => {
    expectTypeOf(call).toBeFunction()
    // @ts-expect-error: a number is wanted
    void call(pack, { total: '5' })
    // @ts-expect-error: the input is missing
    void call(pack)
    // @ts-expect-error: too many properties
    void call(pack, { total: 5, currency: 'EUR' })
    // @ts-expect-error: it takes nothing
    void call(ping, 5)
    // @ts-expect-error: there is no such option
    void call(ping, undefined, { retries: 5 })
    // @ts-expect-error: a plain function is none of ours
    void call(async () => 1)
    // @ts-expect-error: not by name
    void call('pack', { total: 5 })
    // @ts-expect-error: not a unit
    void sleep('3 fortnights')
    // @ts-expect-error: an instant is wanted
    void sleepUntil('2030-01-01')
    // @ts-expect-error: a step has a name
    void step(() => 1)
    // @ts-expect-error: a number is wanted
    void step('a', () => 1, { retry: { maxRetries: '3' } })
  })
})

describe('join sets', () => {
  test('of one function: children or delays', async () => {
    const boxes = joinSet('boxes', { of: pack })
    expectTypeOf(boxes).toEqualTypeOf<JoinSet<typeof pack>>()
    expectTypeOf(boxes.submit(pack, { total: 5 })).toEqualTypeOf<Child<typeof pack>>()
    expectTypeOf(await boxes.next()).toEqualTypeOf<
      ChildResponse<{ weight: number }, 'empty', 'pack'> | DelayResponse
    >()
    for await (const { value } of boxes) expectTypeOf(value).toEqualTypeOf<{ weight: number }>()
  })

  test('of many: narrowed by kind and name, exhaustively', async () => {
    const set = joinSet('mixed', { of: [pack, ship] })
    for await (const { kind, name, value, outcome: ended } of set) {
      if (kind === 'delay') {
        expectTypeOf(name).toEqualTypeOf<undefined>()
        expectTypeOf(value).toEqualTypeOf<never>()
        continue
      }
      switch (name) {
        case 'pack':
          expectTypeOf(value).toEqualTypeOf<{ weight: number }>()
          expectTypeOf(ended).toEqualTypeOf<Outcome<{ weight: number }, 'empty'>>()
          break
        case 'ship':
          expectTypeOf(value).toEqualTypeOf<'tracking'>()
          break
        default:
          expectTypeOf(name).toEqualTypeOf<never>()
      }
    }
  })

  test('of anything, or by a type argument', async () => {
    expectTypeOf(await joinSet('any').next()).toExtend<{ readonly id: string }>()
    joinSet().submit(pack, { total: 5 })
    expectTypeOf(joinSet<typeof pack>('boxes')).toEqualTypeOf<JoinSet<typeof pack>>()
  })

  test('waiting, looking, mapping, closing', async () => {
    const boxes = joinSet('boxes', { of: pack, concurrency: 3, onFailure: 'ignore' })
    expectTypeOf(boxes.name).toEqualTypeOf<string>()
    expectTypeOf(boxes.delay('1h')).toEqualTypeOf<{ readonly id: string }>()
    expectTypeOf(await boxes.next({ timeout: 5 })).toExtend<{ readonly id: string } | undefined>()
    expectTypeOf(boxes.tryNext()).toExtend<{ readonly id: string } | undefined>()
    expectTypeOf(boxes.map(pack, [{ total: 5 }])).resolves.toEqualTypeOf<{ weight: number }[]>()
    expectTypeOf(boxes.close()).resolves.toEqualTypeOf<void>()
    expectTypeOf(boxes).toExtend<AsyncDisposable>()
  })

  test('mistakes', () => {
    const boxes = joinSet('boxes', { of: pack })
    expectTypeOf(boxes.submit).toBeFunction()
    // @ts-expect-error: not one of the set
    boxes.submit(ship, { to: 'Kiel' })
    // @ts-expect-error: a number is wanted
    boxes.submit(pack, { total: '5' })
    // @ts-expect-error: the input is missing
    boxes.submit(pack)
    // @ts-expect-error: a number is wanted
    void boxes.map(pack, [{ total: '5' }])
    // @ts-expect-error: not a policy
    joinSet('a', { onFailure: 'panic' })
    // @ts-expect-error: not a policy
    joinSet('a', { onClose: 'slam' })
    // @ts-expect-error: a number is wanted
    joinSet('a', { concurrency: '3' })
    // @ts-expect-error: there is no such option
    joinSet('a', { retries: 3 })
  })
})

describe('mistakes', () => {
  test('options', () => {
    expectTypeOf(defineWorkflow).toBeFunction()
    // @ts-expect-error: there is no such option
    defineWorkflow({ name: 'a', retries: 3 }, () => 1)
    // @ts-expect-error: not a policy
    defineWorkflow({ name: 'a', onNondeterminism: 'ignore' }, () => 1)
    // @ts-expect-error: a name is needed
    defineWorkflow({}, () => 1)
  })

  test('handlers', () => {
    expectTypeOf(defineWorkflow).toBeFunction()
    const output = z.object({ status: z.enum(['paid', 'open']) })
    // @ts-expect-error: not one of the words
    defineWorkflow({ name: 'a', output }, () => ({ status: 'lost' }))
    // @ts-expect-error: nothing is returned
    defineWorkflow({ name: 'a', output }, () => {})
    // @ts-expect-error: workflows fetch in a step
    defineWorkflow({ name: 'a' }, (_: Order, { fetch }) => void fetch)
    // @ts-expect-error: workflows have no signal
    defineWorkflow({ name: 'a' }, (_: Order, { signal }) => void signal)
    // @ts-expect-error: the schema says text
    defineWorkflow({ name: 'a', input: z.string() }, (amount: number) => amount)
  })
})
