import {
  type AnyFunction,
  createEngine,
  defineActivity,
  type Engine,
  type ExecutionError,
  err,
  type FailureOf,
  type Handle,
  type HandleOf,
  isExecutionError,
  type OutputOf,
  unchecked,
} from 'stele'
import { describe, expectTypeOf, test } from 'vitest'

interface Order {
  readonly total: number
}

const charge = defineActivity({ name: 'charge' }, (order: Order) =>
  order.total < 0 ? err('declined') : { paid: order.total },
)
const ping = defineActivity({ name: 'ping' }, () => 'pong')
const maybe = defineActivity({ name: 'maybe', input: unchecked<number | undefined>() }, (n) => n)
const approve = defineActivity({ name: 'approve', output: unchecked<{ by: string }>() }).stub()

declare const engine: Engine

describe('createEngine', () => {
  test('functions by their literal names', async () => {
    const made = await createEngine({ storage: ':memory:', functions: [charge, ping] })
    expectTypeOf(made.functions.charge).toEqualTypeOf<typeof charge>()
    expectTypeOf(made.functions.ping).toEqualTypeOf<typeof ping>()
    // @ts-expect-error: there is no such function
    void made.functions.chrage
  })

  test('any engine fits where an engine is wanted', async () => {
    expectTypeOf(
      await createEngine({ storage: ':memory:', functions: [charge] }),
    ).toExtend<Engine>()
    expectTypeOf(await createEngine({ storage: ':memory:' })).toExtend<Engine>()
  })

  test('mistakes', () => {
    expectTypeOf(createEngine).toBeFunction()
    // @ts-expect-error: a storage is needed
    void createEngine({})
    // @ts-expect-error: there is no such option
    void createEngine({ storage: 'x', function: [] })
    // @ts-expect-error: a plain function is none of ours
    void createEngine({ storage: 'x', functions: [() => 1] })
    // @ts-expect-error: not a strategy
    void createEngine({ storage: 'x', executor: { lockingStrategy: 'by_luck' } })
  })
})

describe('submit', () => {
  test('gives the handle of the function', async () => {
    const handle = await engine.submit(charge, { total: 5 })
    expectTypeOf(handle).toEqualTypeOf<Handle<{ paid: number }, 'declined'>>()
    expectTypeOf<HandleOf<typeof charge>>().toEqualTypeOf<Handle<{ paid: number }, 'declined'>>()
    expectTypeOf(await handle.result()).toEqualTypeOf<{ paid: number }>()
  })

  test('outcomes narrow by their type', async () => {
    const outcome = await (await engine.submit(charge, { total: 5 })).outcome({ timeout: '1m' })
    if (outcome.type === 'ok') expectTypeOf(outcome.value).toEqualTypeOf<{ paid: number }>()
    else if (outcome.type === 'err') expectTypeOf(outcome.value).toEqualTypeOf<'declined'>()
    else {
      expectTypeOf(outcome.kind).toEqualTypeOf<
        'timed_out' | 'nondeterminism_detected' | 'cancelled' | 'uncategorized'
      >()
    }
  })

  test('an input that may be undefined may be left out; options follow', () => {
    expectTypeOf(engine.submit(ping)).resolves.toEqualTypeOf<Handle<string>>()
    void engine.submit(ping, undefined, { id: 'x', delay: '3 days', metadata: { a: 'b' } })
    void engine.submit(maybe)
    void engine.submit(maybe, 5)
  })

  test('mistakes', () => {
    expectTypeOf(engine.submit).toBeFunction()
    // @ts-expect-error: a number is wanted
    void engine.submit(charge, { total: '5' })
    // @ts-expect-error: the input is missing
    void engine.submit(charge)
    // @ts-expect-error: too many properties
    void engine.submit(charge, { total: 5, currency: 'EUR' })
    // @ts-expect-error: it takes nothing
    void engine.submit(ping, 5)
    // @ts-expect-error: there is no such option
    void engine.submit(charge, { total: 5 }, { ids: ['x'] })
    // @ts-expect-error: not by name
    void engine.submit('charge', { total: 5 })
    // @ts-expect-error: a plain function is none of ours
    void engine.submit(async () => 1)
  })

  test('many, all of one type', async () => {
    const handles = await engine.submitMany(charge, [{ total: 1 }], { ids: ['a'] })
    expectTypeOf(handles).toEqualTypeOf<Handle<{ paid: number }, 'declined'>[]>()
    // @ts-expect-error: a number is wanted
    void engine.submitMany(charge, [{ total: '1' }])
  })

  test('a generic wrapper keeps the types', () => {
    const run = async <F extends AnyFunction>(fn: F, handle: HandleOf<F>): Promise<OutputOf<F>> => {
      expectTypeOf(fn.name).toExtend<string>()
      return (await handle.result()) as OutputOf<F>
    }
    expectTypeOf(run<typeof charge>).returns.toEqualTypeOf<Promise<{ paid: number }>>()
  })
})

describe('get and complete', () => {
  test('typed when the function is given', async () => {
    expectTypeOf(await engine.get('x', charge)).toEqualTypeOf<HandleOf<typeof charge>>()
    expectTypeOf(await (await engine.get('x')).result()).toEqualTypeOf<unknown>()
    void engine.complete('x', { type: 'ok', value: { by: 'ann' } }, approve)
    // @ts-expect-error: a text is wanted
    void engine.complete('x', { type: 'ok', value: { by: 5 } }, approve)
    // @ts-expect-error: not a kind
    void engine.complete('x', { type: 'execution_failure', kind: 'bored' }, approve)
  })
})

describe('isExecutionError', () => {
  test('narrows by function', () => {
    const error: unknown = undefined
    if (isExecutionError(error, charge)) {
      expectTypeOf(error).toEqualTypeOf<ExecutionError<{ paid: number }, 'declined'>>()
      if (error.outcome.type === 'err') {
        expectTypeOf(error.outcome.value).toEqualTypeOf<FailureOf<typeof charge>>()
      }
    }
    if (isExecutionError(error)) expectTypeOf(error.outcome.type).toExtend<string>()
  })
})
