/** The rows of table `responses` ↔ the inbox of an execution. */

import { unreachable } from '../base/assert.ts'
import type { Instant } from '../base/time.ts'
import type { Version } from '../model/event.ts'
import type { ExecutionId } from '../model/ids.ts'
import type { ExecutionResponse, LoggedResponse } from '../model/response.ts'
import { corruptColumn, integerOf, jsonOf, textOf, textOrNone, wordOf } from './column.ts'
import { delayIdOf, joinSetIdOf } from './id-row.ts'
import { type Call, call, type Row, type SqlValue, statement } from './protocol.ts'

/** The columns of a response, for SELECT lists over table `responses` under the name `r`. */
export const responseColumns = `r.cursor, r.execution_id, r.created_at_ms, r.join_set_id,
  r.ordinal, r.after_version, r.type, r.child_execution_id, r.finished_version, r.delay_id,
  r.delay_result, r.message_id, r.payload`

const insertResponse = statement(
  'insert-response',
  `INSERT INTO responses (execution_id, join_set_id, type, child_execution_id, finished_version,
     delay_id, delay_result, message_id, payload, created_at_ms, ordinal, after_version)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
   ON CONFLICT DO NOTHING
   RETURNING cursor`,
)

/** A response, written out when it is asked for; see `WrittenEvent`. */
export interface WrittenResponse {
  readonly response: ExecutionResponse
  readonly createdAt: Instant
  readonly values: readonly SqlValue[]
}

/** Writes a response out. */
export function writeResponse(response: ExecutionResponse, createdAt: Instant): WrittenResponse {
  return { response, createdAt, values: [response.joinSetId, response.type, ...details(response)] }
}

/** `child_execution_id, finished_version, delay_id, delay_result, message_id, payload`. */
function details(response: ExecutionResponse): readonly SqlValue[] {
  switch (response.type) {
    case 'child_finished':
      return [response.childExecutionId, response.finishedVersion, null, null, null, null]
    case 'delay_finished':
      return [null, null, response.delayId, response.result, null, null]
    case 'message': {
      const { payload } = response
      const text = payload === undefined ? null : JSON.stringify(payload)
      return [null, null, null, null, response.messageId ?? null, text]
    }
    default:
      return unreachable(response)
  }
}

/** Where a response goes. */
export interface ResponsePlace {
  readonly executionId: ExecutionId
  readonly ordinal: number
  readonly afterVersion: Version
}

/** Inserts a response; no row comes back when the same one is there already. */
export function insertResponseCall(entry: WrittenResponse, place: ResponsePlace): Call {
  return call(
    insertResponse,
    place.executionId,
    ...entry.values,
    entry.createdAt,
    place.ordinal,
    place.afterVersion,
  )
}

/** The response that a row says. Throws `storage_corrupt` when it says none. */
export function parseResponse(row: Row): LoggedResponse {
  return {
    cursor: integerOf(row, 'cursor'),
    createdAt: integerOf(row, 'created_at_ms'),
    ordinal: integerOf(row, 'ordinal'),
    afterVersion: integerOf(row, 'after_version'),
    response: parseDetails(row),
  }
}

const delayResults = ['ok', 'cancelled'] as const

function parseDetails(row: Row): ExecutionResponse {
  const joinSetId = joinSetIdOf(row)
  const type = textOf(row, 'type')
  switch (type) {
    case 'child_finished': {
      const childExecutionId = textOf(row, 'child_execution_id') as ExecutionId
      return {
        type,
        joinSetId,
        childExecutionId,
        finishedVersion: integerOf(row, 'finished_version'),
      }
    }
    case 'delay_finished': {
      const result = wordOf(row, 'delay_result', delayResults)
      return { type, joinSetId, delayId: delayIdOf(row), result }
    }
    case 'message': {
      const messageId = textOrNone(row, 'message_id')
      const payload = textOrNone(row, 'payload') === undefined ? undefined : jsonOf(row, 'payload')
      return {
        type,
        joinSetId,
        ...(messageId === undefined ? {} : { messageId }),
        ...(payload === undefined ? {} : { payload }),
      }
    }
    default:
      throw corruptColumn(row, 'type', 'the name of a response')
  }
}
