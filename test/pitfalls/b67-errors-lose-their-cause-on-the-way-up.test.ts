import { checkReplay, defineActivity, defineWorkflow, isExecutionError, type LogView } from 'stele'
import { describe, expect, it } from 'vitest'
import { memories, rejectionOf } from '../seed/workflow-test.ts'
import { openTestEngine } from '../unit/client/test-engine.ts'

class CardError extends Error {
  override readonly name = 'CardError'
  readonly code = 'card_declined'
}

function decline(): never {
  const network = Object.assign(new TypeError('connection reset'), { code: 'ECONNRESET' })
  throw new CardError('declined', { cause: network })
}

const charge = defineActivity({ name: 'charge', retry: { maxRetries: 0 } }, decline)
const inner = defineWorkflow({ name: 'inner' }, async (how: 'child' | 'step', { call, step }) =>
  how === 'child' ? call(charge) : step('charge', decline, { retry: { maxRetries: 0 } }),
)

const expected = {
  name: 'CardError',
  message: 'declined',
  code: 'card_declined',
  cause: { name: 'TypeError', message: 'connection reset', code: 'ECONNRESET' },
}

describe.each(memories)('B67, $memory', ({ limits }) => {
  it.each(['child', 'step'] as const)(
    'B67: of a %s: name, message, cause and code are what the parent catches, and its parent',
    async (how) => {
      const seen: unknown[] = []
      const main = defineWorkflow({ name: 'main' }, async (_: undefined, { call, sleep }) => {
        try {
          await call(inner, how)
        } catch (error) {
          seen.length = 0
          seen.push(error)
          await sleep('1s')
          throw error
        }
      })
      await using world = await openTestEngine({ functions: [charge, inner, main], limits })
      const handle = await world.engine.submit(main, undefined, { id: 'm' })
      await world.advance(1_100)
      const wrapped = { code: 'execution_failed', cause: expected }
      const level = { code: 'execution_failed', executionId: 'm.o:1-inner_1', cause: wrapped }
      expect(seen).toMatchObject([level])
      expect(isExecutionError(seen[0], inner)).toBe(true)
      const error = await rejectionOf(handle.result({ timeout: 0 }))
      const { executionId: _id, ...kept } = level
      expect(error).toMatchObject({ executionId: 'm', cause: { name: 'ExecutionError', ...kept } })
      await world.check()
    },
  )

  it('B67: a workflow that decides by a cause takes the same way in `checkReplay`', async () => {
    const rest = defineActivity({ name: 'rest' }, () => 'rested')
    const main = defineWorkflow({ name: 'main' }, async (_: undefined, { call, step }) => {
      const options = { retry: { maxRetries: 0 } }
      const caught: unknown[] = [
        await step('charge', decline, options).catch((error: unknown) => error),
        await call(charge).catch((error: unknown) => error),
      ]
      for (const error of caught) {
        const cause: unknown = Reflect.get(Object(error), 'cause')
        if (Reflect.get(Object(cause), 'code') === 'card_declined') await call(rest)
      }
      return 'done'
    })
    await using world = await openTestEngine({ functions: [charge, rest, main], limits })
    const handle = await world.engine.submit(main)
    await world.settle()
    expect(await handle.result({ timeout: 0 })).toBe('done')
    const log = JSON.parse(JSON.stringify(await handle.log())) as LogView
    expect(await checkReplay(main, log)).toMatchObject({ end: 'finished' })
    await world.check()
  })
})
