/** Cancelling a workflow: how far down it goes, by policy, and what becomes of what is open. */

import {
  type ActivityContext,
  defineActivity,
  defineWorkflow,
  type ExecutionTree,
  unchecked,
} from 'stele'
import { describe, expect, it } from 'vitest'
import { createGate, memories, rejectionOf } from '../seed/workflow-test.ts'
import { openTestEngine } from '../unit/client/test-engine.ts'

type OnClose = 'cancel' | 'await' | 'abandon'

/** Three levels of workflows, an activity at the bottom; one policy all the way down. */
function levels(onClose: OnClose | undefined) {
  const aborted: string[] = []
  const gate = createGate<string>()
  const bottom = defineActivity(
    { name: 'bottom' },
    (_: undefined, { signal, executionId }: ActivityContext) => {
      signal.addEventListener('abort', () => aborted.push(executionId))
      return gate.opened
    },
  )
  const third = defineWorkflow({ name: 'third' }, async (_: undefined, { joinSet }) => {
    const set = joinSet('s', { of: bottom, onClose })
    set.submit(bottom)
    return (await set.next()).value
  })
  const second = defineWorkflow({ name: 'second' }, async (_: undefined, { joinSet }) => {
    const set = joinSet('s', { of: third, onClose })
    set.submit(third)
    set.delay('1 day')
    return (await set.next()).outcome.type
  })
  const first = defineWorkflow({ name: 'first' }, async (_: undefined, { joinSet }) => {
    const set = joinSet('s', { of: second, onClose })
    set.submit(second)
    return (await set.next()).outcome.type
  })
  return { functions: [bottom, third, second, first], first, aborted, gate }
}

/** How each level ended, from the top down. */
function kindsOf({ execution, children }: ExecutionTree): readonly unknown[] {
  const own = execution.failureKind ?? execution.outcomeType ?? execution.status
  return [own, ...children.flatMap(kindsOf)]
}

describe.each(memories)('cancel, $memory', ({ limits }) => {
  it.each([
    { onClose: undefined, name: 'default' },
    { onClose: 'cancel', name: 'cancel' },
  ] as const)('cancel: policy $name: three levels down, the handler is told', async (given) => {
    const { functions, first, aborted } = levels(given.onClose)
    await using world = await openTestEngine({ functions, limits })
    const handle = await world.engine.submit(first, undefined, { id: 'f' })
    await world.settle()
    expect(await handle.cancel({ reason: 'enough' })).toBe('cancelled')
    await world.advance(2_000)
    expect(kindsOf(await handle.tree())).toEqual(Array.from({ length: 4 }, () => 'cancelled'))
    expect(aborted).toEqual(['f.n:s_1.n:s_1.n:s_1'])
    expect(await handle.outcome({ timeout: 0 })).toMatchObject({
      kind: 'cancelled',
      reason: 'enough',
    })
    await world.check()
  })

  it('cancel: policy await: it is cancelled when those below have ended for themselves', async () => {
    const { functions, first, aborted, gate } = levels('await')
    await using world = await openTestEngine({ functions, limits })
    const handle = await world.engine.submit(first)
    await world.settle()
    await handle.cancel({ reason: 'enough' })
    await world.advance(1_000)
    expect(kindsOf(await handle.tree())).toEqual(['blocked', 'blocked', 'blocked', 'locked'])
    expect(await handle.state()).toMatchObject({ cancelling: true })
    expect(await handle.explain()).toMatchObject({ waitingFor: 'its cancellation' })
    gate.open('done')
    await world.advance(1_000)
    expect(kindsOf(await handle.tree())).toEqual(['cancelled', 'ok', 'ok', 'ok'])
    expect(aborted).toEqual([])
    await world.check()
  })

  it('cancel: policy abandon: those below are left alone, and finish for themselves', async () => {
    const { functions, first, aborted, gate } = levels('abandon')
    await using world = await openTestEngine({ functions, limits })
    const handle = await world.engine.submit(first)
    await world.settle()
    await handle.cancel()
    await world.advance(1_000)
    expect(kindsOf(await handle.tree())).toEqual(['cancelled', 'blocked', 'blocked', 'locked'])
    expect(aborted).toEqual([])
    gate.open('done')
    await world.advance(1_000)
    expect(kindsOf(await handle.tree())).toEqual(['cancelled', 'ok', 'ok', 'ok'])
    await world.check()
  })

  it('cancel: in the middle: what is above goes on, what is below ends', async () => {
    const { functions, first, aborted } = levels(undefined)
    await using world = await openTestEngine({ functions, limits })
    const handle = await world.engine.submit(first, undefined, { id: 'f' })
    await world.settle()
    await (await world.engine.get('f.n:s_1')).cancel()
    await world.advance(1_000)
    expect(await handle.result({ timeout: 0 })).toBe('execution_failure')
    const kinds = ['ok', 'cancelled', 'cancelled', 'cancelled']
    expect(kindsOf(await handle.tree())).toEqual(kinds)
    expect(aborted).toHaveLength(1)
    await world.check()
  })

  it('cancel: of many children, in bounded batches, all of them', async () => {
    const slow = defineActivity({ name: 'slow' }, () => createGate().opened)
    const main = defineWorkflow({ name: 'main' }, async (_: undefined, { joinSet }) => {
      const set = joinSet('s', { of: slow })
      for (let count = 0; count < 250; count += 1) set.submit(slow)
      await set.next()
    })
    await using world = await openTestEngine({ functions: [slow, main], limits })
    const handle = await world.engine.submit(main)
    await world.settle()
    await handle.cancel()
    await world.advance(3_000)
    const tree = await handle.tree()
    expect(tree.execution.failureKind).toBe('cancelled')
    expect(tree.children.filter((one) => one.execution.failureKind === 'cancelled')).toHaveLength(
      250,
    )
  })

  it('cancel: while paused, while due later, and before it began; twice is the same', async () => {
    const main = defineWorkflow(
      { name: 'main', messages: { go: unchecked<string>() } },
      (_: undefined, { messages }) => messages.go.next(),
    )
    await using world = await openTestEngine({ functions: [main], limits })
    const paused = await world.engine.submit(main, undefined, { id: 'paused' })
    await world.settle()
    await paused.pause()
    const later = await world.engine.submit(main, undefined, { id: 'later', delay: '1 day' })
    const held = await world.engine.submit(main, undefined, { id: 'held', paused: true })
    for (const handle of [paused, later, held]) {
      expect(await handle.cancel()).toBe('cancelled')
      await world.advance(300)
      expect(await handle.outcome({ timeout: 0 })).toMatchObject({ kind: 'cancelled' })
      expect(await handle.cancel()).toMatch(/^cancelled|already_finished$/)
      const refused = await rejectionOf(handle.send('go', 'x'))
      expect(refused).toMatchObject({ code: expect.stringMatching(/already_finished|illegal/) })
    }
    await world.check()
  })
})
