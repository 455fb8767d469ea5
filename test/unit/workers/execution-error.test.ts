import { defineActivity, ExecutionError, isExecutionError, isSteleError } from 'stele'
import { describe, expect, it } from 'vitest'

const charge = defineActivity({ name: 'charge' }, () => 'receipt')
const pack = defineActivity({ name: 'pack' }, () => 'box')

function errorOf(outcome: ExecutionError['outcome']): ExecutionError {
  return new ExecutionError({ executionId: 'E_1', functionName: 'charge', outcome })
}

const failed = errorOf({ type: 'execution_failure', kind: 'timed_out' })

describe('ExecutionError', () => {
  it('class: one of ours, with id, function and outcome', () => {
    expect(isSteleError(failed, 'execution_failed')).toBe(true)
    expect(failed).toMatchObject({
      name: 'ExecutionError',
      code: 'execution_failed',
      executionId: 'E_1',
      functionName: 'charge',
      outcome: { type: 'execution_failure', kind: 'timed_out' },
    })
  })

  it('message: says who, how, why, and where to look', () => {
    expect(failed.message).toBe(
      'charge E_1 failed (timed_out); read `outcome`, or the log of the execution.',
    )
    const trap = errorOf({ type: 'execution_failure', kind: 'uncategorized', reason: 'no money' })
    expect(trap.message).toContain('failed (uncategorized): no money;')
    expect(errorOf({ type: 'err', value: 4 }).message).toBe(
      'charge E_1 returned an error; read `outcome.value`.',
    )
  })

  it('toJSON: tells the outcome', () => {
    expect(JSON.parse(JSON.stringify(failed))).toMatchObject({
      code: 'execution_failed',
      fields: { executionId: 'E_1', outcome: { kind: 'timed_out' } },
    })
  })
})

describe('isExecutionError', () => {
  it('narrow: by function when one is given', () => {
    expect(isExecutionError(failed)).toBe(true)
    expect(isExecutionError(failed, charge)).toBe(true)
    expect(isExecutionError(failed, pack)).toBe(false)
  })

  it.each([null, undefined, 'execution_failed', new Error('x'), { code: 'execution_failed' }])(
    'narrow: %s is none',
    (value) => {
      expect(isExecutionError(value)).toBe(false)
    },
  )
})
