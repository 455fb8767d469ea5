/** Corners of the workflow context that users walk into: each resumed, and each replayed. */

import { checkReplay, defineActivity, defineWorkflow, type LogView, unchecked } from 'stele'
import { describe, expect, it } from 'vitest'
import { createGate, memories, pauseReason, toCode } from '../seed/workflow-test.ts'
import { temporaryDirectory } from '../support/storage/temporary-directory.ts'
import { createTestTime, openTestEngine, typesOf } from '../unit/client/test-engine.ts'

const double = defineActivity({ name: 'double' }, (input: number) => input * 2)
const odd = defineActivity({ name: 'odd', retry: { maxRetries: 0 } }, (input: number) => {
  if (input % 2 === 0) return input
  throw new Error(`odd ${input}`)
})
const nap = defineWorkflow({ name: 'nap' }, async (seconds: number, { sleep }) => {
  await sleep(seconds * 1_000)
  return seconds
})

describe.each(memories)('corners, $memory', ({ limits }) => {
  it('log: every line is kept once, whatever is replayed', async () => {
    const main = defineWorkflow(
      { name: 'main', messages: { go: unchecked<string>() } },
      async (_: undefined, { log, sleep, step, messages, call, patched }) => {
        log.info('1')
        await sleep(100)
        log.info('2')
        await step('step', () => 1)
        log.info('3')
        await messages.go.next({ timeout: 50 })
        log.info('4')
        await Promise.all([call(double, 1), step('other', () => 2), sleep(10)])
        log.info('5')
        patched('change')
        log.info('6')
        await sleep(10)
        log.info('7')
      },
    )
    await using world = await openTestEngine({ functions: [double, main], limits })
    const handle = await world.engine.submit(main)
    await world.advance(1_000)
    expect((await handle.logs()).map(({ message }) => message).join('')).toBe('1234567')
    await world.check()
  })

  it.each(['sleep', 'now', 'uuid'] as const)(
    'step: `%s` of the context inside a step is told, not swallowed',
    async (what) => {
      const main = defineWorkflow({ name: 'main' }, async (_: undefined, context) => {
        await context.step('inner', async () => {
          try {
            await (what === 'sleep' ? context.sleep(1) : context[what]())
          } catch {
            // Swallowed by the user, and still known.
          }
        })
      })
      await using world = await openTestEngine({ functions: [main], limits })
      const handle = await world.engine.submit(main)
      await world.settle()
      expect(await pauseReason(handle)).toContain(`\`${what}\` was called while`)
    },
  )

  it('step: its long wait can be cut short, and held back, from outside', async () => {
    const main = defineWorkflow({ name: 'main' }, (_: undefined, { step }) =>
      step(
        'flaky',
        ({ attempt }) => {
          if (attempt < 3) throw new Error('not yet')
          return attempt
        },
        { retry: { backoff: '1h' } },
      ),
    )
    await using world = await openTestEngine({ functions: [main], limits })
    const handle = await world.engine.submit(main, undefined, { id: 'm' })
    await world.settle()
    expect(await world.engine.delay('Delay_m.o:retry-1-1_1').cancel()).toBe('cancelled')
    await world.settle()
    const second = world.engine.delay('Delay_m.o:retry-1-2_1')
    await second.pause()
    world.clock.advance(3 * 3_600_000)
    await world.advance(300)
    expect(await handle.state()).toMatchObject({ status: 'blocked' })
    await second.unpause()
    await world.advance(200)
    expect(await handle.result({ timeout: 0 })).toBe(3)
    await world.check()
  })

  it('step: one that still runs when the handler has ended holds nothing up', async () => {
    const aborted: unknown[] = []
    const main = defineWorkflow({ name: 'main' }, async (_: undefined, { step, sleep }) => {
      void step('left behind', ({ signal }) => {
        signal.addEventListener('abort', () => aborted.push(toCode(signal.reason)))
        return createGate().opened
      })
      await sleep(10)
      return 'done'
    })
    await using world = await openTestEngine({ functions: [main], limits })
    const handle = await world.engine.submit(main)
    await world.advance(500)
    expect(await handle.result({ timeout: 0 })).toBe('done')
    expect(aborted).toHaveLength(1)
    await world.check()
  })

  it('join set: a limit on open children, with timeouts, and more takers than ends', async () => {
    const main = defineWorkflow({ name: 'main' }, async (_: undefined, { joinSet }) => {
      const pool = joinSet('pool', { of: nap, concurrency: 1 })
      for (const seconds of [1, 2, 1]) pool.submit(nap, seconds)
      const seen: unknown[] = [await pool.next({ timeout: 100 })]
      seen.push((await pool.next({ timeout: 2_000 }))?.value)
      const collect = async (): Promise<unknown[]> => {
        const got: unknown[] = []
        for await (const end of pool) got.push(end.value)
        return got
      }
      seen.push(...(await Promise.all([collect(), collect()])))
      seen.push(await pool.next().catch(toCode))
      return seen
    })
    await using world = await openTestEngine({ functions: [nap, main], limits })
    const handle = await world.engine.submit(main)
    await world.advance(5_000)
    const value = [undefined, 1, [2], [1], 'join_set_exhausted']
    expect(await handle.result({ timeout: 0 })).toEqual(value)
    await world.check()
  })

  it('join set: closed while somebody waits: what is open is given, and then no more', async () => {
    const main = defineWorkflow({ name: 'main' }, async (_: undefined, { joinSet }) => {
      const set = joinSet('set', { of: nap })
      for (const seconds of [1, 2]) set.submit(nap, seconds)
      const first = set.next().then((end) => end.value)
      const closed = set.close()
      const second = set.next().then((end) => end.value, toCode)
      await closed
      await set.close()
      return [await first, await second, await set.next().catch(toCode)]
    })
    await using world = await openTestEngine({ functions: [nap, main], limits })
    const handle = await world.engine.submit(main)
    await world.advance(5_000)
    const value = [1, 'join_set_exhausted', 'join_set_exhausted']
    expect(await handle.result({ timeout: 0 })).toEqual(value)
    await world.check()
  })

  it('join set: `map` in order, failures left out, or the first of them', async () => {
    const main = defineWorkflow({ name: 'main' }, async (_: undefined, { joinSet }) => [
      await joinSet('a', { of: odd, concurrency: 2, onFailure: 'ignore' }).map(odd, [4, 3, 2, 1]),
      await joinSet('b', { of: odd, onFailure: 'cancel' }).map(odd, [0, 1, 2, 3]).catch(toCode),
      await joinSet('c', { of: odd }).map(odd, []),
    ])
    await using world = await openTestEngine({ functions: [odd, main], limits })
    const handle = await world.engine.submit(main)
    await world.advance(500)
    expect(await handle.result({ timeout: 0 })).toEqual([[4, 2], 'execution_failed', []])
    const log = JSON.parse(JSON.stringify(await handle.log())) as LogView
    expect(await checkReplay(main, log)).toMatchObject({ end: 'finished' })
    await world.check()
  })

  it('what cannot be stored, or is no option, is refused where it was said, and recorded nowhere', async () => {
    const main = defineWorkflow({ name: 'main' }, async (_: undefined, context) => {
      const { call, sleep, joinSet, schedule } = context
      const socket = { socket: () => 1 } as unknown as number
      const codes = [
        await call(double, socket).catch(toCode),
        await call(double, 1, { name: '!' }).catch(toCode),
        await sleep('soon' as '1s').catch(toCode),
        await sleep(-1).catch(toCode),
      ]
      for (const wrong of [
        () => schedule(double, socket),
        () => schedule(double, 1, { at: 1, in: 1 }),
        () => joinSet('!'),
        () => joinSet('set', { concurrency: 0 }),
        () => joinSet('other', { of: double }).submit(double, socket),
      ]) {
        try {
          wrong()
          codes.push('accepted')
        } catch (error) {
          codes.push(toCode(error))
        }
      }
      await sleep(10)
      return [...codes, await call(double, 2)]
    })
    await using world = await openTestEngine({ functions: [double, main], limits })
    const handle = await world.engine.submit(main)
    await world.advance(500)
    expect(await handle.result({ timeout: 0 })).toEqual([
      'value_not_storable',
      'invalid_name',
      'invalid_option',
      'invalid_option',
      'value_not_storable',
      'invalid_option',
      'invalid_name',
      'invalid_option',
      'value_not_storable',
      4,
    ])
    await world.check()
  })
})

describe('stop', () => {
  it('stop: with time, a running step ends undisturbed and is recorded, and the next is not begun', async () => {
    const gate = createGate<number>()
    const begun: string[] = []
    const main = defineWorkflow({ name: 'main' }, async (_: undefined, { step }) => {
      await step('one', () => {
        begun.push('one')
        return gate.opened
      })
      await step('two', () => begun.push('two'))
    })
    using folder = temporaryDirectory()
    const place = { functions: [main], file: folder.file('x.db'), time: createTestTime() }
    const world = await openTestEngine(place)
    const { id } = await world.engine.submit(main)
    await world.settle()
    const stopped = world.engine.stop({ timeout: '30s' })
    await world.advance(5_000)
    gate.open(1)
    await world.settle()
    await stopped
    expect(begun).toEqual(['one'])
    await using next = await openTestEngine({ ...place, started: false })
    const handle = await next.engine.get(id)
    expect(await typesOf(handle)).toEqual(['created', 'locked', 'step_finished', 'unlocked'])
    await next.engine.start()
    await next.settle()
    expect(await handle.outcome({ timeout: 0 })).toMatchObject({ type: 'ok' })
    expect(begun).toEqual(['one', 'two'])
  })
})
