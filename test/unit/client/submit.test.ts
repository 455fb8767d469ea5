import { defineActivity, functionRef } from 'stele'
import { describe, expect, it } from 'vitest'
import type { SubmitOptions } from '../../../src/client/submit.ts'
import { openTestEngine, type TestEngine, typesOf } from './test-engine.ts'

const charge = defineActivity({ name: 'charge' }, (order: unknown) => order)
const pack = defineActivity({ name: 'pack' }, (order: unknown) => order)

/** No data: an instance of somebody's class. */
class Socket {
  readonly descriptor = 3
}

function open(): Promise<TestEngine> {
  return openTestEngine({ functions: [charge, pack], started: false })
}

/** A value, and the same with the keys of its objects in another order. */
const sameValues: readonly (readonly [string, unknown, unknown])[] = [
  ['plain JSON', { a: 1, b: [{ c: 1, d: null }] }, { b: [{ d: null, c: 1 }], a: 1 }],
  ['a Date beside it', { at: new Date(5), n: 1 }, { n: 1, at: new Date(5) }],
  ['undefined within', { a: undefined, b: { c: 1n, d: 2 } }, { b: { d: 2, c: 1n }, a: undefined }],
  ['objects in a Map', new Map([['k', { a: 1, b: 2 }]]), new Map([['k', { b: 2, a: 1 }]])],
  ['nothing', undefined, undefined],
]

function cyclic(first: 'a' | 'b'): object {
  const other = first === 'a' ? 'b' : 'a'
  const self: Record<string, unknown> = { [first]: 1, [other]: 1 }
  self['again'] = self
  return self
}

describe('idempotence', () => {
  it.each([...sameValues, ['a cycle', cyclic('a'), cyclic('b')] as const])(
    'same: %s, whatever the order of its keys',
    async (_, input, reordered) => {
      await using world = await open()
      const first = await world.engine.submit(charge, input, { id: 'x' })
      const second = await world.engine.submit(charge, reordered, { id: 'x' })
      expect(second.id).toBe(first.id)
      expect(await typesOf(first)).toEqual(['created'])
    },
  )

  it('same: by definition or by name, with other settings', async () => {
    await using world = await open()
    await world.engine.submit(charge, 1, { id: 'x', delay: '1h' })
    const ref = functionRef<typeof charge>('charge')
    const again = await world.engine.submit(ref, 1, { id: 'x', metadata: { a: 'b' } })
    const { events } = await again.log()
    expect(events).toHaveLength(1)
    expect(events[0]).toMatchObject({ scheduledAt: 3_600_000 })
  })

  it('same: after it has finished too', async () => {
    await using world = await openTestEngine({ functions: [charge] })
    await world.engine.submit(charge, 'once', { id: 'x' })
    await world.settle()
    const again = await world.engine.submit(charge, 'once', { id: 'x' })
    expect(await again.result({ timeout: 0 })).toBe('once')
    expect(await typesOf(again)).toEqual(['created', 'locked', 'finished'])
  })

  it('same: asked for twice in one turn', async () => {
    await using world = await open()
    const submissions = [1, 2, 3].map(() => world.engine.submit(charge, 'x', { id: 'x' }))
    expect((await Promise.all(submissions)).map(({ id }) => id)).toEqual(['x', 'x', 'x'])
    expect((await world.engine.list()).items).toHaveLength(1)
  })

  const others: readonly (readonly [string, unknown, unknown])[] = [
    ['another number', 1, 2],
    ['a text for a number', 1, '1'],
    ['null for nothing', undefined, null],
    ['another order in an array', [1, 2], [2, 1]],
    ['another instant', { at: new Date(1) }, { at: new Date(2) }],
    ['another URL', new URL('http://a.test'), new URL('http://b.test')],
    ['another set', new Set([1]), new Set([2])],
  ]

  it.each(others)('conflict: %s', async (_, input, other) => {
    await using world = await open()
    const first = await world.engine.submit(charge, input, { id: 'x' })
    const before = await first.log()
    await expect(world.engine.submit(charge, other, { id: 'x' })).rejects.toMatchObject({
      code: 'execution_id_conflict',
      fields: { executionId: 'x' },
    })
    expect(await first.log()).toEqual(before)
  })

  it('conflict: another function', async () => {
    await using world = await open()
    await world.engine.submit(charge, 1, { id: 'x' })
    await expect(world.engine.submit(pack, 1, { id: 'x' })).rejects.toMatchObject({
      code: 'execution_id_conflict',
    })
  })
})

describe('ids', () => {
  it('default: E_ and a ULID, each another', async () => {
    await using world = await open()
    const ids = await Promise.all([1, 2].map(() => world.engine.submit(charge, 1)))
    for (const { id } of ids) expect(id).toMatch(/^E_[0-9A-HJKMNP-TV-Z]{26}$/)
    expect(ids[0]?.id).not.toBe(ids[1]?.id)
  })

  it.each(['x', 'A-Za:z0_9@/', 'x'.repeat(128), 'E_1', 'delay_1'])('allowed: %s', async (id) => {
    await using world = await open()
    expect((await world.engine.submit(charge, 1, { id })).id).toBe(id)
  })

  it.each([
    '',
    ' x',
    'x ',
    'a b',
    'a.b',
    'a#b',
    'ä',
    'x'.repeat(129),
    'Delay_x',
    'Exr_x',
    'Run_x',
    'Dep_x',
    'x\n',
    5,
    null,
    {},
  ])('refused: %j', async (id) => {
    await using world = await open()
    await expect(world.engine.submit(charge, 1, { id: id as never })).rejects.toMatchObject({
      code: 'invalid_execution_id',
    })
    expect((await world.engine.list()).items).toEqual([])
  })

  it('ids: upper and lower case differ', async () => {
    await using world = await open()
    await world.engine.submit(charge, 1, { id: 'x' })
    const other = await world.engine.submit(charge, 2, { id: 'X' })
    expect(other.id).toBe('X')
  })
})

describe('when', () => {
  it.each<[SubmitOptions, number]>([
    [{}, 1_000],
    [{ delay: '2s' }, 3_000],
    [{ delay: 0 }, 1_000],
    [{ scheduledAt: 7_000 }, 7_000],
    [{ scheduledAt: new Date(8_000) }, 8_000],
    [{ scheduledAt: 5 }, 5],
  ])('due: %j', async (options, scheduledAt) => {
    await using world = await open()
    world.clock.set(1_000)
    const handle = await world.engine.submit(charge, 1, options)
    expect(await handle.state()).toMatchObject({ status: 'pending_at', scheduledAt })
  })

  it('delay: nothing happens before its time, and no poll is needed for it', async () => {
    await using world = await openTestEngine({
      functions: [charge],
      executor: { tickSleep: '1h' },
    })
    const handle = await world.engine.submit(charge, 'late', { delay: '5s' })
    await world.advance(4_999)
    expect(await typesOf(handle)).toEqual(['created'])
    await world.advance(1)
    expect(await handle.result({ timeout: 0 })).toBe('late')
  })

  it('paused: nothing happens before `unpause`', async () => {
    await using world = await openTestEngine({ functions: [charge] })
    const handle = await world.engine.submit(charge, 'go', { paused: true })
    await world.advance(10_000)
    expect(await handle.state()).toMatchObject({ status: 'pending_at', paused: true })
    await handle.unpause()
    await world.settle()
    expect(await handle.result({ timeout: 0 })).toBe('go')
    expect(await typesOf(handle)).toEqual(['created', 'paused', 'unpaused', 'locked', 'finished'])
    await world.check()
  })

  it('metadata: is kept with the execution', async () => {
    await using world = await open()
    const handle = await world.engine.submit(charge, 1, { metadata: { tenant: 't1' } })
    const { events } = await handle.log()
    expect(events[0]).toMatchObject({ metadata: { tenant: 't1' } })
  })
})

function trap(): never {
  throw new Error('hands off')
}

const hostile = new Proxy({}, { get: trap, has: trap, ownKeys: trap, getPrototypeOf: trap })

describe('refusals', () => {
  const refusals: readonly (readonly [string, object, string])[] = [
    ['an unknown option', { dealy: 5 }, 'invalid_option'],
    ['ids for one', { ids: ['x'] }, 'invalid_option'],
    ['two instants', { delay: 1, scheduledAt: 1 }, 'invalid_option'],
    ['a negative delay', { delay: -1 }, 'invalid_option'],
    ['a delay in words', { delay: 'soon' }, 'invalid_option'],
    ['no instant', { scheduledAt: new Date(Number.NaN) }, 'invalid_option'],
    ['metadata that is no text', { metadata: { a: 1 } }, 'invalid_option'],
    ['metadata that is no object', { metadata: null }, 'invalid_option'],
    ['an instant in words', { scheduledAt: '2030-01-01' }, 'invalid_option'],
    ['null as an instant', { scheduledAt: null }, 'invalid_option'],
    ['options that are no object', 'x' as never, 'invalid_option'],
    ['null instead of options', null as never, 'invalid_option'],
    ['a list of options', [], 'invalid_option'],
    ['options that throw', hostile, 'invalid_option'],
    ['null as paused', { paused: null }, 'invalid_option'],
    ['a word for paused', { paused: 'no' }, 'invalid_option'],
    ['a number for paused', { paused: 0 }, 'invalid_option'],
    ['a list as metadata', { metadata: ['a'] }, 'invalid_option'],
    ['metadata that throws', { metadata: hostile }, 'invalid_option'],
    ['a delay that throws', { delay: hostile }, 'invalid_option'],
    ['a delay beyond numbers', { delay: 1n }, 'invalid_option'],
    ['an instant that throws', { scheduledAt: hostile }, 'invalid_option'],
  ]

  it.each(refusals)('options: %s', async (_, options, code) => {
    await using world = await open()
    await expect(world.engine.submit(charge, 1, options)).rejects.toMatchObject({ code })
    expect((await world.engine.list()).items).toEqual([])
  })

  it.each([undefined, null, 'charge', () => 1, { name: 'charge' }])(
    'function: %s is none',
    async (fn) => {
      await using world = await open()
      await expect(world.engine.submit(fn as never)).rejects.toMatchObject({
        code: 'unknown_function',
      })
    },
  )

  it.each<[unknown, string]>([
    [undefined, 'undefined is not a function of Stele.'],
    [null, 'null is not a function of Stele.'],
    [{}, 'An object is not a function of Stele.'],
    [() => 1, 'A function is not a function of Stele.'],
    [hostile, 'An object is not a function of Stele.'],
  ])('function: what is none is named (%#)', async (fn, message) => {
    await using world = await open()
    await expect(world.engine.submit(fn as never)).rejects.toMatchObject({
      code: 'unknown_function',
      message: expect.stringContaining(message),
    })
  })

  it.each<[object, string]>([
    [{ name: null }, 'invalid_name'],
    [{ name: 'a b' }, 'invalid_name'],
    [{ version: 1 }, 'invalid_name'],
    [{ kind: 'job' }, 'invalid_option'],
  ])('function: one made by hand is checked: %j', async (part, code) => {
    await using world = await open()
    const fn = { ...functionRef('x'), ...part }
    await expect(world.engine.submit(fn as never)).rejects.toMatchObject({ code })
    await expect(world.engine.submitMany(fn as never, [1 as never])).rejects.toMatchObject({ code })
    expect((await world.engine.list()).items).toEqual([])
  })

  it.each<[string, unknown, string, string]>([
    ['a function', { items: [0, { f: () => 1 }] }, 'value_not_storable', 'input.items[1].f'],
    ['a symbol', Symbol('s'), 'value_not_storable', 'input'],
    ['a class', { c: new Socket() }, 'value_not_storable', 'input.c'],
    ['too much', 'x'.repeat(3 * 1024 * 1024), 'value_too_large', 'input'],
  ])('input: %s is refused with its path, and nothing is written', async (_, input, code, path) => {
    await using world = await open()
    await expect(world.engine.submit(charge, input)).rejects.toMatchObject({
      code,
      fields: { path },
    })
    expect((await world.engine.list()).items).toEqual([])
  })
})

describe('metadata', () => {
  it('limit: metadata beyond limits.valueBytes is refused, and nothing is written', async () => {
    await using world = await openTestEngine({
      functions: [charge],
      started: false,
      limits: { valueBytes: 1_000 },
    })
    const metadata = { note: 'x'.repeat(2_000) }
    await expect(world.engine.submit(charge, 1, { metadata })).rejects.toMatchObject({
      code: 'value_too_large',
      fields: { path: 'metadata' },
    })
    expect((await world.engine.list()).items).toEqual([])
  })
})
