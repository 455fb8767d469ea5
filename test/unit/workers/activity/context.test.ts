import { type ActivityContext, defineActivity } from 'stele'
import { describe, expect, it } from 'vitest'
import { logFieldsBytesMax, logMessageMax } from '../../../../src/workers/run-log.ts'
import { present } from '../../../support/storage/results.ts'
import { openTestEngine, unhandledWhile } from '../../client/test-engine.ts'

/** An activity that runs until the test lets it go, and the context that it was given. */
function held(options: object = {}) {
  const seen: ActivityContext[] = []
  let release: (value: string) => void = () => undefined
  const activity = defineActivity(
    { name: 'held', retry: { maxRetries: 2, backoff: 10 }, ...options },
    (_: undefined, context) => {
      seen.push(context)
      return new Promise<string>((resolve) => {
        release = resolve
      })
    },
  )
  const contextOf = (attempt: number): ActivityContext =>
    present(seen[attempt - 1], `attempt ${attempt}`)
  return { activity, contextOf, release: (value: string) => release(value) }
}

describe('identity', () => {
  it('context: attempt counts from 1; id, key and metadata are those of the execution', async () => {
    const { activity, contextOf } = held({ timeout: '1s' })
    await using world = await openTestEngine({ functions: [activity] })
    const metadata = { traceparent: '00-1-2-01' }
    await world.engine.submit(activity, undefined, { id: 'order:1', metadata })
    await world.advance(1_010)
    await world.advance(0)
    for (const attempt of [1, 2]) {
      expect(contextOf(attempt)).toMatchObject({
        attempt,
        executionId: 'order:1',
        idempotencyKey: 'order:1',
        metadata,
      })
    }
  })

  it('metadata: is empty when none was given', async () => {
    const { activity, contextOf } = held()
    await using world = await openTestEngine({ functions: [activity] })
    await world.engine.submit(activity)
    await world.settle()
    expect(contextOf(1).metadata).toEqual({})
  })

  it('members: can be destructured, none needs `this`', async () => {
    const { activity, contextOf } = held()
    await using world = await openTestEngine({ functions: [activity] })
    const handle = await world.engine.submit(activity)
    await world.settle()
    const { log, heartbeat, signal } = contextOf(1)
    const { info } = log
    info('hello')
    await heartbeat()
    expect(signal.aborted).toBe(false)
    await world.advance(100)
    expect(await handle.logs()).toMatchObject([{ level: 'info', message: 'hello' }])
  })
})

describe('signal', () => {
  it('signal: one object for the whole attempt', async () => {
    const { activity, contextOf } = held()
    await using world = await openTestEngine({ functions: [activity] })
    await world.engine.submit(activity)
    await world.settle()
    expect(contextOf(1).signal).toBe(contextOf(1).signal)
  })

  it('signal: first asked for after the cancellation, it is aborted already', async () => {
    const { activity, contextOf } = held()
    await using world = await openTestEngine({ functions: [activity] })
    const handle = await world.engine.submit(activity)
    await world.settle()
    await handle.cancel()
    const { signal } = contextOf(1)
    expect(signal.aborted).toBe(true)
    expect(signal.reason).toMatchObject({
      code: 'lock_lost',
      fields: { executionId: handle.id, attempt: 1, reason: 'cancelled' },
    })
  })

  it('stop: aborts with `engine_stopped` when the time is up, not before', async () => {
    const { activity, contextOf, release } = held()
    await using world = await openTestEngine({ functions: [activity] })
    await world.engine.submit(activity)
    await world.settle()
    const { signal } = contextOf(1)
    const stopped = world.engine.stop({ timeout: '2s' })
    await world.advance(1_999)
    expect(signal.aborted).toBe(false)
    await world.advance(1)
    expect(signal.reason).toMatchObject({ code: 'engine_stopped' })
    release('just in time')
    await world.settle()
    await stopped
  })
})

describe('heartbeat', () => {
  it('lock: is renewed while the handler runs, so that a short expiry outlives a long run', async () => {
    const { activity, contextOf, release } = held({ lockExpiry: '1s', timeout: '5 minutes' })
    await using world = await openTestEngine({ functions: [activity] })
    const handle = await world.engine.submit(activity)
    await world.advance(120_000)
    expect(contextOf(1).signal.aborted).toBe(false)
    expect(await handle.state()).toMatchObject({ status: 'locked', attempt: 1 })
    release('after two minutes')
    await world.settle()
    expect(await handle.result({ timeout: 0 })).toBe('after two minutes')
    await world.check()
  })

  it('lock: expiry and timeout set equal are one setting, and nothing is renewed', async () => {
    const { activity } = held({ lockExpiry: '3s', timeout: '3s', retry: { maxRetries: 0 } })
    await using world = await openTestEngine({ functions: [activity] })
    const handle = await world.engine.submit(activity)
    await world.advance(3_000)
    const { events } = await handle.log()
    expect(events.map(({ type }) => type)).toEqual(['created', 'locked', 'finished'])
    expect(await handle.outcome()).toEqual({ type: 'execution_failure', kind: 'timed_out' })
  })

  it('heartbeat: many at once are one renewal, and none before it is due', async () => {
    const { activity, contextOf } = held({ lockExpiry: '30s', timeout: '10 minutes' })
    await using world = await openTestEngine({ functions: [activity] })
    const handle = await world.engine.submit(activity)
    await world.settle()
    const locks = async (): Promise<number> =>
      (await handle.log()).events.filter(({ type }) => type === 'locked').length
    const { heartbeat } = contextOf(1)
    world.clock.advance(9_999)
    await Promise.all([heartbeat(), heartbeat()])
    expect(await locks()).toBe(1)
    world.clock.advance(1)
    await Promise.all([heartbeat(), heartbeat(), heartbeat()])
    expect(await locks()).toBe(2)
  })

  it('heartbeat: rejects with `lock_lost` once the execution is cancelled', async () => {
    const { activity, contextOf } = held()
    await using world = await openTestEngine({ functions: [activity] })
    const handle = await world.engine.submit(activity)
    await world.settle()
    const { heartbeat } = contextOf(1)
    await handle.cancel()
    await expect(heartbeat()).rejects.toMatchObject({ code: 'lock_lost' })
  })
})

describe('log', () => {
  async function linesAfter(write: (log: ActivityContext['log']) => void, limits = {}) {
    const activity = defineActivity({ name: 'talk' }, (_: undefined, { log }) => {
      write(log)
    })
    await using world = await openTestEngine({ functions: [activity], limits })
    const handle = await world.engine.submit(activity)
    await world.advance(100)
    expect(await handle.outcome()).toEqual({ type: 'ok', value: undefined })
    return await handle.logs()
  }

  it('lines: level, message and fields are kept in order, values in all their types', async () => {
    const lines = await linesAfter((log) => {
      log.debug('one')
      log.info('two', { at: new Date(5), count: 2n, list: [1] })
      log.warn('three', {})
      log.error('four', { plain: true })
    })
    expect(lines).toMatchObject([
      { level: 'debug', message: 'one' },
      { level: 'info', message: 'two', fields: { at: new Date(5), count: 2n, list: [1] } },
      { level: 'warn', message: 'three' },
      { level: 'error', message: 'four', fields: { plain: true } },
    ])
    expect(lines[0]).not.toHaveProperty('fields')
    expect(lines[2]).not.toHaveProperty('fields')
  })

  it('lines: beyond the limit of a run they are dropped', async () => {
    const lines = await linesAfter(
      (log) => {
        for (let index = 1; index <= 10; index += 1) log.info(`line ${index}`)
      },
      { logLinesPerRun: 3 },
    )
    expect(lines.map(({ message }) => message)).toEqual(['line 1', 'line 2', 'line 3'])
  })

  it('pages: go on after the last line seen', async () => {
    const activity = defineActivity({ name: 'talk' }, (_: undefined, { log }) => {
      for (const message of ['a', 'b', 'c']) log.info(message)
    })
    await using world = await openTestEngine({ functions: [activity] })
    const handle = await world.engine.submit(activity)
    await world.advance(100)
    const first = await handle.logs({ limit: 2 })
    expect(first.map(({ message }) => message)).toEqual(['a', 'b'])
    const rest = await handle.logs({ after: first.at(-1)?.lineId })
    expect(rest.map(({ message }) => message)).toEqual(['c'])
  })

  it('fields: what cannot be stored costs the line its fields, not the line, nor the handler', async () => {
    const unhandled = await unhandledWhile(async () => {
      const lines = await linesAfter((log) => {
        log.info('function', { f: () => 1 })
        log.info('getter', {
          get bad() {
            throw new Error('no')
          },
        })
        log.info('nothing', null as never)
        log.info('large', { text: 'x'.repeat(logFieldsBytesMax) })
      })
      expect(lines).toMatchObject([
        { message: 'function', fields: { notStored: expect.stringContaining('fields.f') } },
        { message: 'getter', fields: { notStored: expect.stringContaining('fields.bad') } },
        { message: 'nothing', fields: { notStored: expect.any(String) } },
        { message: 'large', fields: { notStored: expect.stringContaining('bytes') } },
      ])
    })
    expect(unhandled).toEqual([])
  })

  it('fields: are as they were when the line was logged', async () => {
    const fields = { items: [1] }
    const lines = await linesAfter((log) => {
      log.info('now', fields)
      fields.items.push(2)
    })
    expect(lines).toMatchObject([{ fields: { items: [1] } }])
  })

  it('message: anything is told as text, and cut when it is long', async () => {
    const lines = await linesAfter((log) => {
      log.info(5 as never)
      log.info('x'.repeat(logMessageMax + 1))
    })
    expect(lines.map(({ message }) => message)).toEqual(['5', `${'x'.repeat(logMessageMax)}…`])
  })

  it('logger: sees each line with execution and attempt, and may throw', async () => {
    const seen: unknown[] = []
    const info = (...line: readonly unknown[]): void => {
      seen.push(line)
      throw new Error('the logger is broken')
    }
    const quiet = (): void => undefined
    const activity = defineActivity({ name: 'talk' }, (_: undefined, { log }) => {
      log.info('hello', { a: 1 })
      return 'fine'
    })
    const logger = { debug: quiet, info, warn: quiet, error: quiet }
    await using world = await openTestEngine({ functions: [activity], logger })
    const handle = await world.engine.submit(activity, undefined, { id: 'x' })
    await world.advance(100)
    expect(seen).toEqual([[{ executionId: 'x', attempt: 1, a: 1 }, 'hello']])
    expect(await handle.result()).toBe('fine')
    expect(await handle.logs()).toMatchObject([{ message: 'hello' }])
  })
})
