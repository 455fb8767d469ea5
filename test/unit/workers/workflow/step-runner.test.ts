import {
  ActivityError,
  defineWorkflow,
  err,
  PermanentError,
  type StepContext,
  type StepOptions,
  unchecked,
} from 'stele'
import { describe, expect, it } from 'vitest'
import { workflowGuard } from '../../../../src/workers/workflow/guard.ts'
import { shortBackoffMax } from '../../../../src/workers/workflow/step-runner.ts'
import { finished, type TestRuns, testRuns } from './test-run.ts'

type Code = (context: StepContext) => unknown

/** A workflow of one step that gives its value, or what it rejects with. */
const oneStep = (code: Code, options?: StepOptions) =>
  defineWorkflow({ name: 'main', messages: { go: unchecked<unknown>() } }, (_: unknown, { step }) =>
    step('a', code, options).then(
      (value) => ({ value }),
      (error: unknown) => ({ error: describeError(error) }),
    ),
  )

function describeError(error: unknown): unknown {
  const { name, code, outcome, cause } = error as Record<string, unknown>
  const { name: causeName, message } = (cause ?? {}) as Record<string, unknown>
  return { name, code, outcome, cause: [causeName ?? null, message ?? null] }
}

/** Fails so many times, then gives the number of the attempt. */
function failing(times: number, failure: () => unknown = () => new RangeError('no')): Code {
  return ({ attempt }) => {
    if (attempt <= times) throw failure()
    return attempt
  }
}

/** The events about steps. */
function stepsOf({ log }: TestRuns): readonly object[] {
  return log.flatMap(({ event }) => (event.type.startsWith('step_') ? [event] : []))
}

/** A promise, and what settles it. */
function gate(): {
  promise: Promise<unknown>
  open: (value: unknown) => void
  fail: (error: unknown) => void
} {
  let open: (value: unknown) => void = () => undefined
  let fail: (error: unknown) => void = () => undefined
  const promise = new Promise((resolve, reject) => {
    open = resolve
    fail = reject
  })
  return { promise, open, fail }
}

describe('a step that succeeds', () => {
  it('value: is recorded before the code goes on', async () => {
    const world = testRuns(oneStep(() => 5))
    const run = await world.lock()
    expect(stepsOf(world)).toEqual([
      {
        type: 'step_finished',
        seq: 1,
        name: 'a',
        outcome: { type: 'ok', value: 5 },
        afterCursor: 0,
      },
    ])
    expect(run.result()).toEqual(finished({ value: 5 }))
  })

  it('value: is copied; the step and the code may change their objects', async () => {
    const shared = { n: 1 }
    const world = testRuns(
      defineWorkflow({ name: 'main' }, async (_: unknown, { step }) => {
        const value = await step('a', () => {
          setImmediate(() => {
            shared.n = 99
          })
          return shared
        })
        value.n += 1
        return [value.n, shared.n]
      }),
    )
    expect((await world.lock()).result()).toEqual(finished([2, 99]))
    world.restart()
    expect(stepsOf(world)).toMatchObject([{ outcome: { value: { n: 1 } } }])
  })

  it('context: attempt, key and signal; it runs as none of a workflow’s code', async () => {
    const seen: unknown[] = []
    const world = testRuns(
      oneStep(({ attempt, idempotencyKey, signal }) => {
        seen.push(attempt, idempotencyKey, signal.aborted, workflowGuard.current())
      }),
    )
    const run = await world.lock()
    expect(seen).toEqual([1, 'e/1', false, undefined])
    expect(run.silences).toEqual([300_000 + shortBackoffMax])
  })

  it('replay: a step whose end is recorded does not run again', async () => {
    let runs = 0
    const world = testRuns(
      defineWorkflow({ name: 'main' }, async (_: unknown, { step, sleep }) => {
        const value = await step('a', () => (runs += 1))
        await sleep(1)
        return value
      }),
    )
    await world.lock()
    world.restart()
    world.delayEnds('o:1-sleep')
    expect((await world.lock()).result()).toEqual(finished(1))
    expect(runs).toBe(1)
  })

  it('order: steps run side by side, and end in the order in which they do', async () => {
    const [slow, fast] = [gate(), gate()]
    const seen: unknown[] = []
    const world = testRuns(
      defineWorkflow({ name: 'main' }, async (_: unknown, { step }) => {
        await Promise.all([
          step('slow', () => slow.promise).then((value) => seen.push(value)),
          step('fast', () => fast.promise).then((value) => seen.push(value)),
        ])
        return seen.length
      }),
    )
    const run = await world.lock()
    fast.open('fast')
    await world.settle()
    slow.open('slow')
    await world.settle()
    expect(seen).toEqual(['fast', 'slow'])
    expect(run.result()).toEqual(finished(2))
  })

  it('order: what had arrived before a step ended is delivered before its end', async () => {
    const step = gate()
    const seen: unknown[] = []
    const messages = { go: unchecked<unknown>() }
    const world = testRuns(
      defineWorkflow({ name: 'main', messages }, async (_: unknown, context) => {
        await Promise.all([
          context.step('a', () => step.promise).then((value) => seen.push(value)),
          context.messages.go.next().then((value) => seen.push(value)),
        ])
      }),
    )
    await world.lock()
    step.open('step')
    world.send('go', 'message')
    await world.settle()
    expect(seen).toEqual(['message', 'step'])
    expect(stepsOf(world)).toMatchObject([{ afterCursor: 1 }])
    world.restart()
    await world.lock()
    expect(seen).toEqual(['message', 'step', 'message', 'step'])
  })
})

describe('values', () => {
  it.each([
    ['undefined', undefined],
    ['null', null],
    ['a date', new Date(5)],
    ['a map', new Map([['a', 1n]])],
    ['NaN', Number.NaN],
    ['a frozen object', Object.freeze({ a: 1 })],
  ])('value: %s is given as it was', async (_, value) => {
    const seen: unknown[] = []
    const world = testRuns(
      defineWorkflow({ name: 'main' }, async (_input: unknown, { step }) => {
        seen.push(await step('a', () => value))
      }),
    )
    await world.lock()
    world.restart()
    await world.lock()
    expect(seen).toEqual([value, value])
  })

  it.each([
    ['a function', () => () => 1, /result of the step cannot be stored/],
    ['a part', () => ({ items: [{ f: () => 1 }] }), /result of the step\.items\[0\]\.f cannot/],
    ['too much', () => 'x'.repeat(200_000), /result of the step takes 200002 bytes/],
    ['err() with a part', () => err({ f: () => 1 }), /result of the step\.f cannot/],
    [
      'err() that cannot be read',
      () => ({
        '~err': true,
        get value() {
          throw new Error('hands off')
        },
      }),
      /the result cannot be stored: hands off/,
    ],
  ])('value: %s that cannot be stored is final: it has happened', async (_, code, reason) => {
    let runs = 0
    const world = testRuns(
      oneStep(() => {
        runs += 1
        return code()
      }),
    )
    const run = await world.lock()
    expect(run.result()).toMatchObject(
      finished({
        error: {
          code: 'execution_failed',
          outcome: { kind: 'uncategorized', reason: expect.stringMatching(reason) },
        },
      }),
    )
    expect(runs).toBe(1)
  })
})

describe('a step that fails', () => {
  it('retry: a short wait is spent here, and the failure is recorded', async () => {
    const world = testRuns(oneStep(failing(1)))
    const run = await world.lock()
    expect(run.result()).toBeUndefined()
    expect(stepsOf(world)).toMatchObject([
      { type: 'step_failed', seq: 1, attempt: 1, dueAt: 1_100, reason: 'step trap: no' },
    ])
    await world.advance(99)
    expect(run.result()).toBeUndefined()
    await world.advance(1)
    expect(run.result()).toEqual(finished({ value: 2 }))
  })

  it('retry: a long wait is a delay, and parks', async () => {
    const world = testRuns(oneStep(failing(1), { retry: { backoff: '1 hour' } }))
    const run = await world.lock()
    expect(run.result()).toEqual({ type: 'already_written' })
    expect(world.types()).toEqual([
      'step_failed',
      'join_set_create',
      'join_set_request',
      'join_next',
      'wait',
    ])
    expect(world.log.at(-3)?.event).toMatchObject({
      joinSetId: 'o:retry-1-1',
      dueAt: 3_601_000,
      intent: { type: 'at', at: 3_601_000 },
    })
  })

  it.each(['warm', 'cold'])('retry: after the delay it runs again, %s', async (mode) => {
    const world = testRuns(oneStep(failing(2), { retry: { backoff: '1 hour' } }))
    await world.lock()
    for (const attempt of [1, 2]) {
      world.clock.advance(7_200_000)
      world.delayEnds(`o:retry-1-${attempt}`, attempt === 1 ? 'ok' : 'cancelled')
      if (mode === 'cold') world.restart()
      await world.lock()
    }
    expect(stepsOf(world)).toMatchObject([
      { attempt: 1 },
      { attempt: 2 },
      { outcome: { value: 3 } },
    ])
  })

  it('retry: a crash in a short wait forgets neither the attempts nor the instant', async () => {
    const world = testRuns(oneStep(failing(1)))
    const dead = await world.lock()
    dead.abort('superseded')
    world.restart()
    const run = await world.lock()
    expect(run.result()).toBeUndefined()
    await world.advance(100)
    expect(run.result()).toEqual(finished({ value: 2 }))
  })

  it('exhausted: rejects with ExecutionError and its cause, live and replayed', async () => {
    const world = testRuns(oneStep(failing(9), { retry: { maxRetries: 1, backoff: 0 } }))
    const run = await world.lock()
    await world.advance(10)
    const expected = finished({
      error: {
        name: 'ExecutionError',
        code: 'execution_failed',
        outcome: {
          type: 'execution_failure',
          kind: 'uncategorized',
          reason: 'step trap: no',
          detail: expect.stringContaining('RangeError: no'),
        },
        cause: ['RangeError', 'no'],
      },
    })
    expect(run.result()).toEqual(expected)
    expect(stepsOf(world)).toHaveLength(2)
    world.restart()
    expect((await world.lock()).result()).toEqual(run.result())
  })

  it.each([
    [
      'a PermanentError',
      () => Promise.reject(new PermanentError('never')),
      { kind: 'uncategorized' },
    ],
    ['a permanent err', () => err('no', { permanent: true }), { type: 'err', value: 'no' }],
    [
      'a permanent ActivityError',
      () => Promise.reject(new ActivityError('no', { permanent: true })),
      { type: 'err', value: 'no' },
    ],
  ])('permanent: %s is never repeated', async (_, code, outcome) => {
    const world = testRuns(oneStep(code))
    const run = await world.lock()
    expect(run.result()).toMatchObject(finished({ error: { outcome } }))
    expect(stepsOf(world)).toHaveLength(1)
  })

  it.each([
    ['err', () => err({ code: 4 })],
    ['ActivityError', () => Promise.reject(new ActivityError({ code: 4 }))],
  ])('%s: is repeated, then final with its value', async (_, code) => {
    const world = testRuns(oneStep(code, { retry: { maxRetries: 1, backoff: 0 } }))
    const run = await world.lock()
    await world.advance(10)
    expect(stepsOf(world)[0]).toMatchObject({ reason: 'the step returned an error' })
    expect(run.result()).toMatchObject(
      finished({ error: { outcome: { type: 'err', value: { code: 4 } } } }),
    )
  })

  it.each([undefined, null, 'no', Symbol('no'), Object.freeze({ a: 1 })])(
    'thrown: %s',
    async (thrown) => {
      const code = (): never => {
        throw thrown as unknown
      }
      const world = testRuns(oneStep(code, { retry: { maxRetries: 0 } }))
      expect((await world.lock()).result()).toMatchObject(
        finished({ error: { outcome: { reason: expect.stringMatching(/^step trap: /) } } }),
      )
    },
  )
})

describe('a step that takes too long', () => {
  const endless = { timeout: '1 minute', retry: { maxRetries: 1, backoff: 10 } } as const

  it('timeout: aborts, is counted, and the attempt is a straggler', async () => {
    const signals: AbortSignal[] = []
    const first = gate()
    const world = testRuns(
      oneStep(({ signal, attempt }) => {
        signals.push(signal)
        return attempt === 1 ? first.promise : attempt
      }, endless),
    )
    const run = await world.lock()
    await world.advance(60_000)
    expect(signals[0]?.reason).toMatchObject({
      code: 'lock_lost',
      fields: { idempotencyKey: 'e/1', reason: 'timed_out' },
    })
    expect(run.stragglers).toHaveLength(1)
    expect(stepsOf(world)).toMatchObject([{ type: 'step_failed', attempt: 1 }])
    first.open('late')
    await world.advance(10)
    expect(run.result()).toEqual(finished({ value: 2 }))
  })

  it('timeout: the last one is the outcome', async () => {
    const world = testRuns(oneStep(() => new Promise(() => undefined), endless))
    const run = await world.lock()
    await world.advance(60_010)
    await world.advance(60_000)
    expect(run.result()).toMatchObject(
      finished({ error: { outcome: { type: 'execution_failure', kind: 'timed_out' } } }),
    )
  })

  it('signal: read after the abort it is aborted already', async () => {
    const wait = gate()
    const seen: unknown[] = []
    const world = testRuns(
      oneStep(async (context) => {
        await wait.promise
        seen.push(context.signal.aborted)
      }, endless),
    )
    await world.lock()
    await world.advance(60_000)
    wait.open(undefined)
    await world.settle()
    expect(seen).toEqual([true])
  })
})

describe('a step when the run should end', () => {
  it.each([
    ['timed_out', 'lock_lost'],
    ['cancelled', 'lock_lost'],
    ['superseded', 'lock_lost'],
    ['released', 'engine_stopped'],
    ['stopping', 'engine_stopped'],
  ] as const)('abort %s: the signal says why', async (reason, code) => {
    const seen: AbortSignal[] = []
    const world = testRuns(
      oneStep(({ signal }) => {
        seen.push(signal)
        return new Promise(() => undefined)
      }),
    )
    const run = await world.lock()
    run.abort(reason)
    expect(seen[0]?.reason).toMatchObject({ code, fields: { reason } })
  })

  it('abort: a step that was left comes too late', async () => {
    const step = gate()
    const world = testRuns(oneStep(() => step.promise))
    const run = await world.lock()
    run.abort('released')
    step.open('late')
    await world.settle()
    expect(run.result()).toEqual({ type: 'executor_closing' })
    expect(world.writes).toEqual([])
  })

  it('abort: waits between attempts end too', async () => {
    let runs = 0
    const world = testRuns(
      oneStep(() => {
        runs += 1
        throw new Error('no')
      }),
    )
    const run = await world.lock()
    run.abort('cancelled')
    await world.advance(1_000)
    expect(runs).toBe(1)
  })

  it('stopping: a step that ends in time is recorded, and the code goes on', async () => {
    const step = gate()
    const world = testRuns(oneStep(() => step.promise))
    const run = await world.lock()
    run.close()
    run.abort('stopping')
    step.open('in time')
    await world.settle()
    expect(run.result()).toEqual(finished({ value: 'in time' }))
  })

  it('stopping: a step that gives up has not failed, and runs again elsewhere', async () => {
    const step = gate()
    const world = testRuns(oneStep(({ attempt }) => (attempt === 1 ? step.promise : attempt)))
    const run = await world.lock()
    run.close()
    run.abort('stopping')
    step.fail(new Error('aborted'))
    await world.settle()
    expect(run.result()).toEqual({ type: 'executor_closing' })
    expect(world.types()).toEqual([])
    world.restart(oneStep(({ attempt }) => attempt))
    expect((await world.lock()).result()).toEqual(finished({ value: 1 }))
  })

  it('closing: a step that wants to run is left to the next engine', async () => {
    const [first, seen] = [gate(), [] as string[]]
    const world = testRuns(
      defineWorkflow({ name: 'main' }, async (_: unknown, { step }) => {
        await step('a', () => first.promise)
        return step('b', () => seen.push('b'))
      }),
    )
    const run = await world.lock()
    run.close()
    first.open(1)
    await world.settle()
    expect(run.result()).toEqual({ type: 'executor_closing' })
    expect(seen).toEqual([])
    expect(stepsOf(world)).toHaveLength(1)
    expect((await world.lock()).result()).toEqual(finished(1))
  })

  it('abandoned: a step that the handler leaves behind is aborted when it ends', async () => {
    const seen: AbortSignal[] = []
    const world = testRuns(
      defineWorkflow({ name: 'main' }, async (_: unknown, { step }) => {
        void step('slow', ({ signal }) => {
          seen.push(signal)
          return new Promise(() => undefined)
        })
        return step('fast', () => 1)
      }),
    )
    const run = await world.lock()
    expect(run.result()).toEqual(finished(1))
    expect(seen[0]?.aborted).toBe(true)
    expect(run.stragglers).toHaveLength(1)
  })
})
