import { defineActivity, defineWorkflow } from 'stele'
import { describe, expect, it } from 'vitest'
import { temporaryDirectory } from '../support/storage/temporary-directory.ts'
import { openTestEngine } from '../unit/client/test-engine.ts'

/** One fails, one is cancelled, in every order and with every distance in microtasks. */
const orders = [0, 1, 2, 3, 5, 8, 13, 21].flatMap((microtasks) => [
  { first: 'cancel', microtasks },
  { first: 'fail', microtasks },
])

function failing(isStep: boolean) {
  let fail: ((error: Error) => void) | undefined
  const begin = (): Promise<never> =>
    new Promise((_, reject) => {
      fail = reject
    })
  const work = defineActivity({ name: 'work', retry: { maxRetries: 0 } }, begin)
  const inner = defineWorkflow({ name: 'inner' }, (_: undefined, { call, step }) =>
    isStep ? step('work', begin, { retry: { maxRetries: 0 } }) : call(work),
  )
  const main = defineWorkflow({ name: 'main' }, async (_: undefined, { call, joinSet }) => {
    const set = joinSet('set', { of: inner, onClose: 'cancel' })
    set.submit(inner)
    await set.next()
    await call(inner)
  })
  return { functions: [work, inner, main], inner, main, fail: () => fail?.(new Error('broken')) }
}

async function pass(microtasks: number): Promise<void> {
  for (let left = microtasks; left > 0; left -= 1) await Promise.resolve()
}

describe.each([
  { what: 'a step', isStep: true },
  { what: 'a child', isStep: false },
])('B21: cancelled while $what fails', ({ isStep }) => {
  it.each(orders)(
    'B21: $first first, the other $microtasks microtasks later: cancelled, never half of each',
    async ({ first, microtasks }) => {
      const { functions, inner, fail } = failing(isStep)
      await using world = await openTestEngine({ functions })
      const handle = await world.engine.submit(inner)
      await world.settle()
      if (first === 'fail') fail()
      await pass(first === 'fail' ? microtasks : 0)
      const cancelled = handle.cancel()
      await pass(first === 'cancel' ? microtasks : 0)
      if (first === 'cancel') fail()
      const answer = await cancelled
      await world.advance(500)
      const outcome = await handle.outcome({ timeout: 0 })
      const kind = answer === 'cancelled' ? 'cancelled' : 'uncategorized'
      expect(outcome).toMatchObject({ type: 'execution_failure', kind })
      expect(answer).toMatch(first === 'cancel' ? 'cancelled' : /^cancelled$|^already_finished$/)
      const { events } = await handle.log()
      expect(events.filter(({ type }) => type === 'finished')).toHaveLength(1)
      expect(events.at(-1)?.type).toBe('finished')
      await world.check()
    },
  )

  it.each([
    { place: 'memory', head: 0, kinds: ['cancelled', 'uncategorized'] },
    { place: 'memory', head: 500, kinds: ['cancelled'] },
    { place: 'file', head: 0, kinds: ['cancelled', 'uncategorized'] },
    { place: 'file', head: 500, kinds: ['cancelled'] },
  ])(
    'B21: two levels down, in a $place, failing $head ms after: the top is cancelled',
    async ({ place, head, kinds }) => {
      using folder = temporaryDirectory()
      const file = place === 'file' ? folder.file('x.db') : ':memory:'
      const { functions, main, fail } = failing(isStep)
      await using world = await openTestEngine({ functions, file })
      const handle = await world.engine.submit(main)
      await world.settle()
      await handle.cancel({ reason: 'changed my mind' })
      await world.advance(head)
      fail()
      await world.advance(1_000)
      expect(await handle.outcome({ timeout: 0 })).toMatchObject({ kind: 'cancelled' })
      const tree = await handle.tree()
      const below = tree.children.flatMap((child) => [child, ...child.children])
      expect(below).toHaveLength(isStep ? 1 : 2)
      for (const { execution } of below) expect(kinds).toContain(execution.failureKind)
      // Nothing is left that counts: a new one has all the room there is.
      const again = await world.engine.submit(main)
      await world.settle()
      expect(await again.state()).toMatchObject({ status: 'blocked' })
      await world.check()
    },
  )

  it('B21: a cancelled run may not go on, whatever its code catches', async () => {
    const after: string[] = []
    const slow = defineActivity({ name: 'slow' }, () => new Promise<string>(() => undefined))
    const main = defineWorkflow({ name: 'main' }, async (_: undefined, { call, step }) => {
      try {
        if (isStep) {
          await step('slow', ({ signal }) => rejectOn(signal), { retry: { maxRetries: 0 } })
        } else await call(slow)
      } catch {
        after.push('caught')
      } finally {
        after.push('finally')
      }
      await step('after', () => after.push('after'))
    })
    await using world = await openTestEngine({ functions: [slow, main] })
    const handle = await world.engine.submit(main)
    await world.settle()
    await handle.cancel()
    await world.advance(1_000)
    expect(await handle.outcome({ timeout: 0 })).toMatchObject({ kind: 'cancelled' })
    expect(after).toEqual([])
    await world.check()
  })
})

function rejectOn(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => {
      reject(new Error('aborted'))
    })
  })
}
