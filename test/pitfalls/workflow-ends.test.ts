/** Everything that workflow code can throw, reject or return; none of it reaches another workflow. */

import { ActivityError, defineWorkflow, err, PermanentError } from 'stele'
import { describe, expect, it } from 'vitest'
import { createGate, memories, readPath } from '../seed/workflow-test.ts'
import { openTestEngine, unhandledWhile } from '../unit/client/test-engine.ts'

const trap = (reason: string) => ({
  type: 'execution_failure',
  kind: 'uncategorized',
  reason: expect.stringContaining(reason),
})

/** A proxy that throws whatever one does to it. */
const hostile: object = new Proxy(
  {},
  {
    get: () => {
      throw new Error('do not look')
    },
    getPrototypeOf: () => {
      throw new Error('do not look')
    },
    ownKeys: () => {
      throw new Error('do not look')
    },
  },
)

const thrown: readonly (readonly [string, () => unknown, object])[] = [
  ['undefined', () => undefined, trap('workflow trap: undefined')],
  ['null', () => null, trap('workflow trap: null')],
  ['a text', () => 'no', trap('workflow trap: no')],
  ['a number', () => 42, trap('workflow trap: 42')],
  ['a symbol', () => Symbol('odd'), trap('workflow trap: Symbol(odd)')],
  ['a function', () => () => 1, trap('workflow trap: ')],
  ['an object', () => ({ odd: true }), trap('workflow trap: {"odd":true}')],
  ['a proxy that throws', () => hostile, trap('workflow trap: ')],
  ['an error in itself', () => circular(), trap('workflow trap: round')],
  ['a permanent error', () => new PermanentError('final'), trap('workflow trap: final')],
  ['an ActivityError', () => new ActivityError({ no: 1 }), { type: 'err', value: { no: 1 } }],
  ['a promise', () => Promise.resolve(1), trap('workflow trap: ')],
  ['a long text', () => 'x'.repeat(100_000), trap('workflow trap: xxx')],
]

const returned: readonly (readonly [string, () => unknown, object])[] = [
  ['an err', () => err('no'), { type: 'err', value: 'no' }],
  ['undefined', () => undefined, { type: 'ok', value: undefined }],
  ['a function', () => () => 1, trap('result')],
  ['a proxy that throws', () => hostile, trap('')],
  ['a symbol', () => Symbol('odd'), trap('result')],
  ['a circle', () => circular(), { type: 'ok' }],
]

function circular(): Error {
  const error = new Error('round')
  return Object.assign(error, { cause: error })
}

const good = defineWorkflow({ name: 'good' }, async (_: undefined, { sleep }) => {
  await sleep('1s')
  return 'good'
})

describe.each(memories)('ends, $memory', ({ limits }) => {
  it.each(thrown)('ends: thrown: %s', async (_name, make, outcome) => {
    const main = defineWorkflow({ name: 'main' }, async (_: undefined, { sleep }) => {
      await sleep('1s')
      throw make()
    })
    await using world = await openTestEngine({ functions: [main, good], limits })
    const handle = await world.engine.submit(main)
    const other = await world.engine.submit(good)
    await world.advance(1_100)
    expect(await handle.outcome({ timeout: 0 })).toMatchObject(outcome)
    expect(await other.result({ timeout: 0 })).toBe('good')
    await world.check()
  })

  it.each(returned)('ends: returned: %s', async (_name, make, outcome) => {
    const main = defineWorkflow({ name: 'main' }, async (_: undefined, { sleep }) => {
      await sleep('1s')
      return make()
    })
    await using world = await openTestEngine({ functions: [main, good], limits })
    const handle = await world.engine.submit(main)
    const other = await world.engine.submit(good)
    await world.advance(1_100)
    const seen = await handle.outcome({ timeout: 0 }).catch(() => ({ type: 'ok' }))
    expect(seen).toMatchObject(outcome)
    expect(await other.result({ timeout: 0 })).toBe('good')
    await world.check()
  })

  it('ends: a rejection that nobody handles fails that workflow, and neither the others nor the process', async () => {
    const main = defineWorkflow({ name: 'main' }, async (_: undefined, { sleep, step }) => {
      const lost = async (): Promise<void> => {
        await step('one', () => 1)
        throw new RangeError('nobody listens')
      }
      void lost()
      await sleep('1s')
      return 'never seen'
    })
    const unheard = await unhandledWhile(async () => {
      await using world = await openTestEngine({ functions: [main, good], limits })
      const handle = await world.engine.submit(main)
      const other = await world.engine.submit(good)
      await world.advance(1_200)
      expect(await handle.outcome({ timeout: 0 })).toMatchObject(
        trap('workflow trap: nobody listens'),
      )
      expect(await other.result({ timeout: 0 })).toBe('good')
      await world.check()
    })
    // Node tells every listener, once for each replay; ours took it, the test's saw it.
    expect(unheard.map((reason) => readPath(reason, 'name'))).toEqual(
      unheard.map(() => 'RangeError'),
    )
  })

  it('ends: a call that failed and that nobody awaits is not one', async () => {
    const main = defineWorkflow({ name: 'main' }, async (_: undefined, { sleep, step }) => {
      void step('bad', () => Promise.reject(new Error('bad')), { retry: { maxRetries: 0 } })
      await sleep('1s')
      return 'done'
    })
    const unheard = await unhandledWhile(async () => {
      await using world = await openTestEngine({ functions: [main], limits })
      const handle = await world.engine.submit(main)
      await world.advance(1_200)
      expect(await handle.result({ timeout: 0 })).toBe('done')
    })
    expect(unheard).toEqual([])
  })

  it('ends: a handler that never ends by a promise of its own is paused, and others go on', async () => {
    const main = defineWorkflow({ name: 'main' }, () => createGate().opened)
    await using world = await openTestEngine({ functions: [main, good], limits })
    const handle = await world.engine.submit(main)
    const other = await world.engine.submit(good)
    await world.advance(1_100)
    expect(await handle.state()).toMatchObject({ paused: true })
    expect(await other.result({ timeout: 0 })).toBe('good')
    await world.check()
  })
})
