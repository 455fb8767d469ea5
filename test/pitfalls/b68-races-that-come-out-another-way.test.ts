import { defineActivity, defineWorkflow, type Handle, type Scheduler, unchecked } from 'stele'
import { describe, expect, it } from 'vitest'
import { memories, readPath } from '../seed/workflow-test.ts'
import { type Crash, isFinished, openWorld } from '../support/workflow-world.ts'

/** Long enough for a recovery in between, and short enough for a test. */
const minute = 4_000

/** Race, any, all and allSettled, nested over messages, timers, children and steps. */
function functions(scheduler: Scheduler) {
  const after = (delay: number) =>
    new Promise<void>((resolve) => {
      scheduler.after(delay, resolve)
    })
  const work = defineActivity({ name: 'work' }, async (delay: number) => {
    await after(delay)
    return `worked ${delay}`
  })
  const bad = defineActivity({ name: 'bad', retry: { maxRetries: 0 } }, () => {
    throw new RangeError('bad')
  })
  const nap = defineWorkflow({ name: 'nap' }, async (delay: number, { sleep }) => {
    await sleep(delay)
    return `napped ${delay}`
  })
  const nest = defineWorkflow(
    { name: 'nest', messages: { a: unchecked<string>(), b: unchecked<string>() } },
    async (_: undefined, context) => {
      const { call, step, sleep, messages, joinSet, random } = context
      const { a, b } = messages
      const seen: unknown[] = []
      const named = (name: string, delay: number) => sleep(delay).then(() => name)
      seen.push(await Promise.race([Promise.all([a.next(), b.next()]), named('late', minute)]))
      // The clock after a race is that of the winner.
      seen.push(Date.now() - 1_700_000_000_000 < minute, Math.random() < 1, random())
      seen.push(
        await Promise.any([
          call(bad).then(() => 'never'),
          step('bad', () => Promise.reject(new Error('no')), { retry: { maxRetries: 0 } }),
          Promise.race([named('nap', 5 * minute), call(work, 2 * minute)]),
          named('any', 20 * minute),
        ]),
      )
      const settled = await Promise.allSettled([
        call(bad),
        Promise.race([a.next({ timeout: minute }), b.next()]),
        Promise.all([step('one', () => 1), step('two', () => 2), call(nap, minute)]),
        Promise.any([call(bad), call(bad)]),
      ])
      seen.push(
        settled.map((one) =>
          'value' in one ? one.value : readPath(one.reason, 'constructor', 'name'),
        ),
      )
      const set = joinSet('set', { of: [work, nap], onFailure: 'collect' })
      for (const delay of [3, 1, 2]) set.submit(work, delay * minute)
      set.submit(nap, 10 * minute)
      seen.push(await Promise.race([set.next().then((end) => end.value), b.next()]))
      seen.push(await set.next({ timeout: 10 }), set.tryNext())
      set.cancel()
      for await (const end of set) seen.push([end.kind, end.outcome.type])
      return seen
    },
  )
  return [work, bad, nap, nest] as const
}

/** Runs it to its end; the engine dies where it is told to. */
async function run(warmRuns: number, crashes: readonly Crash[]) {
  const world = await openWorld({ functions, warmRuns, crashes, lockExpiry: 1_500 })
  const [, , , nest] = functions(world.time.scheduler)
  const start = world.time.clock.now()
  world.time.scheduler.after(1_000, () => undefined)
  const done = new Set<string>()
  /** Asks whoever lives to do it, until somebody has said that it is done. */
  const ensure = async (what: string, act: () => Promise<unknown>): Promise<void> => {
    if (done.has(what)) return
    void act().then(() => done.add(what))
    await world.time.settle()
    // Whoever died of it is replaced before any time passes.
    if (!done.has(what)) world.time.scheduler.after(0, () => undefined)
  }
  const send = (channel: 'a' | 'b', text: string) =>
    ensure(text, async () =>
      (await world.engine().get('n', nest)).send(channel, text, { id: text }),
    )
  const finished = await world.runUntil(async () => {
    await ensure('submit', () => world.engine().submit(nest, undefined, { id: 'n' }))
    if (!done.has('submit')) return false
    await send('a', 'first')
    if (world.time.clock.now() >= start + 1_000) await send('b', 'second')
    const handle = await world.client.get('n', nest)
    return isFinished(world, handle as Handle<unknown>)
  })
  expect(finished, 'it stands still').toBe(true)
  const handle = await world.client.get('n', nest)
  const outcome = await handle.outcome({ timeout: 0 })
  const writes = world.writes()
  const deaths = world.deaths()
  await world.close()
  return { outcome, writes, deaths }
}

describe.each(memories)('B68, $memory', ({ memory, limits: { warmRuns } }) => {
  it('B68: killed at a write, before it or after it: the same outcome', {
    timeout: 60_000,
  }, async () => {
    const whole = await run(warmRuns, [])
    expect(whole.outcome).toMatchObject({ type: 'ok' })
    expect(whole).toMatchObject({
      deaths: 0,
      outcome: {
        value: [
          ['first', 'second'],
          true,
          true,
          expect.any(Number),
          'worked 8000',
          ['ExecutionError', undefined, [1, 2, 'napped 4000'], 'AggregateError'],
          'worked 4000',
          undefined,
          undefined,
          ['child', 'execution_failure'],
          ['child', 'execution_failure'],
          ['child', 'execution_failure'],
        ],
      },
    })
    let killed = 0
    // Odd writes in one memory, even ones in the other; every other one of them was committed.
    for (let write = memory === 'warm' ? 2 : 3; write <= whole.writes; write += 2) {
      const committed = write % 4 < 2
      const crashed = await run(warmRuns, [{ write, committed }])
      expect(crashed.outcome, `killed at write ${write}, ${committed}`).toEqual(whole.outcome)
      killed += crashed.deaths
    }
    expect(killed).toBeGreaterThan(whole.writes / 4)
  })
})
