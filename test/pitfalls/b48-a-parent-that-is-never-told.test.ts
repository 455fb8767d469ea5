import { ActivityError, defineActivity, defineWorkflow, type Engine } from 'stele'
import { describe, expect, it } from 'vitest'
import { createGate, memories } from '../seed/workflow-test.ts'
import { openTestEngine, type TestEngine } from '../unit/client/test-engine.ts'

const approve = defineActivity<'approve', string, string, string>({ name: 'approve' }).stub()
const trapping = defineActivity({ name: 'trapping', retry: { maxRetries: 0 } }, () => {
  throw new Error('broken')
})
const refusing = defineActivity({ name: 'refusing' }, () => {
  throw new ActivityError('no', { permanent: true })
})
const hanging = defineActivity(
  { name: 'hanging', retry: { maxRetries: 0 }, timeout: '1s', lockExpiry: '1s' },
  () => createGate<string>().opened,
)
const napping = defineWorkflow({ name: 'napping' }, async (_: undefined, { sleep }) => {
  await sleep('5s')
  return 'napped'
})
const children = { approve, trapping, refusing, hanging, napping }
type Which = keyof typeof children

const main = defineWorkflow(
  { name: 'main' },
  async ({ which, how }: { which: Which; how: string }, { outcome, joinSet }) => {
    if (how === 'call') return outcome(children[which] as typeof approve, 'x')
    const set = joinSet('set', { of: children[which] as typeof approve })
    set.submit(children[which] as typeof approve, 'x')
    return (await set.next()).outcome
  },
)

const child = async (engine: Engine, which: Which, how: string) =>
  engine.get(how === 'call' ? `m.o:1-${which}_1` : 'm.n:set_1')

const cases: readonly {
  readonly name: string
  readonly which: Which
  readonly act?: (world: TestEngine, how: string) => Promise<unknown>
  readonly expected: object
}[] = [
  { name: 'fails', which: 'trapping', expected: { kind: 'uncategorized' } },
  { name: 'refuses', which: 'refusing', expected: { type: 'err', value: 'no' } },
  { name: 'runs out of time', which: 'hanging', expected: { kind: 'timed_out' } },
  {
    name: 'is cancelled while it runs',
    which: 'hanging',
    act: async ({ engine }, how) => (await child(engine, 'hanging', how)).cancel(),
    expected: { kind: 'cancelled' },
  },
  {
    name: 'is cancelled while it waits',
    which: 'napping',
    act: async ({ engine }, how) => (await child(engine, 'napping', how)).cancel(),
    expected: { kind: 'cancelled' },
  },
  {
    name: 'is paused, and cancelled then',
    which: 'napping',
    act: async ({ engine }, how) => {
      const handle = await child(engine, 'napping', how)
      await handle.pause()
      await handle.cancel()
    },
    expected: { kind: 'cancelled' },
  },
  {
    name: 'is paused until long after its time, and let go',
    which: 'napping',
    act: async (world, how) => {
      const handle = await child(world.engine, 'napping', how)
      await handle.pause()
      await world.advance(10_000)
      await handle.unpause()
    },
    expected: { type: 'ok', value: 'napped' },
  },
  {
    name: 'is completed from outside',
    which: 'approve',
    act: async ({ engine }, how) =>
      engine.complete((await child(engine, 'approve', how)).id, { type: 'ok', value: 'yes' }),
    expected: { type: 'ok', value: 'yes' },
  },
  {
    name: 'is failed from outside',
    which: 'approve',
    act: async ({ engine }, how) =>
      engine.complete((await child(engine, 'approve', how)).id, {
        type: 'execution_failure',
        kind: 'timed_out',
        reason: 'nobody came',
      }),
    expected: { kind: 'timed_out', reason: 'nobody came' },
  },
]

describe.each(memories)('B48, $memory', ({ limits }) => {
  describe.each(['call', 'join set'])('B48: %s', (how) => {
    it.each(cases)('B48: the child $name: the parent goes on', async ({ which, act, expected }) => {
      const functions = [trapping, refusing, hanging, napping, approve, main]
      await using world = await openTestEngine({ functions, limits })
      const handle = await world.engine.submit(main, { which, how }, { id: 'm' })
      await world.settle()
      expect(await handle.state()).toMatchObject({ status: expect.stringMatching(/blocked|fin/) })
      await act?.(world, how)
      await world.advance(6_000)
      expect(await handle.result({ timeout: 0 })).toMatchObject(expected)
      await world.check()
    })
  })

  it('B48: the parent is paused while its child ends, and cancelled while its child ends', async () => {
    const functions = [approve, main]
    await using world = await openTestEngine({ functions, limits })
    const input = { which: 'approve', how: 'call' } as const
    const held = await world.engine.submit(main, input, { id: 'm' })
    await world.settle()
    await held.pause()
    await world.engine.complete('m.o:1-approve_1', { type: 'ok', value: 'yes' })
    await world.advance(500)
    expect(await held.state()).toMatchObject({ status: 'pending_at', paused: true })
    await held.unpause()
    await world.settle()
    expect(await held.result({ timeout: 0 })).toEqual({ type: 'ok', value: 'yes' })
    const doomed = await world.engine.submit(main, input, { id: 'd' })
    await world.settle()
    const cancelled = doomed.cancel()
    const completed = world.engine
      .complete('d.o:1-approve_1', { type: 'ok', value: 'yes' })
      .catch(() => undefined)
    await Promise.all([cancelled, completed])
    await world.advance(500)
    expect(await doomed.outcome({ timeout: 0 })).toMatchObject({ kind: 'cancelled' })
    await world.check()
  })
})
