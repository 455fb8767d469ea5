/**
 * Workflows that between them make every call there is, and what the world does to them. Their logs
 * are kept in `test/golden`; what they do must never change, so add new ones instead.
 */

import {
  ActivityError,
  type AnyFunction,
  defineActivity,
  defineWorkflow,
  type Handle,
  type Implemented,
  unchecked,
} from 'stele'
import { toCode } from '../seed/workflow-test.ts'
import type { TestEngine } from '../unit/client/test-engine.ts'

/** When every story begins. */
export const goldenStart = 1_700_000_000_000

const double = defineActivity({ name: 'double' }, (input: number) => input * 2)
const refuse = defineActivity({ name: 'refuse' }, (input: string) => {
  throw new ActivityError({ refused: input }, { permanent: true })
})
const fail = defineActivity({ name: 'fail', retry: { maxRetries: 1, backoff: '1s' } }, () => {
  throw Object.assign(new TypeError('no route'), { code: 'EHOSTUNREACH', stack: 'TypeError' })
})
const approve = defineActivity<'approve', string, string, string>({ name: 'approve' }).stub()
const nap = defineWorkflow({ name: 'nap' }, async (seconds: number, { sleep }) => {
  await sleep(seconds * 1_000)
  return seconds
})

/** Calls, outcomes, names, delays of children, scheduling. */
const calls = defineWorkflow({ name: 'calls' }, async (input: { n: number }, context) => {
  const { call, outcome, schedule, now, metadata, executionId } = context
  const one = await call(double, input.n)
  const two = await call(double, one, { name: 'second', delay: '2s' })
  const no = await outcome(refuse, 'no')
  const failed = await outcome(fail)
  const caught: unknown = await call(fail).catch((error: unknown) => error)
  const cause: unknown = Reflect.get(Object(caught), 'cause')
  const napped = await call(nap, 2)
  const ids = [
    schedule(double, 1).id,
    schedule(double, 2, { in: '1 day' }).id,
    schedule(double, 3, { at: goldenStart + 86_400_000 }).id,
  ]
  void call(approve, 'nobody asks')
  const code: unknown = Reflect.get(Object(cause), 'code')
  const ends = [no.type, failed.type, code, metadata['tenant'], executionId]
  return { one, two, napped, ids, ends, now: now() }
})

/** Local steps: retried here and later, failing, racing, side by side. */
const steps = defineWorkflow({ name: 'steps' }, async (_: undefined, { step, sleep, log }) => {
  const failing = (until: number) => (context: { readonly attempt: number }) => {
    if (context.attempt < until) throw Object.assign(new Error('not yet'), { stack: 'Error' })
    return context.attempt
  }
  const soon = await step('soon', failing(3), { retry: { backoff: 10 } })
  log.info('soon is over', { soon })
  const later = await step('later', failing(3), { retry: { backoff: '1 minute' } })
  const never = await step('never', failing(9), { retry: { maxRetries: 1, backoff: 1 } }).catch(
    toCode,
  )
  const all = await Promise.all(['a', 'b', 'c'].map((name) => step(name, () => name)))
  const first = await Promise.race([sleep('1 day').then(() => 'slept'), step('fast', () => 'fast')])
  const none = await step('none', () => undefined)
  return { soon, later, never, all, first, none: none ?? 'none' }
})

/** Join sets: named and made up, every policy, looks, limits, maps, and what is left open. */
const sets = defineWorkflow({ name: 'sets' }, async (_: undefined, context) => {
  const { joinSet, sleep } = context
  const seen: unknown[] = []
  const set = joinSet('set', { of: [double, nap, refuse] })
  set.submit(double, 1)
  set.submit(nap, 3)
  set.submit(refuse, 'x')
  set.delay('1s')
  set.delay(new Date(goldenStart + 5_000))
  seen.push(set.tryNext()?.id)
  await sleep('500ms', { name: 'half' })
  seen.push(set.tryNext()?.id)
  for await (const end of set) seen.push([end.kind, end.outcome.type])
  seen.push(set.tryNext()?.id)
  seen.push(await set.next().catch(toCode))
  const made = joinSet()
  made.submit(nap, 60)
  seen.push(await made.next({ timeout: '1s' }))
  made.cancel()
  seen.push((await made.next()).outcome.type)
  await made.close()
  const pool = joinSet('pool', { of: double, concurrency: 2 })
  seen.push(await pool.map(double, [1, 2, 3, 4, 5]))
  const strict = joinSet('strict', { of: [refuse, nap], onFailure: 'cancel' })
  strict.submit(nap, 60)
  strict.submit(refuse, 'y')
  for await (const end of strict) seen.push(end.outcome.type)
  const loose = joinSet('loose', { of: [refuse, double], onFailure: 'ignore' })
  loose.submit(refuse, 'z')
  loose.submit(double, 7)
  for await (const end of loose) seen.push(end.outcome.type)
  joinSet('abandoned', { of: nap, onClose: 'abandon' }).submit(nap, 600)
  joinSet('cancelled', { of: nap, onClose: 'cancel' }).submit(nap, 600)
  joinSet('awaited', { of: nap, onClose: 'await' }).submit(nap, 1)
  return seen
})

/** Messages, limits, chance, time, changes of code. */
const messages = defineWorkflow(
  { name: 'messages', messages: { go: unchecked<string>(), stop: unchecked<undefined>() } },
  async (_: undefined, context) => {
    const { messages: channels, random, uuid, now, patched, sleepUntil } = context
    const early = await channels.go.next()
    const none = await channels.go.next({ timeout: '1s' })
    const raced = await Promise.race([channels.stop.next().then(() => 'stop'), channels.go.next()])
    const change = patched('change')
    await sleepUntil(goldenStart + 30_000)
    const got: string[] = []
    for await (const one of channels.go) {
      got.push(one)
      if (one === 'last') break
    }
    const ids = [random(), uuid(), Math.random(), Date.now()]
    return { early, none: none ?? 'none', raced, change, got, ids, now: now() }
  },
)

/** An end that is no value. */
const thrown = defineWorkflow({ name: 'thrown' }, async (_: undefined, { call, sleep }) => {
  void call(approve, 'open')
  await sleep('1s')
  throw Object.assign(new RangeError('over'), { stack: 'RangeError' })
})

/** One that never ends by itself. */
const waiting = defineWorkflow({ name: 'waiting' }, async (_: undefined, { call, step }) => {
  await step('one', () => 1)
  return call(approve, 'for ever')
})

/** What is executed. */
export const goldenFunctions: readonly (AnyFunction & Implemented)[] = [
  double,
  refuse,
  fail,
  approve,
  nap,
  calls,
  steps,
  sets,
  messages,
  thrown,
  waiting,
]

/** One workflow, and its story. */
export interface Golden {
  readonly name: string
  readonly workflow: AnyFunction
  /** Where `checkReplay` leaves it. */
  readonly end: 'finished' | 'waiting'
  readonly tell: (world: TestEngine) => Promise<Handle<unknown>>
}

/** Every story. Ids are given and time is fake, so that logs come out the same each time. */
export const goldens: readonly Golden[] = [
  {
    name: 'calls',
    workflow: calls,
    end: 'finished',
    tell: async (world) => {
      const options = { id: 'golden', metadata: { tenant: 't' } }
      const handle = await world.engine.submit(calls, { n: 21 }, options)
      await world.advance(20_000)
      return handle
    },
  },
  {
    name: 'steps',
    workflow: steps,
    end: 'finished',
    tell: async (world) => {
      const handle = await world.engine.submit(steps, undefined, { id: 'golden' })
      await world.advance(190_000)
      return handle
    },
  },
  {
    name: 'sets',
    workflow: sets,
    end: 'finished',
    tell: async (world) => {
      const handle = await world.engine.submit(sets, undefined, { id: 'golden' })
      await world.advance(20_000)
      return handle
    },
  },
  {
    name: 'messages',
    workflow: messages,
    end: 'finished',
    tell: async (world) => {
      const handle = await world.engine.submit(messages, undefined, { id: 'golden', delay: 10 })
      await handle.send('go', 'early')
      await world.advance(2_000)
      await handle.pause()
      await handle.send('go', 'raced')
      await handle.unpause()
      await world.advance(1_000)
      await handle.send('go', 'more')
      await handle.send('go', 'last', { id: 'last' })
      await handle.send('go', 'last', { id: 'last' })
      await world.advance(30_000)
      return handle
    },
  },
  {
    name: 'thrown',
    workflow: thrown,
    end: 'finished',
    tell: async (world) => {
      const handle = await world.engine.submit(thrown, undefined, { id: 'golden' })
      await world.advance(2_000)
      return handle
    },
  },
  {
    name: 'waiting',
    workflow: waiting,
    end: 'waiting',
    tell: async (world) => {
      const handle = await world.engine.submit(waiting, undefined, { id: 'golden' })
      await world.advance(500)
      return handle
    },
  },
  {
    name: 'cancelled',
    workflow: waiting,
    end: 'finished',
    tell: async (world) => {
      const handle = await world.engine.submit(waiting, undefined, { id: 'golden' })
      await world.advance(500)
      await handle.cancel({ reason: 'enough' })
      await world.advance(500)
      return handle
    },
  },
]
