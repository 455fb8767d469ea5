import { type as arktype } from 'arktype'
import { defineActivity, err, unchecked } from 'stele'
import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { parseWith, type Schema } from '../../../src/workers/schema.ts'
import { openTestEngine } from '../client/test-engine.ts'

/** `{ total: number }`, with a total that may be a text, in three libraries. */
const libraries: readonly (readonly [string, Schema<{ total: string }, { total: number }>])[] = [
  ['zod', z.object({ total: z.coerce.number<string>().min(1) })],
  ['valibot', v.object({ total: v.pipe(v.string(), v.transform(Number), v.minValue(1)) })],
  ['arktype', arktype({ total: arktype('string.numeric.parse').to('number >= 1') })],
]

function parse(schema: unknown, value: unknown): unknown {
  return parseWith({
    schema: schema as Schema,
    value,
    root: 'input of charge',
    code: 'invalid_input',
    consequence: 'Nothing was written.',
  })
}

describe.each(libraries)('%s', (_, schema) => {
  it('schema: gives the parsed value', () => {
    expect(parse(schema, { total: '5' })).toEqual({ total: 5 })
  })

  it('schema: refuses with the path and every issue', () => {
    expect(() => parse(schema, { total: '0' })).toThrow(
      expect.objectContaining({
        code: 'invalid_input',
        message: expect.stringMatching(/^The input of charge is not valid: .* \(at \.total\)\./),
        fields: { path: '.total', issues: [expect.any(String)] },
      }),
    )
  })

  it('input: is parsed once, where it is submitted; the parsed value is stored and handed over', async () => {
    const seen: unknown[] = []
    const charge = defineActivity(
      { name: 'charge', input: schema, retry: { backoff: 10 } },
      (order, { attempt }) => {
        seen.push(order)
        if (attempt === 1) throw new Error('again')
        return order.total
      },
    )
    await using world = await openTestEngine({ functions: [charge] })
    const handle = await world.engine.submit(charge, { total: '5' } as never)
    await world.advance(100)
    const { events } = await handle.log()
    expect(events[0]).toMatchObject({ type: 'created', input: { total: 5 } })
    expect(seen).toEqual([{ total: 5 }, { total: 5 }])
    expect(await handle.result({ timeout: 0 })).toBe(5)
  })

  it('input: a refused one writes nothing', async () => {
    const charge = defineActivity({ name: 'charge', input: schema }, (order) => order.total)
    await using world = await openTestEngine({ functions: [charge] })
    await expect(world.engine.submit(charge, { total: 'x' } as never)).rejects.toMatchObject({
      code: 'invalid_input',
    })
    expect(await world.engine.list()).toEqual({ items: [] })
  })

  it('output: the parsed value is what is stored', async () => {
    const charge = defineActivity({ name: 'charge', output: schema }, () => {
      return { total: '7' } as never
    })
    await using world = await openTestEngine({ functions: [charge] })
    const handle = await world.engine.submit(charge)
    await world.settle()
    expect(await handle.result({ timeout: 0 })).toEqual({ total: 7 })
  })

  it('output: one that does not fit is final, and says where', async () => {
    const charge = defineActivity({ name: 'charge', output: schema }, () => {
      return { total: '0' } as never
    })
    await using world = await openTestEngine({ functions: [charge] })
    const handle = await world.engine.submit(charge)
    await world.settle()
    expect(await handle.outcome({ timeout: 0 })).toMatchObject({
      type: 'execution_failure',
      kind: 'uncategorized',
      reason: expect.stringMatching(/^The result is not valid: .* \(at \.total\)\./),
    })
  })
})

describe('failures', () => {
  const failure = z.object({ code: z.enum(['declined', 'expired']) })

  it('failure: fits its schema, or the end is a failure that says so', async () => {
    const charge = defineActivity(
      { name: 'charge', failure, retry: { maxRetries: 0 } },
      (code: string) => err({ code } as never),
    )
    await using world = await openTestEngine({ functions: [charge] })
    const fitting = await world.engine.submit(charge, 'declined')
    const other = await world.engine.submit(charge, 'unlucky')
    await world.settle()
    expect(await fitting.outcome()).toEqual({ type: 'err', value: { code: 'declined' } })
    expect(await other.outcome()).toMatchObject({
      type: 'execution_failure',
      reason: expect.stringMatching(/^The error is not valid: .* \(at \.code\)\./),
    })
  })
})

describe('schemas that misbehave', () => {
  const asynchronous = z.string().refine(() => Promise.resolve(true))

  it('async: a schema that answers with a promise is refused, for inputs', async () => {
    const charge = defineActivity({ name: 'charge', input: asynchronous }, (text) => text)
    await using world = await openTestEngine({ functions: [charge] })
    await expect(world.engine.submit(charge, 'x')).rejects.toMatchObject({
      code: 'invalid_option',
      message: expect.stringContaining('answers with a promise'),
    })
    expect(await world.engine.list()).toEqual({ items: [] })
  })

  it('async: for outputs it is the end, with the reason', async () => {
    const charge = defineActivity({ name: 'charge', output: asynchronous }, () => 'x')
    await using world = await openTestEngine({ functions: [charge] })
    const handle = await world.engine.submit(charge)
    await world.settle()
    expect(await handle.outcome()).toMatchObject({
      type: 'execution_failure',
      reason: expect.stringContaining('answers with a promise'),
    })
  })

  it('throwing: is a refusal of ours, with what was thrown as its cause', () => {
    const cause = new Error('schema broke')
    const schema: Schema = {
      '~standard': {
        version: 1,
        vendor: 'test',
        validate: () => {
          throw cause
        },
      },
    }
    expect(() => parse(schema, 1)).toThrow(
      expect.objectContaining({
        code: 'invalid_input',
        cause,
        message: expect.stringContaining('schema broke'),
      }),
    )
  })

  it('path: indexes in brackets, keys after dots, segments as objects too', () => {
    const schema: Schema = {
      '~standard': {
        version: 1,
        vendor: 'test',
        validate: () => ({ issues: [{ message: 'no', path: ['items', 3, { key: 'socket' }] }] }),
      },
    }
    expect(() => parse(schema, 1)).toThrow('(at .items[3].socket)')
  })
})

describe('unchecked', () => {
  it('unchecked: lets everything through as it is', () => {
    const value = { any: 'thing' }
    expect(parse(unchecked<object>(), value)).toBe(value)
  })

  it('no schema: the value itself', () => {
    expect(
      parseWith({
        schema: undefined,
        value: 5,
        root: 'x',
        code: 'invalid_input',
        consequence: 'Nothing was written.',
      }),
    ).toBe(5)
  })
})
