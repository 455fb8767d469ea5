/** What is stored of an end, as user code sees it. */

import { ExecutionError } from 'stele'
import { describe, expect, it } from 'vitest'
import type { Codec } from '../../../src/base/codec.ts'
import { executionErrorOf, readOutcome } from '../../../src/workers/outcomes.ts'

/** Shows what has been decoded. */
const codec: Codec = { encode: () => null, decode: (stored) => ({ decoded: stored }) }
const error = { name: 'TypeError', message: 'no', code: 'E_NO' }
const failure = { type: 'execution_failure', kind: 'uncategorized', reason: 'no' } as const
const failed = { executionId: 'order-1', functionName: 'charge' }

describe('readOutcome', () => {
  it('values: are decoded', () => {
    expect(readOutcome(codec, { type: 'ok', value: 1 })).toEqual({
      type: 'ok',
      value: { decoded: 1 },
    })
    expect(readOutcome(codec, { type: 'err' })).toEqual({
      type: 'err',
      value: { decoded: undefined },
    })
  })

  it('failures: are shown without the stored error', () => {
    expect(readOutcome(codec, { ...failure, error })).toEqual(failure)
  })

  it('codec: what it cannot read is said, with its cause', () => {
    const cause = new SyntaxError('bad')
    const broken: Codec = {
      encode: () => null,
      decode: () => {
        throw cause
      },
    }
    expect(() => readOutcome(broken, { type: 'ok', value: 1 })).toThrow(
      expect.objectContaining({ code: 'value_unreadable', cause }),
    )
    expect(readOutcome(broken, failure)).toEqual(failure)
  })
})

describe('executionErrorOf', () => {
  it('failure: has what was thrown as its cause, and an outcome without it', () => {
    const made = executionErrorOf(codec, { ...failed, outcome: { ...failure, error } })
    expect(made).toBeInstanceOf(ExecutionError)
    expect(made).toMatchObject({ ...failed, code: 'execution_failed', outcome: failure })
    expect(made.outcome).not.toHaveProperty('error')
    expect(made.cause).toMatchObject(error)
  })

  it('failure: without an error there is no cause', () => {
    const made = executionErrorOf(codec, { ...failed, outcome: failure })
    expect(made).toMatchObject({ outcome: failure })
    expect(made.cause).toBeUndefined()
  })

  it('err: its value is decoded, and is no cause', () => {
    const made = executionErrorOf(codec, { ...failed, outcome: { type: 'err', value: 4 } })
    expect(made.outcome).toEqual({ type: 'err', value: { decoded: 4 } })
    expect(made.cause).toBeUndefined()
  })
})
