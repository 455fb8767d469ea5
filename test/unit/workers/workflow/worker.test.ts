import { defineActivity, defineWorkflow, unchecked, type WorkflowContext } from 'stele'
import { describe, expect, it } from 'vitest'
import type { AbortReason } from '../../../../src/engine/worker.ts'
import { workflowGuard } from '../../../../src/workers/workflow/guard.ts'
import { temporaryDirectory } from '../../../support/storage/temporary-directory.ts'
import { openTestEngine, unhandledWhile } from '../../client/test-engine.ts'
import { act, child, delay } from './test-frame.ts'
import { finished, testRuns } from './test-run.ts'

type Context = WorkflowContext<{ readonly go: unknown }>

const main = (
  handler: (context: Context, input: unknown) => unknown,
  options: { readonly version?: string; readonly onNondeterminism?: 'pause' | 'fail' } = {},
) =>
  defineWorkflow(
    { name: 'main', messages: { go: unchecked<unknown>() }, ...options },
    (input: unknown, context) => handler(context as Context, input),
  )

const asleep = main(({ sleep }) => sleep('1 day'))
const parked = { type: 'already_written' }

describe('a run', () => {
  it('end: the outcome is the result; nothing was to be written', async () => {
    const world = testRuns(
      main((_, input) => input),
      { input: { total: 5 } },
    )
    const run = await world.lock()
    expect(run.result()).toEqual(finished({ total: 5 }))
    expect(world.writes).toEqual([])
  })

  it('end: waits until what was open has ended', async () => {
    const world = testRuns(
      main(({ call }) => {
        void call(act, 1)
        return 'done'
      }),
    )
    const run = await world.lock()
    expect(run.result()).toEqual(parked)
    expect(world.writes[0]).toMatchObject({ cancelledChildren: [child('o:1-act')] })
    world.childEnds('o:1-act')
    expect((await world.lock()).result()).toEqual(finished('done'))
  })

  it('park: one append holds the calls, the creations, and the wait', async () => {
    const world = testRuns(main(({ call }) => call(act, 5)))
    const run = await world.lock()
    expect(run.result()).toEqual(parked)
    expect(world.writes).toHaveLength(1)
    expect(world.writes[0]).toMatchObject({
      events: [
        { type: 'join_set_create' },
        { type: 'join_set_request' },
        { type: 'join_next', seenCursor: 0, runExpiresAt: 1_000 },
      ],
      creations: [{ executionId: child('o:1-act') }],
    })
  })

  it('news: a response that comes while it runs is delivered before it parks', async () => {
    const world = testRuns(
      main(({ step, messages }) => Promise.all([messages.go.next(), step('a', () => pause)])),
    )
    let resume: (value: string) => void = () => undefined
    const pause = new Promise<string>((resolve) => {
      resume = resolve
    })
    const run = await world.lock()
    world.send('go', 'now')
    await world.settle()
    resume('later')
    await world.settle()
    expect(run.result()).toEqual(finished(['now', 'later']))
  })

  it('time: turns go on until nothing is left, and let the event loop go on between them', async () => {
    const world = testRuns(
      main(async ({ messages }) => {
        let sum = 0
        for (let left = 450; left > 0; left -= 1) sum += Number(await messages.go.next())
        return sum
      }),
    )
    for (let count = 0; count < 450; count += 1) world.send('go', 1)
    const run = await world.lock()
    await world.settle()
    expect(run.result()).toEqual(finished(450))
  })

  it('appends: what turns have gathered is written before it is too much for one', async () => {
    const world = testRuns(
      main(async ({ joinSet, messages }) => {
        for (let count = 0; count < 1_100; count += 1) joinSet()
        await messages.go.next()
        for (let count = 0; count < 5; count += 1) joinSet()
        await messages.go.next()
      }),
    )
    world.send('go')
    await world.lock()
    expect(world.writes.map(({ events }) => events.length)).toEqual([1_101, 6])
  })

  it('logs: lines go to the run that holds the lock, once', async () => {
    const world = testRuns(
      main(async ({ log, messages }) => {
        log.info('first')
        await messages.go.next()
        log.info('second')
      }),
    )
    const first = await world.lock()
    world.send('go')
    world.restart()
    const second = await world.lock()
    expect([first.lines, second.lines]).toEqual([['first'], ['second']])
  })
})

describe('warm and cold', () => {
  const handler = async ({ call, messages, now, random }: Context): Promise<unknown> => {
    const value = await call(act, 1)
    const at = now()
    const message = await messages.go.next()
    return [value, at, message, random()]
  }

  it.each([
    ['warm', { warmRuns: 10 }, 0],
    ['cold', { warmRuns: 0 }, 2],
  ])('%s: gives the same writes and the same end', async (_, limits, replays) => {
    const world = testRuns(main(handler), { limits })
    await world.lock()
    world.clock.set(5_000)
    world.childEnds('o:1-act', { type: 'ok', value: 7 })
    await world.lock()
    world.clock.set(9_000)
    world.send('go', 'hi')
    const run = await world.lock()
    expect(run.result()).toEqual(finished([7, 5_000, 'hi', expect.any(Number)]))
    expect(world.types()).toEqual(['join_set_create', 'join_set_request', 'join_next', 'join_next'])
    expect(world.replays()).toBe(replays)
  })

  it('warm: a frame that does not know all of the log is replayed', async () => {
    const world = testRuns(main(handler))
    await world.lock()
    world.append({ type: 'paused' })
    world.append({ type: 'unpaused' })
    world.childEnds('o:1-act', { type: 'ok', value: 7 })
    const run = await world.lock()
    expect(run.result()).toEqual(parked)
    expect(world.replays()).toBe(1)
  })

  it('cold: an execution that was never locked before has nothing to be read', async () => {
    const world = testRuns(main(handler))
    await world.lock()
    expect(world.replays()).toBe(0)
  })
})

describe('code and log that part', () => {
  it('pause: needs attention, with where and what; nothing is written', async () => {
    const world = testRuns(asleep)
    await world.lock()
    world.restart(main(({ call }) => call(act, 1)))
    const run = await world.lock()
    expect(run.result()).toEqual({
      type: 'needs_attention',
      reason: expect.stringMatching(
        /at version 2: expected call 1 opens join set o:1-sleep; the code: call 1 opens join set o:1-act/,
      ),
    })
    expect(world.writes).toHaveLength(1)
  })

  it('pause: after a fix it goes on', async () => {
    const world = testRuns(asleep)
    await world.lock()
    world.restart(main(({ call }) => call(act, 1)))
    await world.lock()
    world.restart(asleep)
    world.delayEnds('o:1-sleep')
    expect((await world.lock()).result()).toEqual({
      type: 'run_finished',
      outcome: { type: 'ok' },
    })
  })

  it('fail: fails, and cancels what is open', async () => {
    const world = testRuns(main(({ call, sleep }) => Promise.all([call(act, 1), sleep(1)])))
    await world.lock()
    world.restart(main(({ joinSet }) => joinSet('s'), { onNondeterminism: 'fail' }))
    const run = await world.lock()
    expect(run.result()).toMatchObject({
      type: 'fatal_error',
      fatal: { type: 'nondeterminism_detected', detail: expect.stringContaining('version 2') },
    })
    expect(world.writes.at(-1)).toMatchObject({
      events: [],
      cancelledChildren: [child('o:1-act')],
      cancelledDelays: [delay('o:2-sleep')],
    })
  })

  it('foreign: code that waits for what is not ours needs attention', async () => {
    const run = await testRuns(main(() => new Promise(() => undefined))).lock()
    expect(run.result()).toMatchObject({
      type: 'needs_attention',
      reason: expect.stringContaining('a promise that is not of Stele'),
    })
  })

  it('foreign: a call while the workflow waits is told at once, and its frame is forgotten', async () => {
    let resume: () => void = () => undefined
    const foreign = new Promise<void>((resolve) => {
      resume = resolve
    })
    const world = testRuns(
      main(async ({ sleep }) => {
        void sleep('1 day')
        await foreign
        await sleep(1)
      }),
    )
    expect((await world.lock()).result()).toEqual(parked)
    resume()
    await world.settle()
    expect(world.parkedFaults).toEqual([
      {
        executionId: 'e',
        version: world.log.length - 1,
        reason: expect.stringContaining('`sleep` was called while the workflow was not running'),
      },
    ])
    await world.lock()
    expect(world.replays()).toBe(1)
  })

  it('upgrade: a log of another version that fits is taken over, and says so', async () => {
    const world = testRuns(main(({ sleep }) => sleep(1), { version: '2' }))
    const run = await world.lock()
    expect(run.result()).toEqual(parked)
    expect(world.writes[0]?.events[0]).toMatchObject({
      type: 'upgrade_finished',
      functionVersion: '2',
      result: 'success',
    })
  })

  it('upgrade: one that ends at once says so first', async () => {
    const world = testRuns(main(() => 'done', { version: '2' }))
    expect((await world.lock()).result()).toEqual(finished('done'))
    expect(world.types()).toEqual(['upgrade_finished'])
  })

  it('upgrade: one that does not fit is left alone, with the reason', async () => {
    const world = testRuns(asleep)
    await world.lock()
    world.restart(main(({ call }) => call(act, 1), { version: '2', onNondeterminism: 'fail' }))
    expect((await world.lock()).result()).toMatchObject({
      type: 'upgrade_failed',
      functionVersion: '2',
      reason: expect.stringContaining('at version 2'),
    })
    expect(world.writes).toHaveLength(1)
  })
})

describe('ends that are no outcome', () => {
  it.each([
    ['nobody knows the function', [act]],
    ['a declaration', [defineWorkflow({ name: 'main' })]],
    ['an activity of that name', [defineActivity({ name: 'main' }, () => 1)]],
  ])('implementation: %s', async (_, functions) => {
    const world = testRuns(main(() => 1))
    world.restart(...functions)
    expect((await world.lock()).result()).toMatchObject({ type: 'limit_reached' })
  })

  it('input: one that the codec cannot read is final', async () => {
    const world = testRuns(
      main(() => 1),
      { input: { $devalue: 'nonsense' } },
    )
    expect((await world.lock()).result()).toMatchObject({
      type: 'fatal_error',
      fatal: { type: 'input_unreadable' },
    })
  })

  it('B8: a result that cannot be stored is final, and names the path', async () => {
    const run = await testRuns(main(() => ({ items: [{ socket: () => 1 }] }))).lock()
    expect(run.result()).toMatchObject({
      type: 'fatal_error',
      fatal: {
        type: 'result_not_storable',
        reason: expect.stringContaining('result.items[0].socket'),
      },
    })
  })

  it('limit: a log that is full needs attention, and is written no further', async () => {
    const world = testRuns(asleep, { limits: { eventsPerExecution: 4 } })
    const run = await world.lock()
    expect(run.result()).toMatchObject({
      type: 'needs_attention',
      reason: expect.stringContaining('`limits.eventsPerExecution` (4)'),
    })
    expect(world.writes).toEqual([])
  })

  it('limit: runs that died without recording anything need attention; unpausing tries again', async () => {
    const world = testRuns(
      main(() => 1),
      { limits: { crashesWithoutProgress: 2 } },
    )
    const timedOut = { type: 'temporarily_timed_out', backoffExpiresAt: 0 } as const
    world.append(timedOut)
    world.append(timedOut)
    expect((await world.lock()).result()).toMatchObject({
      type: 'needs_attention',
      reason: expect.stringMatching(/^2 runs in a row/),
    })
    world.append({ type: 'unpaused' })
    expect((await world.lock()).result()).toEqual(finished(1))
  })

  it('storage: an append that rejects ends the run with it', async () => {
    const world = testRuns(asleep)
    const cause = new Error('broken')
    world.breakStorage(cause)
    const run = await world.lock()
    expect(run.fault()).toBe(cause)
  })

  it('lock: once it is lost, nothing is written, and the code goes no further', async () => {
    const seen: string[] = []
    let resume: () => void = () => undefined
    const pause = new Promise<void>((resolve) => {
      resume = resolve
    })
    const world = testRuns(
      main(async ({ step }) => {
        await step('a', () => pause)
        seen.push('on')
      }),
    )
    const run = await world.lock()
    run.loseLock()
    resume()
    await world.settle()
    expect(run.result()).toEqual(parked)
    expect([world.writes, seen]).toEqual([[], []])
  })

  it('rejection: one that nobody hears fails the workflow that has ended', async () => {
    let result: unknown
    await unhandledWhile(async () => {
      const release = workflowGuard.install({ globals: false })
      const world = testRuns(
        main(() => {
          void Promise.reject(new RangeError('unheard'))
          return 'done'
        }),
      )
      result = (await world.lock()).result()
      release()
    })
    expect(result).toMatchObject({
      type: 'fatal_error',
      fatal: { type: 'workflow_trap', reason: 'unheard', error: { name: 'RangeError' } },
    })
  })
})

describe('abort', () => {
  const stuck = main(({ step }) => step('a', () => new Promise(() => undefined)))

  it.each([
    ['timed_out', { type: 'temporary_timeout' }],
    ['cancelled', parked],
    ['superseded', parked],
    ['released', { type: 'executor_closing' }],
    ['stopping', undefined],
  ] as readonly (readonly [AbortReason, object | undefined])[])(
    'abort: %s',
    async (reason, result) => {
      const world = testRuns(stuck)
      const run = await world.lock()
      expect(run.result()).toBeUndefined()
      run.abort(reason)
      await world.settle()
      expect(run.result()).toEqual(result)
      expect(run.stragglers).toHaveLength(reason === 'stopping' ? 0 : 1)
      expect(world.writes).toEqual([])
    },
  )

  it('abort: no turn begins any more', async () => {
    const seen: unknown[] = []
    const world = testRuns(
      main(async ({ messages }) => {
        for (;;) {
          seen.push(await messages.go.next())
          if (seen.length === 10) world.abort('cancelled')
        }
      }),
    )
    for (let count = 0; count < 20; count += 1) world.send('go', count)
    const run = await world.lock()
    expect(run.result()).toEqual(parked)
    expect(seen).toHaveLength(10)
    expect(world.writes).toEqual([])
  })

  it('stopping: a step that gives up when it is told to is run by the next engine', async () => {
    using folder = temporaryDirectory()
    const file = folder.file('x.db')
    let runs = 0
    const stopped = defineWorkflow({ name: 'main' }, (_: undefined, { step }) =>
      step('a', ({ signal, attempt }) => {
        runs += 1
        if (runs > 1) return attempt
        return new Promise<number>((_resolve, reject) => {
          signal.addEventListener('abort', () => {
            reject(signal.reason as Error)
          })
        })
      }),
    )
    const first = await openTestEngine({ functions: [stopped], file })
    await first.engine.submit(stopped, undefined, { id: 'e' })
    await first.settle()
    await first.stop()
    await using second = await openTestEngine({ functions: [stopped], file, time: first })
    await second.advance(5_000)
    const handle = await second.engine.get('e')
    expect(await handle.state()).toMatchObject({ status: 'finished', attempt: 1 })
    expect(await handle.result({ timeout: 0 })).toBe(1)
    await second.check()
  })

  it('closing: what waits parks all the same', async () => {
    const locking = testRuns(
      main(async ({ step, sleep }) => {
        await step('a', () => pause)
        await sleep('1 day')
      }),
    )
    let resume: () => void = () => undefined
    const pause = new Promise<void>((resolve) => {
      resume = resolve
    })
    const run = await locking.lock()
    run.close()
    resume()
    await locking.settle()
    expect(run.result()).toEqual(parked)
    expect(locking.types().at(-1)).toBe('join_next')
  })
})
