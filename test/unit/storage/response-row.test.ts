/** Responses and their rows: everything survives the way there and back. */

import { describe, expect, test } from 'vitest'
import type { ExecutionResponse } from '../../../src/model/response.ts'
import type { Row } from '../../../src/storage/protocol.ts'
import {
  insertResponseCall,
  parseResponse,
  writeResponse,
} from '../../../src/storage/response-row.ts'
import { childOf, delayOf, executionId } from '../../support/storage/ids.ts'
import { childResponse, delayResponse, message } from '../../support/storage/requests.ts'

const corrupt = expect.objectContaining({ code: 'storage_corrupt' })

const columns = [
  'execution_id',
  'join_set_id',
  'type',
  'child_execution_id',
  'finished_version',
  'delay_id',
  'delay_result',
  'message_id',
  'payload',
  'created_at_ms',
  'ordinal',
  'after_version',
] as const

/** The row that the database would give for what is inserted. */
function rowOf(response: ExecutionResponse, part: Row = {}): Row {
  const place = { executionId: executionId('a'), ordinal: 2, afterVersion: 4 }
  const { values } = insertResponseCall(writeResponse(response, 20), place)
  const inserted = columns.map((column, index) => [column, values[index]] as const)
  return { ...Object.fromEntries(inserted), cursor: 9, ...part }
}

const samples: readonly ExecutionResponse[] = [
  childResponse('a'),
  delayResponse('a'),
  { ...delayResponse('a'), result: 'cancelled' } as ExecutionResponse,
  message('go', { messageId: 'm', payload: { z: 1, a: [null] } }),
  message('go', { payload: null }),
  message('go'),
]

describe('writeResponse() and parseResponse()', () => {
  test.each(samples)('$type reads as it was written', (response) => {
    expect(parseResponse(rowOf(response))).toEqual({
      cursor: 9,
      createdAt: 20,
      ordinal: 2,
      afterVersion: 4,
      response,
    })
  })

  test('the text of a payload is made when the write is asked for', () => {
    const payload = { total: 5 }
    const written = writeResponse(message('go', { payload }), 20)
    payload.total = 6
    expect(written.values).toContain('{"total":5}')
  })

  test('each kind fills its own columns only', () => {
    expect(rowOf(childResponse('a'))).toMatchObject({
      child_execution_id: childOf('a'),
      delay_id: null,
      delay_result: null,
      message_id: null,
      payload: null,
    })
    expect(rowOf(delayResponse('a'))).toMatchObject({
      child_execution_id: null,
      finished_version: null,
      delay_id: delayOf('a'),
      message_id: null,
    })
  })

  test.each([
    ['an unknown type', message('go'), { type: 'letter' }],
    ['no type', message('go'), { type: null }],
    ['no join set', message('go'), { join_set_id: null }],
    ['no ordinal', message('go'), { ordinal: null }],
    ['no cursor', message('go'), { cursor: null }],
    ['a child without its id', childResponse('a'), { child_execution_id: null }],
    ['a child without its version', childResponse('a'), { finished_version: null }],
    ['a delay without its id', delayResponse('a'), { delay_id: null }],
    ['a delay without its result', delayResponse('a'), { delay_result: null }],
    ['a delay with an unknown result', delayResponse('a'), { delay_result: 'maybe' }],
    ['a message whose payload is no JSON', message('go'), { payload: '{' }],
  ])('%s is corrupt', (_, response, part) => {
    expect(() => parseResponse(rowOf(response, part))).toThrow(corrupt)
  })
})
