/** Transaction: a message from outside, into a channel of an execution that still listens. */

import type { Json } from '../base/json.ts'
import { accept, refuse } from '../base/result.ts'
import type { Instant } from '../base/time.ts'
import type { ExecutionId } from '../model/ids.ts'
import type { JoinSetId } from '../model/join-set.ts'
import { illegal, type Refusal } from '../model/refusal.ts'
import type { ExecutionResponse } from '../model/response.ts'
import type { WriteProtocol } from './driver.ts'
import type { Notice } from './notice.ts'
import { query, statement } from './protocol.ts'
import { respondTo } from './respond.ts'
import { type WrittenResponse, writeResponse } from './response-row.ts'
import { findStateForUpdate } from './state-row.ts'

const selectMessage = statement(
  'select-message',
  `SELECT r.cursor
   FROM responses r
   WHERE r.execution_id = $1 AND r.join_set_id = $2 AND r.message_id = $3
   ORDER BY r.cursor`,
)

/** A message, and where it goes. */
export interface SendRequest {
  readonly executionId: ExecutionId
  readonly createdAt: Instant
  /** The channel. */
  readonly joinSetId: JoinSetId
  /** Deduplicates within this channel of this execution; absent: every message is another. */
  readonly messageId?: string | undefined
  /** In stored form; absent means `undefined`. */
  readonly payload?: Json | undefined
}

/** What became of a message; `duplicate`: one of its id is there, and it is as if never sent. */
export type SendEnd = 'sent' | 'duplicate'

/** A message's fate, and what to tell of it. */
export interface Sent {
  readonly end: SendEnd
  readonly notices: readonly Notice[]
}

/** Writes a message out when it is asked for; see `WrittenEvent`. */
export function writeMessage(request: SendRequest): WrittenResponse {
  const { joinSetId, messageId, payload, createdAt } = request
  const message: ExecutionResponse = {
    type: 'message',
    joinSetId,
    ...(messageId === undefined ? {} : { messageId }),
    ...(payload === undefined ? {} : { payload }),
  }
  return writeResponse(message, createdAt)
}

/**
 * Sends. A message that is there already is found before anything is counted, and whatever has
 * become of its execution since: whoever repeats a send that went through learns that it did.
 */
export function* sendMessage(
  id: ExecutionId,
  entry: WrittenResponse,
): WriteProtocol<Sent, Refusal> {
  const before = yield* findStateForUpdate(id)
  if (before === undefined) return refuse({ kind: 'not_found', id })
  const { response } = entry
  if (response.type === 'message' && response.messageId !== undefined) {
    const earlier = yield* query(selectMessage, id, response.joinSetId, response.messageId)
    if (earlier.length > 0) return accept({ end: 'duplicate', notices: [] })
  }
  if (before.status === 'finished') {
    return refuse({ kind: 'already_finished', version: before.version })
  }
  if (before.cancelling) return refuse(illegal('cancelling'))
  const told = yield* respondTo(before, entry)
  return told.ok ? accept({ end: 'sent', notices: told.value }) : told
}
