import { defineActivity, isExecutionError } from 'stele'
import { expect, it } from 'vitest'
import { openTestEngine } from '../unit/client/test-engine.ts'

class CardError extends Error {
  override readonly name = 'CardError'
  readonly code = 'card_declined'
}

it('B67: what a handler threw keeps name, message, code, stack, causes and parts up to result()', async () => {
  const charge = defineActivity({ name: 'charge', retry: { maxRetries: 0 } }, () => {
    const network = Object.assign(new TypeError('connection reset'), { code: 'ECONNRESET' })
    const parts = new AggregateError([network, new RangeError('too late')], 'both ways failed')
    throw new CardError('declined', { cause: parts })
  })
  await using world = await openTestEngine({ functions: [charge] })
  const handle = await world.engine.submit(charge)
  await world.settle()
  const error: unknown = await handle.result({ timeout: 0 }).catch((thrown: unknown) => thrown)
  expect(isExecutionError(error, charge)).toBe(true)
  expect(error).toMatchObject({
    code: 'execution_failed',
    outcome: {
      kind: 'uncategorized',
      reason: 'activity trap: declined',
      detail: expect.stringContaining('CardError: declined'),
    },
    cause: {
      name: 'CardError',
      message: 'declined',
      code: 'card_declined',
      stack: expect.stringContaining('b67-'),
      cause: {
        name: 'AggregateError',
        message: 'both ways failed',
        errors: [
          { name: 'TypeError', message: 'connection reset', code: 'ECONNRESET' },
          { name: 'RangeError', message: 'too late' },
        ],
      },
    },
  })
  expect((error as Error).cause).toBeInstanceOf(Error)
})
