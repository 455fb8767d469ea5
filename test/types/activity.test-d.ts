import {
  type Activity,
  type ActivityContext,
  defineActivity,
  err,
  type FailureOf,
  type InputOf,
  type NameOf,
  type OutputOf,
  unchecked,
} from 'stele'
import { describe, expectTypeOf, test } from 'vitest'
import { z } from 'zod'

interface Order {
  readonly id: string
  readonly total: number
}

interface Box {
  readonly weight: number
}

describe('inference without schemas', () => {
  test('input from the parameter, output from what is returned', () => {
    const pack = defineActivity({ name: 'pack' }, async (order: Order) => ({ weight: order.total }))
    expectTypeOf(pack).toEqualTypeOf<Activity<Order, { weight: number }, unknown, 'pack'>>()
    expectTypeOf<InputOf<typeof pack>>().toEqualTypeOf<Order>()
    expectTypeOf<OutputOf<typeof pack>>().toEqualTypeOf<{ weight: number }>()
    expectTypeOf<FailureOf<typeof pack>>().toEqualTypeOf<unknown>()
    expectTypeOf<NameOf<typeof pack>>().toEqualTypeOf<'pack'>()
  })

  test('a synchronous handler, and one without input', () => {
    const now = defineActivity({ name: 'now' }, () => 5)
    expectTypeOf(now).toEqualTypeOf<Activity<undefined, number, unknown, 'now'>>()
    const nothing = defineActivity({ name: 'nothing' }, () => undefined)
    expectTypeOf<OutputOf<typeof nothing>>().toEqualTypeOf<undefined>()
  })

  test('failures from err, literal as they are written', () => {
    const charge = defineActivity({ name: 'charge' }, (order: Order) => {
      if (order.total < 0) return err('negative')
      if (order.total > 100) return err({ code: 'too_much', limit: 100 })
      return { paid: order.total }
    })
    expectTypeOf<OutputOf<typeof charge>>().toEqualTypeOf<{ paid: number }>()
    expectTypeOf<FailureOf<typeof charge>>().toEqualTypeOf<
      'negative' | { readonly code: 'too_much'; readonly limit: 100 }
    >()
  })

  test('the context is typed, and every member can be destructured', () => {
    defineActivity({ name: 'look' }, (_: Order, context) => {
      expectTypeOf(context).toEqualTypeOf<ActivityContext>()
      const { signal, attempt, executionId, idempotencyKey, metadata, log, heartbeat } = context
      expectTypeOf(signal).toEqualTypeOf<AbortSignal>()
      expectTypeOf(attempt).toEqualTypeOf<number>()
      expectTypeOf([executionId, idempotencyKey]).toEqualTypeOf<string[]>()
      expectTypeOf(metadata).toEqualTypeOf<Readonly<Record<string, string>>>()
      expectTypeOf(heartbeat).returns.toEqualTypeOf<Promise<void>>()
      log.info('hello', { any: 'thing' })
    })
  })

  test('a plain function fits as it is', () => {
    const weigh = (order: Order): Promise<Box> => Promise.resolve({ weight: order.total })
    const pack = defineActivity({ name: 'pack' }, weigh)
    expectTypeOf(pack).toEqualTypeOf<Activity<Order, Box, unknown, 'pack'>>()
  })

  test('a name that is computed is a text', () => {
    const name: string = ['pa', 'ck'].join('')
    const pack = defineActivity({ name }, () => 1)
    expectTypeOf<NameOf<typeof pack>>().toEqualTypeOf<string>()
  })

  test('an annotation needs only input and output', () => {
    const pack: Activity<Order, Box> = defineActivity({ name: 'pack' }, (order: Order) => ({
      weight: order.total,
    }))
    expectTypeOf<OutputOf<typeof pack>>().toEqualTypeOf<Box>()
  })
})

describe('inference with schemas', () => {
  const order = z.object({
    id: z.string(),
    total: z.coerce.number<string>(),
    note: z.string().default(''),
  })

  test('callers give what the schema accepts; the handler is given what it makes of it', () => {
    const charge = defineActivity({ name: 'charge', input: order }, (given) => {
      expectTypeOf(given).toEqualTypeOf<{ id: string; total: number; note: string }>()
      return given.total
    })
    expectTypeOf<InputOf<typeof charge>>().toEqualTypeOf<{
      id: string
      total: string
      note?: string | undefined
    }>()
    expectTypeOf<OutputOf<typeof charge>>().toEqualTypeOf<number>()
  })

  test('the handler returns what the output schema accepts; callers get what it makes of it', () => {
    const output = z.object({ status: z.enum(['paid', 'open']), at: z.coerce.date<string>() })
    const charge = defineActivity({ name: 'charge', output }, () => ({
      status: 'paid',
      at: '2030-01-01',
    }))
    expectTypeOf<OutputOf<typeof charge>>().toEqualTypeOf<{ status: 'paid' | 'open'; at: Date }>()
  })

  test('failures from their schema, for what is thrown deep inside', () => {
    const failure = z.object({ code: z.number() })
    const charge = defineActivity({ name: 'charge', failure }, () => 1)
    expectTypeOf<FailureOf<typeof charge>>().toEqualTypeOf<{ code: number }>()
  })

  test('unchecked names a type and checks nothing', () => {
    const charge = defineActivity(
      { name: 'charge', input: unchecked<Order>() },
      ({ total }) => total,
    )
    expectTypeOf(charge).toEqualTypeOf<Activity<Order, number, unknown, 'charge'>>()
  })
})

describe('mistakes', () => {
  test('options', () => {
    expectTypeOf(defineActivity).toBeFunction()
    // @ts-expect-error: there is no such option
    defineActivity({ name: 'a', retries: 3 }, () => 1)
    // @ts-expect-error: a number is wanted
    defineActivity({ name: 'a', retry: { maxRetries: '3' } }, () => 1)
    // @ts-expect-error: not a unit
    defineActivity({ name: 'a', timeout: '3 fortnights' }, () => 1)
    // @ts-expect-error: a name is needed
    defineActivity({}, () => 1)
  })

  test('handlers', () => {
    expectTypeOf(defineActivity).toBeFunction()
    const output = z.object({ status: z.enum(['paid', 'open']) })
    // @ts-expect-error: not one of the words
    defineActivity({ name: 'a', output }, () => ({ status: 'lost' }))
    // @ts-expect-error: nothing is returned
    defineActivity({ name: 'a', output }, () => {})
    // @ts-expect-error: activities call nobody
    defineActivity({ name: 'a' }, (_: Order, { call }) => void call)
    // @ts-expect-error: the schema says text
    defineActivity({ name: 'a', input: z.string() }, (amount: number) => amount)
  })
})
