import { defineActivity, err, isExecutionError } from 'stele'
import { describe, expect, it } from 'vitest'
import { openTestEngine, typesOf } from './test-engine.ts'

const echo = defineActivity({ name: 'echo' }, (value: unknown) => value)

/** An activity that runs until its test ends it; the test sees each signal. */
function held(options: object = {}) {
  const signals: AbortSignal[] = []
  const ends: ((value: string) => void)[] = []
  const activity = defineActivity(
    { name: 'held', retry: { maxRetries: 1, backoff: '1h' }, ...options },
    (_: undefined, { signal }) => {
      signals.push(signal)
      return new Promise<string>((resolve) => {
        ends.push(resolve)
      })
    },
  )
  return { activity, signals, ends }
}

const failing = defineActivity({ name: 'failing', retry: { backoff: '1h' } }, () => {
  throw new Error('no')
})

const cancelled = { type: 'execution_failure', kind: 'cancelled' }

describe('result and outcome', () => {
  it('result: throws what is not a value, recognisable by function', async () => {
    const decline = defineActivity({ name: 'decline', retry: { maxRetries: 0 } }, () => err('no'))
    await using world = await openTestEngine({ functions: [decline, echo] })
    const handle = await world.engine.submit(decline)
    await world.settle()
    const error: unknown = await handle.result({ timeout: 0 }).catch((cause: unknown) => cause)
    expect(isExecutionError(error, decline)).toBe(true)
    expect(isExecutionError(error, echo)).toBe(false)
    expect(error).toMatchObject({
      executionId: handle.id,
      functionName: 'decline',
      outcome: { type: 'err', value: 'no' },
    })
    expect(await handle.outcome({ timeout: 0 })).toEqual({ type: 'err', value: 'no' })
  })

  it('timeout: what is no duration is refused', async () => {
    await using world = await openTestEngine({ functions: [echo] })
    const handle = await world.engine.submit(echo, 1)
    await expect(handle.result({ timeout: 'soon' as never })).rejects.toMatchObject({
      code: 'invalid_option',
    })
  })

  it('members: none needs `this`', async () => {
    await using world = await openTestEngine({ functions: [echo] })
    const { result, state, log } = await world.engine.submit(echo, 1)
    await world.settle()
    expect(await result()).toBe(1)
    expect((await state()).status).toBe('finished')
    expect((await log()).events).toHaveLength(3)
  })
})

describe('state', () => {
  it('state: pending, locked, in backoff, finished', async () => {
    const { activity, ends } = held()
    await using world = await openTestEngine({ functions: [activity, failing] })
    const later = await world.engine.submit(activity, undefined, { delay: 50 })
    expect(await later.state()).toEqual({
      status: 'pending_at',
      paused: false,
      cancelling: false,
      version: 0,
      attempt: 1,
      scheduledAt: 50,
    })
    await world.advance(50)
    expect(await later.state()).toEqual({
      status: 'locked',
      paused: false,
      cancelling: false,
      version: 1,
      attempt: 1,
      lockExpiresAt: 30_050,
      executorId: expect.stringMatching(/^Exr_/),
      runId: expect.stringMatching(/^Run_/),
    })
    ends[0]?.('done')
    await world.settle()
    expect(await later.state()).toEqual({
      status: 'finished',
      paused: false,
      cancelling: false,
      version: 2,
      attempt: 1,
      outcome: { type: 'ok', value: 'done' },
    })
    const failed = await world.engine.submit(failing)
    await world.settle()
    expect(await failed.state()).toMatchObject({
      status: 'pending_at',
      attempt: 2,
      scheduledAt: 3_600_050,
      reason: 'activity trap: no',
    })
  })

  it('log: values are shown as they were given', async () => {
    await using world = await openTestEngine({ functions: [echo] })
    const handle = await world.engine.submit(echo, { at: new Date(5) })
    await world.settle()
    const { events, responses } = await handle.log()
    expect(responses).toEqual([])
    expect(events).toMatchObject([
      { version: 0, createdAt: 0, type: 'created', input: { at: new Date(5) } },
      { version: 1, type: 'locked', functionVersion: '1' },
      { version: 2, type: 'finished', outcome: { type: 'ok', value: { at: new Date(5) } } },
    ])
  })
})

describe('cancel', () => {
  it('options: what is no object is refused, and nothing is cancelled', async () => {
    await using world = await openTestEngine({ functions: [echo], started: false })
    const handle = await world.engine.submit(echo, 1)
    await expect(handle.cancel(null as never)).rejects.toMatchObject({ code: 'invalid_option' })
    expect(await handle.state()).toMatchObject({ status: 'pending_at' })
  })

  it('cancel: pending', async () => {
    await using world = await openTestEngine({ functions: [echo] })
    const handle = await world.engine.submit(echo, 1, { delay: '1h' })
    expect(await handle.cancel({ reason: 'changed my mind' })).toBe('cancelled')
    expect(await handle.outcome({ timeout: 0 })).toEqual({
      ...cancelled,
      reason: 'changed my mind',
    })
    await world.advance(3_600_000 / 60)
    expect(await typesOf(handle)).toEqual(['created', 'finished'])
  })

  it('cancel: in backoff', async () => {
    await using world = await openTestEngine({ functions: [failing] })
    const handle = await world.engine.submit(failing)
    await world.settle()
    expect(await handle.cancel()).toBe('cancelled')
    expect(await typesOf(handle)).toEqual(['created', 'locked', 'temporarily_failed', 'finished'])
    await world.check()
  })

  it('cancel: paused', async () => {
    await using world = await openTestEngine({ functions: [echo] })
    const handle = await world.engine.submit(echo, 1, { paused: true })
    expect(await handle.cancel()).toBe('cancelled')
    expect(await handle.state()).toMatchObject({ status: 'finished', outcome: cancelled })
  })

  it('cancel: running; the signal is aborted before `cancel` resolves, a late result is refused', async () => {
    const { activity, signals, ends } = held()
    await using world = await openTestEngine({ functions: [activity] })
    const handle = await world.engine.submit(activity)
    await world.settle()
    expect(signals[0]?.aborted).toBe(false)
    expect(await handle.cancel()).toBe('cancelled')
    expect(signals[0]?.aborted).toBe(true)
    expect(signals[0]?.reason).toMatchObject({ fields: { reason: 'cancelled' } })
    ends[0]?.('too late')
    await world.advance(10_000)
    expect(await handle.outcome({ timeout: 0 })).toEqual(cancelled)
    expect(await typesOf(handle)).toEqual(['created', 'locked', 'finished'])
    await world.check()
  })

  it('cancel: twice is once; what has finished otherwise stays so', async () => {
    await using world = await openTestEngine({ functions: [echo] })
    const pending = await world.engine.submit(echo, 1, { delay: '1h' })
    const done = await world.engine.submit(echo, 1)
    await world.settle()
    expect([await pending.cancel(), await pending.cancel()]).toEqual(['cancelled', 'cancelled'])
    expect(await done.cancel()).toBe('already_finished')
    expect(await typesOf(pending)).toEqual(['created', 'finished'])
  })
})

describe('pause', () => {
  it('pause: holds back what is pending, and what is in backoff', async () => {
    await using world = await openTestEngine({ functions: [echo, failing] })
    const pending = await world.engine.submit(echo, 1, { delay: 100 })
    const failed = await world.engine.submit(failing)
    await world.settle()
    await pending.pause()
    await failed.pause()
    await world.advance(10_000)
    expect(await pending.state()).toMatchObject({ status: 'pending_at', paused: true })
    expect(await failed.state()).toMatchObject({ status: 'pending_at', paused: true, attempt: 2 })
    await pending.unpause()
    await world.settle()
    expect(await pending.result({ timeout: 0 })).toBe(1)
    await world.check()
  })

  it('refused: twice, when not paused, when running, when finished', async () => {
    const { activity } = held()
    await using world = await openTestEngine({ functions: [echo, activity] })
    const paused = await world.engine.submit(echo, 1, { paused: true })
    const done = await world.engine.submit(echo, 1)
    const running = await world.engine.submit(activity)
    await world.settle()
    await expect(paused.pause()).rejects.toMatchObject({ code: 'illegal_state' })
    await expect(running.pause()).rejects.toMatchObject({
      code: 'illegal_state',
      message: expect.stringContaining('it is running'),
    })
    await expect(running.unpause()).rejects.toMatchObject({ code: 'illegal_state' })
    await expect(done.pause()).rejects.toMatchObject({ code: 'already_finished' })
    await expect(done.unpause()).rejects.toMatchObject({ code: 'already_finished' })
    expect((await running.state()).status).toBe('locked')
  })
})

describe('explain', () => {
  it.each<[string, object, object]>([
    ['future', { delay: '1h' }, { waitingFor: 'its time', nextWakeAt: 3_600_000, problems: [] }],
    ['paused', { paused: true }, { waitingFor: 'unpause', problems: [] }],
  ])('pending: %s', async (_, options, expected) => {
    await using world = await openTestEngine({ functions: [echo] })
    const handle = await world.engine.submit(echo, 1, options)
    expect(await handle.explain()).toMatchObject(expected)
  })

  it('due: no engine runs', async () => {
    await using world = await openTestEngine({ functions: [echo], started: false })
    const handle = await world.engine.submit(echo, 1)
    world.clock.advance(250)
    expect(await handle.explain()).toEqual({
      summary: 'It has been due for 250 ms and waits for a free executor.',
      waitingFor: 'an executor',
      since: 0,
      problems: ['No engine is running on this storage; start one.'],
    })
  })

  it('due: no engine knows the function', async () => {
    await using world = await openTestEngine({ functions: [echo] })
    const stranger = defineActivity({ name: 'stranger' }, () => 1)
    const handle = await world.engine.submit(stranger)
    expect(await handle.explain()).toMatchObject({
      waitingFor: 'an executor',
      problems: [expect.stringContaining('No running engine executes the activity stranger')],
    })
  })

  it('backoff: says after what', async () => {
    await using world = await openTestEngine({ functions: [failing] })
    const handle = await world.engine.submit(failing)
    await world.settle()
    expect(await handle.explain()).toMatchObject({
      summary: 'It is due in 3600000 ms, after: activity trap: no.',
      nextWakeAt: 3_600_000,
    })
  })

  it('running: by whom, where, until when, and whether that one lives', async () => {
    const { activity } = held({ lockExpiry: '5 minutes' })
    await using world = await openTestEngine({ functions: [activity] })
    const handle = await world.engine.submit(activity)
    await world.settle()
    expect(await handle.explain()).toMatchObject({
      waitingFor: 'its run',
      heldBy: { alive: true, pid: process.pid, until: 300_000 },
      nextWakeAt: 300_000,
      problems: [],
    })
    world.clock.advance(16_000)
    expect(await handle.explain()).toMatchObject({
      heldBy: { alive: false },
      problems: [expect.stringContaining('has given no sign of life')],
    })
  })

  it('stub, finished, cancelled, set aside', async () => {
    const approve = defineActivity({ name: 'approve' }).stub()
    await using world = await openTestEngine({ functions: [echo, approve] })
    const stub = await world.engine.submit(approve)
    expect(await stub.explain()).toMatchObject({ waitingFor: 'completion from outside' })
    const done = await world.engine.submit(echo, 1)
    await world.settle()
    expect(await done.explain()).toMatchObject({ waitingFor: 'nothing', problems: [] })
    const aside = await world.engine.submit(echo, 1, { delay: '1h' })
    await world.storage.setAside([{ executionId: aside.id, reason: 'unreadable' }])
    expect(await aside.explain()).toMatchObject({
      waitingFor: 'a repair',
      problems: ['The row was set aside: unreadable.'],
    })
  })
})

describe('logs', () => {
  it('logs: none before anything was logged', async () => {
    await using world = await openTestEngine({ functions: [echo] })
    const handle = await world.engine.submit(echo, 1)
    expect(await handle.logs()).toEqual([])
  })

  it.each<[unknown]>([
    [{ limit: 0 }],
    [{ limit: 1.5 }],
    [{ limit: null }],
    [{ limti: 1 }],
    [{ after: -1 }],
    [{ after: 'x' }],
    [null],
    [5],
  ])('refused: %j', async (page) => {
    await using world = await openTestEngine({ functions: [echo] })
    const handle = await world.engine.submit(echo, 1)
    await expect(handle.logs(page as never)).rejects.toMatchObject({ code: 'invalid_option' })
  })
})

describe('options that are none', () => {
  it.each<[unknown]>([
    [null],
    [5],
    [Symbol('s')],
    [[]],
    [() => 1],
    [{ timout: 5 }],
    [{ reasn: 'x' }],
    [{ timeout: null, reason: null }],
    [{ timeout: 1n, reason: 1n }],
  ])('refused by result, outcome and cancel, and nothing is written: %#', async (options) => {
    await using world = await openTestEngine({ functions: [echo] })
    const handle = await world.engine.submit(echo, 1, { delay: '1h' })
    for (const method of [handle.result, handle.outcome, handle.cancel]) {
      await expect(method(options as never)).rejects.toMatchObject({ code: 'invalid_option' })
    }
    expect(await typesOf(handle)).toEqual(['created'])
  })

  it.each([{ timeout: null }, { timeout: 1n }, { timeout: [5] }])(
    'refused as a timeout: %#',
    async (options) => {
      await using world = await openTestEngine({ functions: [echo] })
      const handle = await world.engine.submit(echo, 1, { delay: '1h' })
      for (const method of [handle.result, handle.outcome]) {
        await expect(method(options as never)).rejects.toMatchObject({ code: 'invalid_option' })
      }
    },
  )

  it.each([null, 5, true, {}, Symbol('s')])('refused as a reason: %#', async (reason) => {
    await using world = await openTestEngine({ functions: [echo] })
    const handle = await world.engine.submit(echo, 1, { delay: '1h' })
    await expect(handle.cancel({ reason: reason as never })).rejects.toMatchObject({
      code: 'invalid_option',
      fields: { option: 'cancel.reason' },
    })
    expect(await typesOf(handle)).toEqual(['created'])
  })

  it('reason: beyond limits.valueBytes is refused, and nothing is written', async () => {
    await using world = await openTestEngine({ functions: [echo], limits: { valueBytes: 20 } })
    const handle = await world.engine.submit(echo, 1, { delay: '1h' })
    await expect(handle.cancel({ reason: 'x'.repeat(19) })).rejects.toMatchObject({
      code: 'value_too_large',
      fields: { path: 'cancel.reason', limit: 20 },
    })
    expect(await handle.cancel({ reason: 'x'.repeat(18) })).toBe('cancelled')
  })
})
