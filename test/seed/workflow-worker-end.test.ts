/** The seed's tests of how runs of its workflow worker end, and of who goes on after them. */

import { type ActivityContext, defineActivity, defineWorkflow, type Workflow } from 'stele'
import { describe, expect, it } from 'vitest'
import { temporaryDirectory } from '../support/storage/temporary-directory.ts'
import { createTestTime, openTestEngine, typesOf } from '../unit/client/test-engine.ts'
import { createGate, eventsOf, historyOf, memories, rejectionOf } from './workflow-test.ts'

const double = defineActivity({ name: 'double' }, (input: number) => input * 2)

describe.each(memories)('workflow worker, the end, $memory', ({ limits }) => {
  it('unawaited_activity_should_be_cancelled at the end', async () => {
    const { slow, aborted } = listening()
    const main = defineWorkflow({ name: 'main' }, async (_: undefined, { call, sleep }) => {
      void call(slow, 'unawaited')
      await Promise.race([call(slow, 'loser'), sleep('1s')])
      return 'done'
    })
    await using world = await openTestEngine({ functions: [slow, main], limits })
    const handle = await world.engine.submit(main)
    await world.advance(1_200)
    expect(await handle.result({ timeout: 0 })).toBe('done')
    expect(aborted).toEqual(['loser', 'unawaited'])
    const tree = await handle.tree()
    expect(tree.children.map(({ execution }) => execution.failureKind)).toEqual([
      'cancelled',
      'cancelled',
    ])
    await world.check()
  })

  it('unawaited_activity_should_be_cancelled on a trap', async () => {
    const { slow, aborted } = listening()
    const main = defineWorkflow({ name: 'main' }, async (_: undefined, { call, sleep }) => {
      void call(slow, 'unawaited')
      await sleep('1s')
      throw new RangeError('over')
    })
    await using world = await openTestEngine({ functions: [slow, main], limits })
    const handle = await world.engine.submit(main)
    await world.advance(1_200)
    expect(await handle.outcome({ timeout: 0 })).toMatchObject({
      type: 'execution_failure',
      kind: 'uncategorized',
      reason: 'workflow trap: over',
    })
    expect(aborted).toEqual(['unawaited'])
    await world.check()
  })

  it('an un-awaited child workflow is awaited at the end, not cancelled', async () => {
    const child = defineWorkflow({ name: 'child' }, (_: undefined, { sleep }) => sleep('1s'))
    const main = defineWorkflow({ name: 'main' }, (_: undefined, { call }) => {
      void call(child)
      return 'done'
    })
    await using world = await openTestEngine({ functions: [child, main], limits })
    const handle = await world.engine.submit(main)
    await world.advance(900)
    expect(await handle.state()).toMatchObject({ status: 'blocked' })
    await world.advance(200)
    expect(await handle.result({ timeout: 0 })).toBe('done')
    const [tree] = (await handle.tree()).children
    expect(tree?.execution.outcomeType).toBe('ok')
    await world.check()
  })

  it('replay after every stage: whoever takes over repeats nothing', async () => {
    using folder = temporaryDirectory()
    const file = folder.file('stages.db')
    const time = createTestTime()
    const calls: string[] = []
    const note = defineActivity({ name: 'note' }, (input: string) => {
      calls.push(input)
    })
    const main = defineWorkflow({ name: 'main' }, async (_: undefined, context) => {
      const { call, step, sleep, random, patched } = context
      await call(note, 'one')
      await step('two', () => {
        calls.push('two')
      })
      await sleep('1s')
      if (patched('more')) await call(note, 'three')
      await sleep('1s')
      return random()
    })
    const submitter = await openTestEngine({ functions: [note, main], time, file, started: false })
    const { id } = await submitter.engine.submit(main)
    for (let stages = 0; stages < 40; stages += 1) {
      const world = await openTestEngine({ functions: [note, main], limits, time, file })
      await world.advance(10)
      await world.stop()
    }
    const handle = await submitter.engine.get(id)
    expect(await handle.state()).toMatchObject({ status: 'finished', outcome: { type: 'ok' } })
    expect(calls).toEqual(['one', 'two', 'three'])
    expect(await historyOf(handle)).not.toContain('temporarily_timed_out')
    await submitter.check()
    await submitter.stop()
  })
})

describe('workflow worker, its process', () => {
  it('execution_deadline_before_now_should_timeout: a lock that has run out is no permission', async () => {
    using folder = temporaryDirectory()
    const file = folder.file('deadline.db')
    const gate = createGate()
    const main = defineWorkflow(
      { name: 'main', lockExpiry: '1s', timeout: '2s', retry: { maxRetries: 1, backoff: 0 } },
      (_: undefined, { step }) => step('hang', () => gate.opened, { timeout: '1 day' }),
    )
    await using world = await openTestEngine({ functions: [main], file })
    const handle = await world.engine.submit(main)
    await world.settle()
    // The process sleeps: when it wakes up, its lock and its deadline have passed long ago.
    world.clock.advance(100_000_000)
    await world.advance(1_000)
    gate.open()
    await world.advance(1_000)
    const types = await typesOf(handle)
    expect(types).toContain('temporarily_timed_out')
    expect(await handle.state()).toMatchObject({ status: 'finished', outcome: { type: 'ok' } })
    await world.check()
  })

  it('sleep_should_be_persisted_after_executor_restart: its end is where it was', async () => {
    using folder = temporaryDirectory()
    const file = folder.file('sleep.db')
    const time = createTestTime()
    const main = defineWorkflow({ name: 'main' }, async (_: undefined, { sleep, now }) => {
      await sleep('10s')
      return now()
    })
    const first = await openTestEngine({ functions: [main], file, time })
    const { id } = await first.engine.submit(main)
    await first.advance(4_000)
    await first.stop()
    await using second = await openTestEngine({ functions: [main], file, time })
    const handle = await second.engine.get(id, main)
    await second.advance(9_999 - second.clock.now())
    expect(await handle.state()).toMatchObject({ status: 'blocked' })
    await second.advance(1)
    expect(await handle.result({ timeout: 0 })).toBe(10_000)
    expect(await eventsOf(handle, 'join_set_request')).toHaveLength(1)
    await second.check()
  })

  it('workflow with a handler elsewhere: declared here, executed there', async () => {
    const declared = defineWorkflow<'remote', number, number, number>({ name: 'remote' })
    const remote: Workflow<number, number> = declared.implement((n, { call }) => call(double, n))
    await using world = await openTestEngine({ functions: [double, remote] })
    const handle = await world.engine.submit(declared, 4)
    await world.settle()
    expect(await handle.result({ timeout: 0 })).toBe(8)
    const refused = await rejectionOf(world.engine.complete(handle.id, { type: 'ok', value: 1 }))
    expect(refused).toMatchObject({ code: 'illegal_state' })
  })
})

/** An activity that never ends by itself, and what was aborted. */
function listening() {
  const aborted: string[] = []
  const slow = defineActivity({ name: 'slow' }, (input: string, { signal }: ActivityContext) => {
    signal.addEventListener('abort', () => aborted.push(input))
    return createGate<string>().opened
  })
  return { slow, aborted }
}
