/** Answers about one log: events, responses, and what was logged by the way, a page at a time. */

import { notFoundError } from '../../client/refusal-error.ts'
import type { Query } from './query.ts'
import { previewMax, shownMax, showText } from './show.ts'
import { showEvent, showResponse } from './show-event.ts'
import type { ViewerSource } from './source.ts'
import type { EventLine, EventsAnswer, LogsAnswer, ResponsesAnswer } from './wire.ts'

/** Events, responses or lines in one answer. */
const logPageMax = 200

/** Events from a version on. */
export async function answerEvents({ context }: ViewerSource, query: Query): Promise<EventsAnswer> {
  const executionId = query.executionId()
  const from = query.integer('from', 0)
  const limit = pageSize(query)
  const events = await context.storage.listEvents({ executionId, from, limit })
  const by = { codec: context.codec, max: previewMax }
  return { events: events.map((entry) => showEvent(entry, by)) }
}

/** One event, with everything in it. */
export async function answerEvent({ context }: ViewerSource, query: Query): Promise<EventLine> {
  const executionId = query.executionId()
  const entry = await context.storage.findEvent(executionId, query.integer('version', 0))
  if (entry === undefined) throw notFoundError(executionId)
  return showEvent(entry, { codec: context.codec, max: shownMax })
}

/** Responses beyond a cursor. */
export async function answerResponses(
  { context }: ViewerSource,
  query: Query,
): Promise<ResponsesAnswer> {
  const executionId = query.executionId()
  const after = query.integer('after', 0)
  const limit = pageSize(query)
  const found = await context.storage.listResponses({ executionId, after, limit })
  const by = { codec: context.codec, max: previewMax }
  const last = found.length === limit ? found.at(-1) : undefined
  const responses = found.map((entry) => showResponse(entry, by))
  return { responses, ...(last === undefined ? {} : { next: last.cursor }) }
}

/** Lines that the function logged, beyond one. */
export async function answerLogs({ context }: ViewerSource, query: Query): Promise<LogsAnswer> {
  const executionId = query.executionId()
  const after = query.integer('after', 0)
  const limit = pageSize(query)
  const found = await context.storage.listRunLogs({ executionId, after, limit })
  const last = found.length === limit ? found.at(-1) : undefined
  const lines = found.map(({ executionId: _same, fields, message, ...line }) => ({
    ...line,
    message: showText('message', message, previewMax).text,
    ...(fields === undefined
      ? {}
      : { fields: showText('fields', JSON.stringify(fields, null, 2), previewMax) }),
  }))
  return { lines, ...(last === undefined ? {} : { next: last.lineId }) }
}

function pageSize(query: Query): number {
  return Math.max(1, Math.min(query.integer('limit', logPageMax), logPageMax))
}
