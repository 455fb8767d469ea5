/** Minimal programs that the properties of workflows have found, for ever. */

import {
  type AnyFunction,
  defineActivity,
  defineWorkflow,
  type Handle,
  type Implemented,
} from 'stele'
import { describe, expect, it } from 'vitest'
import type { Scheduler } from '../../src/base/time.ts'
import { checkInvariants } from '../support/storage/check-invariants.ts'
import { isFinished, openWorld, type WorldOptions } from '../support/workflow-world.ts'

type Functions = readonly (AnyFunction & Implemented)[]

const day = 86_400_000
const slow = (scheduler: Scheduler) =>
  defineActivity(
    { name: 'slow', timeout: '400 days' },
    (ms: number) => new Promise<number>((resolve) => scheduler.after(ms, () => resolve(ms))),
  )

/** Runs the last function, and gives how it ended and when. */
async function run(
  functions: (scheduler: Scheduler) => Functions,
  options: Partial<WorldOptions> = {},
): Promise<{ outcome: unknown; took: number; logs: readonly string[]; types: readonly string[] }> {
  const world = await openWorld({ functions, ...options })
  const main = functions(world.time.scheduler).at(-1)
  const begun = world.time.clock.now()
  const handle = (await world.engine().submit(main as never, undefined as never)) as Handle<unknown>
  const isDone = await world.runUntil(() => isFinished(world, handle))
  const took = world.time.clock.now() - begun
  // Lines are kept a little later than they are logged.
  await world.time.advance(1_000)
  const again = await world.client.get(handle.id)
  const state = await again.state()
  const logs = (await again.logs()).map(({ message }) => message)
  const types = (await again.log()).events.map(({ type }) => type)
  await checkInvariants(world.storage)
  await world.close()
  return { outcome: isDone ? state.outcome : state, took, logs, types }
}

const modes = { warm: { warmRuns: 1_000 }, cold: { warmRuns: 0 } }

describe.each(Object.entries(modes))('%s', (_, mode) => {
  it('two steps that end together can race, and the later one is nobody’s', async () => {
    const { outcome } = await run(
      () => [
        defineWorkflow({ name: 'w' }, (_input: undefined, { step }) =>
          Promise.race([step('a', () => 1), step('b', () => 2)]),
        ),
      ],
      mode,
    )
    expect(outcome).toEqual({ type: 'ok', value: 1 })
  })

  it('a step that ends while the sets of an ended handler close is nobody’s', async () => {
    const { outcome } = await run((scheduler) => {
      const child = defineWorkflow({ name: 'c' }, (_input: undefined, { sleep }) => sleep(1_000))
      const pause = () => new Promise<number>((resolve) => scheduler.after(500, () => resolve(1)))
      const main = defineWorkflow({ name: 'w' }, async (_input: undefined, { call, step }) => {
        void call(child, undefined)
        void step('slow', pause)
        await step('fast', () => 1)
        return 'done'
      })
      return [child, main]
    }, mode)
    expect(outcome).toEqual({ type: 'ok', value: 'done' })
  })

  it('what follows a step in its turn is said, cancelled and decided', async () => {
    const { outcome, took, logs, types } = await run(
      () => [
        defineWorkflow({ name: 'w' }, async (_input: undefined, { step, sleep, log, patched }) => {
          void sleep('30 days')
          await step('a', () => 1)
          log.info('after')
          return patched('change')
        }),
      ],
      mode,
    )
    expect(outcome).toEqual({ type: 'ok', value: true })
    expect(types).toContain('patched')
    expect(logs).toEqual(['after'])
    expect(took).toBeLessThan(day)
  })

  it('what follows a response that was there before the last wait is said, cancelled and decided', async () => {
    const { outcome, took, logs } = await run((scheduler) => {
      const activity = slow(scheduler)
      const main = defineWorkflow(
        { name: 'w' },
        async (_input: undefined, { joinSet, sleep, log, patched }) => {
          const set = joinSet('s', { of: activity })
          set.submit(activity, 1_000)
          void sleep('30 days')
          await sleep(2_000)
          await set.next()
          log.info('after')
          return patched('change')
        },
      )
      return [activity, main]
    }, mode)
    expect(outcome).toEqual({ type: 'ok', value: true })
    expect(logs).toEqual(['after'])
    expect(took).toBeLessThan(day)
  })

  it('what one turn starts and gives up, however much, is cancelled', async () => {
    const { outcome, took } = await run(
      () => [
        defineWorkflow({ name: 'w' }, (_input: undefined, { joinSet }) => {
          const set = joinSet('s')
          for (let index = 0; index < 150; index += 1) set.delay('30 days')
          return 'done'
        }),
      ],
      mode,
    )
    expect(outcome).toEqual({ type: 'ok', value: 'done' })
    expect(took).toBeLessThan(day)
  })

  it('a step may be the last call before open sets close', async () => {
    const { outcome, types } = await run(
      () => [
        defineWorkflow({ name: 'w' }, async (_input: undefined, { joinSet, step }) => {
          joinSet('s').delay(10)
          return step('a', () => 1)
        }),
      ],
      mode,
    )
    expect(outcome).toEqual({ type: 'ok', value: 1 })
    expect(types.at(-1)).toBe('finished')
  })

  it('a failure that the set ignores is not given by a look either', async () => {
    const { outcome } = await run(() => {
      const no = defineActivity({ name: 'no', retry: { maxRetries: 0 } }, () => {
        throw new Error('no')
      })
      const yes = defineActivity({ name: 'yes' }, () => 'yes')
      const main = defineWorkflow({ name: 'w' }, async (_input: undefined, { joinSet, sleep }) => {
        const set = joinSet('s', { onFailure: 'ignore' })
        set.submit(no as never, undefined as never)
        await sleep(1_000)
        set.submit(yes as never, undefined as never)
        await sleep(1_000)
        return [set.tryNext()?.value, set.tryNext()?.value]
      })
      return [no, yes, main] as never
    }, mode)
    expect(outcome).toEqual({ type: 'ok', value: ['yes', undefined] })
  })
})
