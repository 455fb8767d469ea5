import {
  type AnyFunction,
  checkReplay,
  defineActivity,
  defineWorkflow,
  functionRef,
  type Handle,
  type Implemented,
  type LogView,
  unchecked,
} from 'stele'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { openTestEngine } from './test-engine.ts'

const act = defineActivity({ name: 'act' }, (at: Date) => ({ at }))
const failing = defineActivity({ name: 'failing', retry: { maxRetries: 0 } }, () => {
  throw new RangeError('no')
})
const messages = { go: unchecked<unknown>() }

/** Code that uses everything, with what a newer version does besides. */
const main = (extra: 'call' | 'nothing' | 'name' = 'nothing') =>
  defineWorkflow({ name: 'main', messages }, async (input: Map<string, Date>, context) => {
    const { call, step, sleep, joinSet, now, random, patched } = context
    const start = input.get('start') ?? new Date(0)
    if (extra === 'call') await call(failing).catch(() => undefined)
    const { at } = await call(act, start)
    const caught = await call(failing).catch((error: unknown) => (error as Error).name)
    const value = await step(extra === 'name' ? 'other' : 'quote', () => new Map([['a', 1n]]))
    const set = joinSet('s')
    set.submit(act, start)
    for await (const end of set) void end
    await sleep(50)
    const message = await context.messages.go.next()
    return [at, caught, value, message, now(), random(), patched('new')]
  })

/** The log of an execution that has run until nothing happens by itself. */
async function logOf(
  workflow: AnyFunction & Implemented,
  input: unknown,
  messagesSent: readonly unknown[] = [],
): Promise<LogView> {
  await using world = await openTestEngine({ functions: [workflow, act, failing] })
  const submitted: unknown = await world.engine.submit(workflow as never, input as never)
  const handle = submitted as Handle<unknown>
  await world.settle()
  await world.advance(200)
  const sending = await world.engine.get(handle.id, main())
  for (const message of messagesSent) await sending.send('go', message)
  await world.settle()
  return await handle.log()
}

const input = new Map([['start', new Date(5)]])
const mismatch = (fields: object): unknown =>
  expect.objectContaining({ code: 'nondeterminism', fields: expect.objectContaining(fields) })

describe('checkReplay', () => {
  it('replay: code and log agree, to the end', async () => {
    const log = await logOf(main(), input, [new Date(9)])
    expect(log.events.at(-1)).toMatchObject({ type: 'finished', outcome: { type: 'ok' } })
    expect(await checkReplay(main(), log)).toEqual({ events: log.events.length, end: 'finished' })
  })

  it('replay: of an execution that waits', async () => {
    const log = await logOf(main(), input)
    expect(await checkReplay(main(), log)).toEqual({ events: log.events.length, end: 'waiting' })
  })

  it('replay: nothing runs, and nothing of the process is changed', async () => {
    const log = await logOf(main(), input)
    const clock = Date
    await checkReplay(main(), log)
    expect(Date).toBe(clock)
  })

  it('mismatch: another call', async () => {
    const log = await logOf(main(), input)
    await expect(checkReplay(main('call'), log)).rejects.toEqual(
      mismatch({
        executionId: log.id,
        version: expect.any(Number),
        expected: 'call 1 opens join set o:1-act',
        actual: 'call 1 opens join set o:1-failing',
      }),
    )
  })

  it('mismatch: a step of another name', async () => {
    const log = await logOf(main(), input)
    await expect(checkReplay(main('name'), log)).rejects.toEqual(
      mismatch({ expected: 'call 3 is step "quote"', actual: 'call 3 is step "other"' }),
    )
  })

  it('mismatch: code that ends before its log does', async () => {
    const log = await logOf(main(), input)
    const short = defineWorkflow({ name: 'main', messages }, () => 'done')
    await expect(checkReplay(short, log)).rejects.toEqual(mismatch({ actual: 'does nothing more' }))
  })

  it('mismatch: code that goes on where its log ended', async () => {
    const ended = defineWorkflow({ name: 'main', messages }, () => 'done')
    const log = await logOf(ended, undefined)
    const longer = defineWorkflow({ name: 'main', messages }, (_: undefined, { sleep }) => sleep(1))
    await expect(checkReplay(longer, log)).rejects.toEqual(
      mismatch({ expected: 'the handler has ended', actual: 'has not ended' }),
    )
  })

  it('foreign: code that waits for what is not ours', async () => {
    const ended = defineWorkflow({ name: 'main', messages }, () => 'done')
    const log = await logOf(ended, undefined)
    const stuck = defineWorkflow({ name: 'main', messages }, () => new Promise(() => undefined))
    await expect(checkReplay(stuck, log)).rejects.toMatchObject({
      code: 'nondeterminism',
      message: expect.stringContaining('a promise that is not of Stele'),
    })
  })

  it('cancelled: a workflow that was ended from outside agrees with its code', async () => {
    const sleeping = defineWorkflow({ name: 'main' }, (_: undefined, { sleep }) => sleep('1 day'))
    await using world = await openTestEngine({ functions: [sleeping] })
    const handle = await world.engine.submit(sleeping)
    await world.settle()
    await handle.cancel()
    await world.advance(500)
    const log = await handle.log()
    expect(log.events.at(-1)).toMatchObject({ type: 'finished' })
    expect(await checkReplay(sleeping, log)).toMatchObject({ events: log.events.length })
  })

  it('long: a log of many turns lets the event loop go on', async () => {
    const counting = defineWorkflow({ name: 'main', messages }, async (_: undefined, context) => {
      let count = 0
      for await (const message of context.messages.go) {
        count += 1
        if (message === 'end') return count
      }
      return 'never'
    })
    const sent = [...Array.from({ length: 300 }, (_, n) => n), 'end']
    const log = await logOf(counting, undefined, sent)
    expect(await checkReplay(counting, log)).toMatchObject({ end: 'finished' })
  })

  it('functions: schemas of functions that are only referred to', async () => {
    const socket = Symbol('socket')
    const named = z.symbol().transform(() => 'stored')
    const strict = defineActivity({ name: 'act', input: named }, () => 1)
    const ref = functionRef<typeof strict>('act')
    const code = defineWorkflow({ name: 'main' }, (_: undefined, { call }) => call(ref, socket))
    await using world = await openTestEngine({ functions: [code, strict] })
    const handle = await world.engine.submit(code)
    await world.settle()
    const log = await handle.log()
    expect(await checkReplay(code, log, { functions: [strict] })).toMatchObject({ end: 'finished' })
    await expect(checkReplay(code, log)).rejects.toEqual(mismatch({}))
  })

  it('codec: the one of the engine that wrote the log', async () => {
    const ended = defineWorkflow({ name: 'main' }, (given: unknown) => given)
    const log = await logOf(ended, { a: 1 })
    const codec = {
      encode: (value: unknown) => JSON.stringify(value) ?? null,
      decode: (stored: unknown): unknown => JSON.parse(String(stored)),
    }
    expect(await checkReplay(ended, log, { codec })).toMatchObject({ end: 'finished' })
  })

  it.each([
    ['an activity', act, undefined],
    ['a declaration', defineWorkflow({ name: 'main' }), undefined],
    ['nothing', undefined, undefined],
    ['no log', main(), undefined],
    ['a log of another function', defineWorkflow({ name: 'other' }, () => 1), 'a log'],
    ['a log that is none', main(), { id: 'e', events: 5 }],
    ['a log without a beginning', main(), { id: 'e', events: [], responses: [] }],
  ])('refusal: %s', async (_, workflow, given) => {
    const ended = defineWorkflow({ name: 'main' }, () => 1)
    const log = given === 'a log' ? await logOf(ended, undefined) : given
    const checked = checkReplay(workflow as never, log as never)
    await expect(checked).rejects.toMatchObject({ code: 'invalid_option' })
  })

  it('refusal: unknown options', async () => {
    const checked = checkReplay(main(), {} as never, { strict: true } as never)
    await expect(checked).rejects.toMatchObject({ code: 'invalid_option' })
  })
})
