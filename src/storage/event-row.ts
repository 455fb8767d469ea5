/** The rows of table `events` ↔ the events of a log. */

import type { JsonObject } from '../base/json.ts'
import type { Instant } from '../base/time.ts'
import {
  type CreatedEvent,
  type EventType,
  type ExecutionEvent,
  eventTypes,
  type LoggedEvent,
  type Version,
} from '../model/event.ts'
import type { ExecutionId } from '../model/ids.ts'
import { corruptColumn, integerOf, objectOf, textOf } from './column.ts'
import { type Call, call, type Row, statement } from './protocol.ts'

/** The columns of an event, for SELECT lists over table `events` under the name `v`. */
export const eventColumns = 'v.execution_id, v.version, v.created_at_ms, v.type, v.body'

const insertEvent = statement(
  'insert-event',
  `INSERT INTO events (execution_id, version, created_at_ms, type, body)
   VALUES ($1, $2, $3, $4, $5)`,
)

/**
 * An event, written out. Bodies become text when a write is *asked for*, not when it runs, so that
 * a value changed by its owner in between cannot change the log.
 */
export interface WrittenEvent {
  readonly event: ExecutionEvent
  readonly createdAt: Instant
  readonly body: string
}

/** Writes an event out. */
export function writeEvent(event: ExecutionEvent, createdAt: Instant): WrittenEvent {
  const { type: _column, ...body } = event
  return { event, createdAt, body: JSON.stringify(body) }
}

/** Inserts an event at a version. */
export function insertEventCall(id: ExecutionId, version: Version, entry: WrittenEvent): Call {
  return call(insertEvent, id, version, entry.createdAt, entry.event.type, entry.body)
}

const knownTypes: ReadonlySet<string> = new Set(eventTypes)

function isEventType(text: string): text is EventType {
  return knownTypes.has(text)
}

/** The event that a row says. Throws `storage_corrupt` when it says none. */
export function parseEvent(row: Row): LoggedEvent {
  const type = textOf(row, 'type')
  if (!isEventType(type)) throw corruptColumn(row, 'type', 'the name of an event')
  return {
    version: integerOf(row, 'version'),
    createdAt: integerOf(row, 'created_at_ms'),
    event: assemble(type, objectOf(row, 'body')),
  }
}

/** The `created` event whose body stands in column `created_body`. */
export function parseCreated(row: Row): CreatedEvent {
  const event = assemble('created', objectOf(row, 'created_body'))
  const isCreated = event.type === 'created' && typeof event.function === 'object'
  if (isCreated && event.function !== null) return event
  throw corruptColumn(row, 'created_body', 'a created event')
}

/** What was written by `writeEvent`, read back: the one place that trusts the body's shape. */
function assemble(type: EventType, body: JsonObject): ExecutionEvent {
  return { type, ...body } as unknown as ExecutionEvent
}
