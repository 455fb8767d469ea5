import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { defaultCodec } from '../../../../src/base/codec.ts'
import type { StoredOutcome } from '../../../../src/model/outcome.ts'
import type { ListedResponse } from '../../../../src/storage/read.ts'
import { Ended, idOf } from '../../../../src/workers/workflow/ended.ts'
import { joinSet } from '../../../support/storage/ids.ts'
import { thrownBy } from '../../base/thrown-by.ts'
import { child, delay } from './test-frame.ts'

const place = { cursor: 1, createdAt: 0, ordinal: 1, afterVersion: 0 }
const set = joinSet('n:boxes')

function childEnd(outcome: StoredOutcome): ListedResponse {
  const response = { childExecutionId: child('n:boxes'), joinSetId: set, finishedVersion: 2 }
  return { ...place, outcome, response: { type: 'child_finished', ...response } }
}

function delayEnd(result: 'ok' | 'cancelled'): ListedResponse {
  const response = { type: 'delay_finished', joinSetId: set, delayId: delay('n:boxes') } as const
  return { ...place, response: { ...response, result } }
}

/** The end of a member of these, decoded by the usual codec. */
function endOf(stored: StoredOutcome, name?: string, codec = defaultCodec): Ended {
  return new Ended(codec, { id: child('n:boxes'), name, stored })
}

describe('the end of a member', () => {
  it('child: kind, name, id, outcome and value', () => {
    expect(endOf({ type: 'ok', value: 5 }, 'act')).toMatchObject({
      kind: 'child',
      name: 'act',
      id: child('n:boxes'),
      outcome: { type: 'ok', value: 5 },
      value: 5,
    })
  })

  it('delay: has no name, and its value is undefined', () => {
    const end = endOf({ type: 'ok' })
    expect(end).toMatchObject({ kind: 'delay', outcome: { type: 'ok' } })
    expect(end.name).toBeUndefined()
    expect(end.value).toBeUndefined()
  })

  it.each([
    ['err', { type: 'err', value: 4 }, 'act'],
    ['a delay that was cancelled', { type: 'execution_failure', kind: 'cancelled' }, undefined],
  ] as const)('value: of %s throws its ExecutionError', (_, outcome, name) => {
    const end = endOf(outcome, name)
    expect(end.outcome).toEqual(outcome)
    expect(thrownBy(() => end.value)).toMatchObject({
      code: 'execution_failed',
      executionId: end.id,
      functionName: name ?? 'delay',
      outcome,
    })
  })

  it('value: an outcome that cannot be read is a failure, whose value says why', () => {
    const end = endOf({ type: 'ok', value: { $devalue: '?' } }, 'act')
    expect(end.outcome).toMatchObject({ type: 'execution_failure', kind: 'uncategorized' })
    expect(thrownBy(() => end.value)).toMatchObject({ code: 'value_unreadable' })
  })

  it('cancelled: a child that never began', () => {
    const end = Ended.cancelled(defaultCodec, child('n:boxes'), 'act')
    const outcome = { type: 'execution_failure', kind: 'cancelled' }
    expect(end).toMatchObject({ kind: 'child', name: 'act', id: child('n:boxes'), outcome })
    expect(thrownBy(() => end.value)).toMatchObject({ code: 'execution_failed', outcome })
  })

  it('refused: a child that could not begin, with the reason', () => {
    const end = Ended.refused(defaultCodec, { id: 'e.n:boxes_1', name: 'act' }, 'not that')
    const outcome = { type: 'execution_failure', kind: 'uncategorized', reason: 'not that' }
    expect(end).toMatchObject({ kind: 'child', name: 'act', outcome })
  })

  it('showing: logging and copying read no value', () => {
    const end = endOf({ type: 'err', value: 4 }, 'act')
    expect(() => [inspect(end), Object.assign({}, end), JSON.stringify(end)]).not.toThrow()
    expect(Object.keys(end)).not.toContain('value')
  })
})

describe('idOf', () => {
  it('id: of child and delay; a message is about no member', () => {
    expect(idOf(childEnd({ type: 'ok' }))).toBe(child('n:boxes'))
    expect(idOf(delayEnd('ok'))).toBe(delay('n:boxes'))
    expect(idOf({ ...place, response: { type: 'message', joinSetId: joinSet('m:go') } })).toBe('')
  })
})
