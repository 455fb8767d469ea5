/** Answers over HTTP: their status, their headers, and errors as JSON. */

import type { ServerResponse } from 'node:http'
import { type ErrorCode, isSteleError } from '../../base/error.ts'
import { barePolicy, commonHeaders, type Headers } from './headers.ts'
import type { ErrorAnswer } from './wire.ts'

/** An answer that is ready to be sent. */
export interface Reply {
  readonly status: number
  readonly type: string
  readonly body: Buffer | string
  readonly headers?: Headers
}

/** Sends an answer; one that was begun already is left alone. */
export function send(response: ServerResponse, reply: Reply): void {
  if (response.headersSent || response.destroyed) return
  response.writeHead(reply.status, {
    ...commonHeaders,
    'Content-Security-Policy': barePolicy,
    'Content-Type': reply.type,
    ...reply.headers,
  })
  response.end(reply.body)
}

/** An answer in JSON. */
export function jsonReply(value: object, status = 200): Reply {
  return { status, type: 'application/json; charset=utf-8', body: JSON.stringify(value) }
}

/** A refusal of the server's own. */
export function refusalReply(status: number, message: string): Reply {
  const error: ErrorAnswer = { error: { code: `http_${status}`, message } }
  return jsonReply(error, status)
}

const statuses: Partial<Readonly<Record<ErrorCode, number>>> = {
  execution_not_found: 404,
  delay_not_found: 404,
  unknown_channel: 404,
  unknown_function: 404,
  already_finished: 409,
  illegal_state: 409,
  execution_id_conflict: 409,
  invalid_execution_id: 400,
  invalid_input: 400,
  invalid_name: 400,
  invalid_option: 400,
  value_not_storable: 400,
  value_too_large: 413,
  engine_stopped: 503,
  storage_unavailable: 503,
}

/** An error as an answer. What is no error of ours is a fault, and says nothing about itself. */
export function errorReply(cause: unknown): Reply {
  if (!isSteleError(cause)) return refusalReply(500, 'The viewer failed; its log says why.')
  const error: ErrorAnswer = { error: { code: cause.code, message: cause.message } }
  return jsonReply(error, statuses[cause.code] ?? 500)
}
