/** Reading what somebody else has written into the database: typed errors, no guesses. */

import { describe, expect, test } from 'vitest'
import type { Protocol, Row } from '../../../src/storage/protocol.ts'
import { findReport, listResponses } from '../../../src/storage/read.ts'
import { childOf, executionId } from '../../support/storage/ids.ts'
import { executeSql, openMemoryStorage } from '../../support/storage/opened-storage.ts'
import { createWorkflow } from '../../support/storage/steps.ts'

const corrupt = expect.objectContaining({ code: 'storage_corrupt' })

const answer: Row = {
  cursor: 1,
  execution_id: 'a',
  created_at_ms: 5,
  join_set_id: 'n:boxes',
  ordinal: 1,
  after_version: 1,
  type: 'child_finished',
  child_execution_id: childOf('a'),
  finished_version: 1,
}

/** The value of a protocol whose only statement gives these rows. */
function answered<Value>(protocol: Protocol<Value>, rows: readonly Row[]): Value {
  protocol.next([])
  const end = protocol.next([rows])
  if (end.done === true) return end.value
  throw new RangeError('another statement follows')
}

const page = { executionId: executionId('a'), after: 0, limit: 10 }

describe('listResponses()', () => {
  test('a child whose log is gone has no outcome', () => {
    const [listed] = answered(listResponses(page), [{ ...answer, child_body: null }])
    expect(listed).not.toHaveProperty('outcome')
  })

  test.each(['{', 'null', '[]', '1', '{}', '{"input":1}'])(
    'a child whose last event reads %s is corrupt',
    (body) => {
      const protocol = listResponses(page)
      expect(() => answered(protocol, [{ ...answer, child_body: body }])).toThrow(corrupt)
    },
  )
})

describe('findReport()', () => {
  test('a state without the event that led to it is corrupt', async () => {
    const opened = await openMemoryStorage()
    await createWorkflow(opened.storage, 'a')
    await executeSql(opened, 'UPDATE executions SET version = 7 WHERE execution_id = $1', 'a')
    await expect(opened.driver.read(() => findReport(executionId('a')))).rejects.toThrow(corrupt)
    await opened.storage.close()
  })
})
