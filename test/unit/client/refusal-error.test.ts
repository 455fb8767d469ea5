import { describe, expect, it } from 'vitest'
import { notFoundError, refusalError } from '../../../src/client/refusal-error.ts'
import type { Refusal } from '../../../src/model/refusal.ts'

const cases: readonly (readonly [Refusal, string, RegExp])[] = [
  [{ kind: 'not_found', id: 'E_1' }, 'execution_not_found', /There is no execution "E_1"/],
  [{ kind: 'already_finished', version: 3 }, 'already_finished', /it has finished\. Read/],
  [
    { kind: 'version_conflict', expected: 3, requested: 2 },
    'internal',
    /moved on within one transaction/,
  ],
  [{ kind: 'illegal_state', reason: 'paused' }, 'illegal_state', /: it is paused\. Look/],
  [{ kind: 'illegal_state', reason: 'locked' }, 'illegal_state', /: it is running; an activity/],
  [{ kind: 'taken', what: 'execution', id: 'E_2' }, 'execution_id_conflict', /E_2 is taken/],
  [{ kind: 'invalid', reason: 'empty_batch' }, 'illegal_state', /: empty batch\./],
]

describe('refusalError', () => {
  it.each(cases)('refusal: %j is %s', (refusal, code, message) => {
    expect(refusalError(refusal, 'E_1', 'pause')).toMatchObject({
      code,
      message: expect.stringMatching(message),
      fields: expect.objectContaining({ executionId: 'E_1' }),
    })
  })

  it('message: what was tried, on which execution', () => {
    const error = refusalError({ kind: 'illegal_state', reason: 'not_paused' }, 'E_1', 'unpause')
    expect(error.message).toBe('Cannot unpause E_1: it is not paused. Look at its state first.')
  })
})

describe('notFoundError', () => {
  it('error: names the id, and what to check', () => {
    expect(notFoundError('E_1')).toMatchObject({
      code: 'execution_not_found',
      message: expect.stringContaining('right database'),
      fields: { executionId: 'E_1' },
    })
  })
})
