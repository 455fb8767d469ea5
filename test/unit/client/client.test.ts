import { defineActivity, functionRef } from 'stele'
import { describe, expect, it } from 'vitest'
import { submitBatch } from '../../../src/client/client.ts'
import { openTestEngine, type TestEngine, typesOf } from './test-engine.ts'

const charge = defineActivity({ name: 'charge' }, (amount: number) => {
  if (amount < 0) throw new Error('negative')
  return amount
})
const pack = defineActivity({ name: 'pack' }, (amount: number) => amount)
const approve = defineActivity({ name: 'approve' }).stub()

function open(): Promise<TestEngine> {
  return openTestEngine({ functions: [charge, pack, approve], started: false })
}

describe('submitMany', () => {
  it('many: 1,500 inputs become 1,500 executions, in order', async () => {
    await using world = await openTestEngine({ functions: [pack] })
    const inputs = Array.from({ length: 3 * submitBatch }, (_, index) => index)
    const handles = await world.engine.submitMany(pack, inputs)
    await world.advance(1_000)
    const results = await Promise.all(handles.map((handle) => handle.result({ timeout: 0 })))
    expect(results).toEqual(inputs)
    expect(new Set(handles.map(({ id }) => id)).size).toBe(1_500)
  })

  it('many: none', async () => {
    await using world = await open()
    expect(await world.engine.submitMany(charge, [])).toEqual([])
  })

  it('ids: one for each, idempotent', async () => {
    await using world = await open()
    const ids = ['a', 'b']
    await world.engine.submitMany(charge, [1, 2], { ids })
    const again = await world.engine.submitMany(charge, [1, 2], { ids, paused: true })
    expect(again.map(({ id }) => id)).toEqual(ids)
    expect((await world.engine.list()).items.map(({ paused }) => paused)).toEqual([false, false])
  })

  it('options: hold for all', async () => {
    await using world = await open()
    const options = { delay: '1s', paused: true, metadata: { batch: '7' } } as const
    const handles = await world.engine.submitMany(charge, [1, 2], options)
    for (const handle of handles) {
      expect(await handle.state()).toMatchObject({ paused: true, scheduledAt: 1_000 })
    }
  })

  it('conflict: rejects, and keeps the others of its transaction', async () => {
    await using world = await open()
    await world.engine.submit(pack, 1, { id: 'b' })
    const ids = ['a', 'b', 'c']
    await expect(world.engine.submitMany(charge, [1, 2, 3], { ids })).rejects.toMatchObject({
      code: 'execution_id_conflict',
      fields: { executionId: 'b' },
    })
    const { items } = await world.engine.list({ function: charge })
    expect(items.map(({ id }) => id).sort()).toEqual(['a', 'c'])
  })

  it('conflict: batches behind the one with the conflict are created too', async () => {
    await using world = await open()
    await world.engine.submit(charge, -1, { id: 'i-0' })
    const inputs = Array.from({ length: submitBatch + 5 }, (_, index) => index)
    const ids = inputs.map((index) => `i-${index}`)
    const many = world.engine.submitMany(charge, inputs, { ids })
    await expect(many).rejects.toMatchObject({ code: 'execution_id_conflict' })
    const last = await world.engine.get(ids.at(-1) ?? '')
    expect(await last.state()).toMatchObject({ status: 'pending_at' })
  })

  it('conflict: the same id twice with two inputs', async () => {
    await using world = await open()
    const ids = ['a', 'a']
    await expect(world.engine.submitMany(charge, [1, 2], { ids })).rejects.toMatchObject({
      code: 'execution_id_conflict',
    })
    expect(await world.engine.submitMany(charge, [1, 1], { ids })).toHaveLength(2)
  })

  it.each<[string, readonly number[], object, string]>([
    ['too few ids', [1, 2], { ids: ['a'] }, 'invalid_option'],
    ['too many ids', [1], { ids: ['a', 'b'] }, 'invalid_option'],
    ['an id for all', [1, 2], { id: 'a' }, 'invalid_option'],
    ['no array', 'ab' as never, {}, 'invalid_option'],
    ['null instead of options', [1], null as never, 'invalid_option'],
    ['null as ids', [1], { ids: null }, 'invalid_option'],
    ['a text as ids', [1, 2, 3], { ids: 'abc' }, 'invalid_option'],
    ['what only has a length', [1, 2], { ids: { length: 2 } }, 'invalid_option'],
    [
      'a hole among the ids',
      [1, 2],
      { ids: Object.assign(['a'], { length: 2 }) },
      'invalid_option',
    ],
    ['a number among the ids', [1, 2], { ids: ['a', 5] }, 'invalid_execution_id'],
    ['a word for paused', [1], { paused: 'yes' }, 'invalid_option'],
    ['an unknown option', [1], { delai: 1 }, 'invalid_option'],
    ['a bad id', [1, 2], { ids: ['a', 'b.c'] }, 'invalid_execution_id'],
    ['a bad input', [1, Symbol('s') as never], {}, 'value_not_storable'],
  ])('refused: %s, and nothing is written', async (_, inputs, options, code) => {
    await using world = await open()
    await expect(world.engine.submitMany(charge, inputs, options)).rejects.toMatchObject({ code })
    expect((await world.engine.list()).items).toEqual([])
  })
})

describe('get', () => {
  it('get: a handle for what exists', async () => {
    await using world = await openTestEngine({ functions: [charge] })
    await world.engine.submit(charge, 5, { id: 'x' })
    await world.settle()
    const handle = await world.engine.get('x', charge)
    expect(await handle.result({ timeout: 0 })).toBe(5)
  })

  it.each([null, 5, 'charge', {}, () => 1])('get: %s is no function', async (fn) => {
    await using world = await open()
    await world.engine.submit(charge, 1, { id: 'x' })
    await expect(world.engine.get('x', fn as never)).rejects.toMatchObject({
      code: 'unknown_function',
    })
    const outcome = { type: 'ok', value: 1 } as never
    await expect(world.engine.complete('x', outcome, fn as never)).rejects.toMatchObject({
      code: 'unknown_function',
    })
  })

  it('get: what does not exist, is no id, or is of another function', async () => {
    await using world = await open()
    await world.engine.submit(charge, 1, { id: 'x' })
    await expect(world.engine.get('y')).rejects.toMatchObject({ code: 'execution_not_found' })
    await expect(world.engine.get('a b')).rejects.toMatchObject({ code: 'invalid_execution_id' })
    await expect(world.engine.get('x', pack)).rejects.toMatchObject({
      code: 'unknown_function',
      fields: { expected: 'pack', found: 'charge' },
    })
  })
})

describe('list', () => {
  /** Nine executions, a second apart: finished in all ways, pending, paused, of two functions. */
  async function openFilled(): Promise<TestEngine> {
    const world = await openTestEngine({ functions: [charge, pack, approve] })
    const { engine } = world
    for (const id of ['ok:1', 'ok:2', 'ok:3']) {
      await engine.submit(charge, 1, { id })
      await world.advance(1_000)
    }
    await engine.submit(charge, -1, { id: 'failed' })
    await world.advance(10_000)
    await engine.submit(pack, 1, { id: 'later', delay: '1h' })
    await world.advance(1_000)
    await engine.submit(pack, 1, { id: 'paused', paused: true })
    await engine.submit(approve, undefined, { id: 'stub' })
    const no = await engine.submit(approve, undefined, { id: 'no' })
    await engine.complete(no.id, { type: 'err', value: 'no' })
    return world
  }

  it('all: newest first, with what a line needs', async () => {
    await using world = await openFilled()
    const { items, next } = await world.engine.list()
    expect(items.map(({ id }) => id)).toEqual([
      'stub',
      'paused',
      'no',
      'later',
      'failed',
      'ok:3',
      'ok:2',
      'ok:1',
    ])
    expect(next).toBeUndefined()
    expect(items.at(-1)).toEqual({
      id: 'ok:1',
      kind: 'activity',
      functionName: 'charge',
      functionVersion: '1',
      status: 'finished',
      paused: false,
      cancelling: false,
      version: 2,
      attempt: 1,
      createdAt: 0,
      finishedAt: 0,
      outcomeType: 'ok',
    })
    expect(items.find(({ id }) => id === 'failed')).toMatchObject({
      attempt: 6,
      outcomeType: 'execution_failure',
      failureKind: 'uncategorized',
    })
  })

  it.each<[object, readonly string[]]>([
    [{ function: pack }, ['paused', 'later']],
    [{ function: 'approve' }, ['stub', 'no']],
    [{ function: 'nobody' }, []],
    [{ status: 'pending_at' }, ['stub', 'paused', 'later']],
    [{ status: 'locked' }, []],
    [{ paused: true }, ['paused']],
    [{ outcome: 'ok' }, ['ok:3', 'ok:2', 'ok:1']],
    [{ outcome: 'err' }, ['no']],
    [{ outcome: 'execution_failure' }, ['failed']],
    [{ idPrefix: 'ok:' }, ['ok:3', 'ok:2', 'ok:1']],
    [{ createdFrom: 1_000, createdBefore: 3_000 }, ['ok:3', 'ok:2']],
    [{ createdFrom: new Date(3_000), createdBefore: new Date(3_001) }, ['failed']],
    [{ function: charge, outcome: 'ok', createdFrom: 1_000 }, ['ok:3', 'ok:2']],
  ])('filter: %j', async (query, ids) => {
    await using world = await openFilled()
    const { items } = await world.engine.list(query)
    expect(items.map(({ id }) => id)).toEqual(ids)
  })

  it('pages: of any size, each once, none twice, and the last one says so', async () => {
    await using world = await openFilled()
    const whole = (await world.engine.list()).items.map(({ id }) => id)
    for (const limit of [1, 3, 4, 8, 9]) {
      const seen: string[] = []
      let after: string | undefined
      do {
        const page = await world.engine.list({}, { limit, after })
        expect(page.items.length).toBeLessThanOrEqual(limit)
        seen.push(...page.items.map(({ id }) => id))
        after = page.next
      } while (after !== undefined)
      expect(seen).toEqual(whole)
    }
  })

  it('pages: are cut to limits.listPage; what is created meanwhile moves none', async () => {
    await using world = await openTestEngine({ started: false, limits: { listPage: 2 } })
    const ref = functionRef<typeof charge>('charge')
    await world.engine.submitMany(ref, [1, 2, 3], { ids: ['a', 'b', 'c'] })
    const first = await world.engine.list({}, { limit: 100 })
    expect(first.items).toHaveLength(2)
    world.clock.advance(5)
    await world.engine.submit(ref, 4, { id: 'd' })
    const second = await world.engine.list({}, { after: first.next })
    const ids = [...first.items, ...second.items].map(({ id }) => id)
    expect(ids.sort()).toEqual(['a', 'b', 'c'])
  })

  it.each<[object, object]>([
    [{ state: 'finished' }, {}],
    [{ status: 'running' }, {}],
    [{ outcome: 'failed' }, {}],
    [{ function: 5 }, {}],
    [{}, { size: 5 }],
    [{}, { limit: 0 }],
    [{}, { limit: 1.5 }],
    [{}, { after: 'nonsense' }],
    [{ createdFrom: Number.NaN }, {}],
    [{ createdBefore: 'today' }, {}],
    [{ function: null }, {}],
    [{ function: () => 1 }, {}],
    [{ paused: null }, {}],
    [{ paused: 'no' }, {}],
    [{ children: 1 }, {}],
    [{ idPrefix: 5 }, {}],
    [{ idPrefix: null }, {}],
    [null as never, {}],
    [[], {}],
    [{}, null as never],
    [{}, { limit: null }],
    [{}, { after: null }],
    [{}, { after: Symbol('s') }],
  ])('refused: %j %j', async (query, page) => {
    await using world = await open()
    await expect(world.engine.list(query, page)).rejects.toMatchObject({ code: 'invalid_option' })
  })
})

describe('complete', () => {
  it.each([
    [{ type: 'ok', value: { by: 'ann' } } as const],
    [{ type: 'err', value: 'no' } as const],
    [{ type: 'execution_failure', kind: 'uncategorized', reason: 'r', detail: 'd' } as const],
    [{ type: 'ok', value: undefined } as const],
  ])('stub: ends with %j, idempotently', async (outcome) => {
    await using world = await openTestEngine({ functions: [approve] })
    const { id } = await world.engine.submit(approve)
    await world.engine.complete(id, outcome)
    await world.engine.complete(id, outcome)
    const handle = await world.engine.get(id)
    expect(await handle.outcome({ timeout: 0 })).toEqual(outcome)
    expect(await typesOf(handle)).toEqual(['created', 'finished'])
    await world.check()
  })

  it('stub: whoever waits for it is told', async () => {
    await using world = await openTestEngine({ functions: [approve] })
    const handle = await world.engine.submit(approve)
    const waiting = handle.result()
    await world.engine.complete(handle.id, { type: 'ok', value: undefined }, approve)
    expect(await waiting).toBeUndefined()
  })

  it('value: of a proxy is read when it is completed', async () => {
    await using world = await openTestEngine({ functions: [approve] })
    const handle = await world.engine.submit(approve)
    await world.engine.complete(handle.id, { type: 'ok', value: new Proxy({ a: 1 }, {}) })
    expect(await handle.outcome({ timeout: 0 })).toEqual({ type: 'ok', value: { a: 1 } })
  })

  it('no stub: refused by the definition given, whoever asks', async () => {
    await using world = await openTestEngine({ functions: [], started: false })
    await world.engine.submit(charge, 1, { id: 'c' })
    const fake = { type: 'ok', value: 5 } as const
    await expect(world.engine.complete('c', fake, charge)).rejects.toMatchObject({
      code: 'illegal_state',
    })
    expect(await (await world.engine.get('c')).state()).toMatchObject({ status: 'pending_at' })
  })

  it('conflict: with another outcome it is finished already', async () => {
    await using world = await open()
    const { id } = await world.engine.submit(approve)
    await world.engine.complete(id, { type: 'ok', value: 1 })
    await expect(world.engine.complete(id, { type: 'ok', value: 2 })).rejects.toMatchObject({
      code: 'already_finished',
    })
  })

  it('not a stub: is not completed from outside', async () => {
    await using world = await open()
    const { id } = await world.engine.submit(charge, 1)
    await expect(world.engine.complete(id, { type: 'ok', value: 1 })).rejects.toMatchObject({
      code: 'illegal_state',
      message: expect.stringContaining('charge is not a stub'),
    })
  })

  it.each<[string, unknown, string]>([
    ['a type that is none', { type: 'maybe', value: 1 }, 'invalid_option'],
    ['a kind that is none', { type: 'execution_failure', kind: 'bored' }, 'invalid_option'],
    ['nothing', undefined, 'invalid_option'],
    ['a value that cannot be stored', { type: 'ok', value: () => 1 }, 'value_not_storable'],
  ])('refused: %s, and nothing is written', async (_, outcome, code) => {
    await using world = await open()
    const handle = await world.engine.submit(approve)
    await expect(world.engine.complete(handle.id, outcome as never)).rejects.toMatchObject({ code })
    expect(await typesOf(handle)).toEqual(['created'])
  })

  it('refused: an unknown execution, and one of another function', async () => {
    await using world = await open()
    const outcome = { type: 'ok', value: 1 } as never
    const { id } = await world.engine.submit(approve)
    await expect(world.engine.complete('nobody', outcome)).rejects.toMatchObject({
      code: 'execution_not_found',
    })
    await expect(world.engine.complete(id, outcome, pack)).rejects.toMatchObject({
      code: 'unknown_function',
    })
  })
})
