import {
  type Activity,
  type AnyFunction,
  type Args,
  createEngine,
  defineActivity,
  err,
  functionRef,
  type InputOf,
  type OutputOf,
  unchecked,
} from 'stele'
import { describe, expectTypeOf, test } from 'vitest'
import { z } from 'zod'

interface Order {
  readonly total: number
}

/** Whatever runs a function and gives its output. */
declare function call<F extends AnyFunction>(
  fn: F,
  ...args: Args<InputOf<F>, object>
): Promise<OutputOf<F>>

const number = unchecked<number>()

describe('declarations', () => {
  test('implementation and stub have the types of the declaration', () => {
    const declared = defineActivity({
      name: 'charge',
      input: unchecked<Order>(),
      output: z.object({ paid: z.number() }),
      failure: unchecked<'declined'>(),
    })
    type Charge = Activity<Order, { paid: number }, 'declined', 'charge'>
    const charge = declared.implement(({ total }) =>
      total < 0 ? err('declined') : { paid: total },
    )
    expectTypeOf(charge).toEqualTypeOf<Charge>()
    expectTypeOf(declared.stub()).toEqualTypeOf<Charge>()
    expectTypeOf<InputOf<typeof declared>>().toEqualTypeOf<Order>()
    expectTypeOf<OutputOf<typeof declared>>().toEqualTypeOf<{ paid: number }>()
  })

  test('without schemas there is neither input nor output', () => {
    const declared = defineActivity({ name: 'ping' })
    expectTypeOf(declared.stub()).toEqualTypeOf<Activity<undefined, undefined, unknown, 'ping'>>()
  })

  test('functions that call themselves and each other need no annotation', () => {
    const factorial = defineActivity({
      name: 'factorial',
      input: number,
      output: number,
    }).implement(async (n) => (n <= 1 ? 1 : n * (await call(factorial, n - 1))))
    const even = defineActivity({ name: 'even', input: number, output: number }).implement(
      async (n) => (n === 0 ? 1 : await call(odd, n - 1)),
    )
    const odd = defineActivity({ name: 'odd', input: number, output: number }).implement(
      async (n) => (n === 0 ? 0 : await call(even, n - 1)),
    )
    expectTypeOf(factorial).toEqualTypeOf<Activity<number, number, unknown, 'factorial'>>()
    expectTypeOf(even).toEqualTypeOf<Activity<number, number, unknown, 'even'>>()
    expectTypeOf(odd).toEqualTypeOf<Activity<number, number, unknown, 'odd'>>()
  })

  test('mistakes', () => {
    const declared = defineActivity({ name: 'charge', input: number, output: number })
    expectTypeOf(declared.implement).toBeFunction()
    // @ts-expect-error: a number is wanted
    declared.implement(() => 'text')
    // @ts-expect-error: a number is given
    declared.implement((order: Order) => order.total)
    // @ts-expect-error: a declaration is not implemented
    void createEngine({ storage: ':memory:', functions: [declared] })
  })
})

describe('functionRef', () => {
  test('has the type it is told, and the name must be the right one', () => {
    const charge = defineActivity({ name: 'charge' }, (order: Order) => order.total)
    const ref = functionRef<typeof charge>('charge')
    expectTypeOf(ref).toEqualTypeOf<typeof charge>()
    // @ts-expect-error: the function has another name
    functionRef<typeof charge>('chrage')
    // @ts-expect-error: it is an activity
    functionRef<typeof charge>('charge', { kind: 'workflow' })
  })
})
