import { defineActivity, defineWorkflow, type Implemented, type Workflow } from 'stele'
import { describe, expect, it } from 'vitest'
import { eventsOf } from '../seed/workflow-test.ts'
import { temporaryDirectory } from '../support/storage/temporary-directory.ts'
import { createTestTime, openTestEngine, type TestEngine } from '../unit/client/test-engine.ts'

const approve = defineActivity<'approve', string, string, string>({ name: 'approve' }).stub()
const quick = defineActivity({ name: 'quick' }, (input: number) => input)

type Main = Workflow<undefined, unknown> & Implemented

function openPlace(): Disposable & { readonly engine: (main: Main) => Promise<TestEngine> } {
  const folder = temporaryDirectory()
  const time = createTestTime()
  return {
    engine: (main) =>
      openTestEngine({
        functions: [approve, quick, main],
        file: folder.file('x.db'),
        time,
        executor: { concurrency: 1 },
      }),
    [Symbol.dispose]: () => {
      folder[Symbol.dispose]()
    },
  }
}

function original(version?: string): Main {
  return defineWorkflow({ name: 'main', version }, async (_: undefined, { call, step, sleep }) => {
    const one = await step('one', () => 1)
    await sleep('1h')
    return [one, await call(approve, 'x')]
  })
}

/** The same calls, by a file that looks different in every line. */
function reformatted(): Main {
  return defineWorkflow({ name: 'main' }, (_input: undefined, context) =>
    context
      .step('one', () => 1)
      .then((first) =>
        context
          .sleep('1h')
          .then(() => context.call(approve, 'x'))
          .then((second) => {
            const both = [first, second]
            return both
          }),
      ),
  )
}

const incompatible = defineWorkflow(
  { name: 'main', version: '2' },
  async (_: undefined, { call, step }) => {
    await step('uno', () => 1)
    return call(approve, 'y')
  },
)

describe('B72: new code, and runs that wait under the old one', () => {
  it.each([
    ['a reformatted file does not count', reformatted(), []],
    ['another version that does the same is an upgrade', original('2'), ['success']],
  ] as const)('B72: %s', async (_, next, upgrades) => {
    using place = openPlace()
    const first = await place.engine(original())
    await first.engine.submit(original(), undefined, { id: 'm' })
    await first.settle()
    await first.stop()
    await using second = await place.engine(next)
    second.clock.advance(3_600_000)
    await second.advance(500)
    await second.engine.complete('m.o:2-approve_1', { type: 'ok', value: 'yes' })
    await second.settle()
    const handle = await second.engine.get('m')
    expect(await handle.result({ timeout: 0 })).toEqual([1, 'yes'])
    const results = (await eventsOf(handle, 'upgrade_finished')).map(({ result }) => result)
    expect(results).toEqual(upgrades)
    await second.check()
  })

  it('B72: code that disagrees leaves them alone, says why, blocks no slot, and the old one finishes them', async () => {
    using place = openPlace()
    const first = await place.engine(original())
    const ids = ['a', 'b', 'c']
    for (const id of ids) await first.engine.submit(original(), undefined, { id })
    await first.settle()
    await first.stop()
    const second = await place.engine(incompatible)
    second.clock.advance(3_600_000)
    await second.advance(1_000)
    for (const id of ids) {
      const handle = await second.engine.get(id)
      const explanation = await handle.explain()
      expect(explanation).toMatchObject({ waitingFor: 'an executor' })
      const [problem] = explanation.problems
      expect(problem).toContain('It runs under version 1 of main')
      expect(problem).toContain('call 1 is step "one"')
      expect(await handle.state()).toMatchObject({ paused: false, attempt: 1 })
    }
    // The one slot is free for all others.
    const fresh = await second.engine.submit(quick, 4)
    const other = await second.engine.submit(incompatible, undefined, { id: 'new' })
    await second.advance(500)
    expect(await fresh.result({ timeout: 0 })).toBe(4)
    expect(await other.state()).toMatchObject({ status: 'blocked' })
    await second.stop()
    const third = await place.engine(original())
    await third.advance(1_000)
    for (const id of ids) {
      await third.engine.complete(`${id}.o:2-approve_1`, { type: 'ok', value: id })
      await third.settle()
      const handle = await third.engine.get(id)
      expect(await handle.result({ timeout: 0 })).toEqual([1, id])
    }
    // And what began under the new version waits for it.
    const left = await third.engine.get('new')
    expect(await left.state()).toMatchObject({ status: 'blocked' })
    await third.check()
    await third.stop()
  })
})
