/** Events and responses as lines to be shown: the telling part first, then every field. */

import type { Json } from '../../base/json.ts'
import type { ExecutionEvent, LoggedEvent } from '../../model/event.ts'
import type { StoredOutcome } from '../../model/outcome.ts'
import type { ListedResponse } from '../../storage/read.ts'
import { type ShowOptions, showText, showValue } from './show.ts'
import type { CodePlace, EventLine, ResponseLine, ShownValue } from './wire.ts'

/** Characters of a line's summary. */
const summaryMax = 160

/** Fields that hold values of users in stored form. */
const valueFields: ReadonlySet<string> = new Set(['input', 'value', 'event', 'payload'])

/** An event. */
export function showEvent({ version, createdAt, event }: LoggedEvent, by: ShowOptions): EventLine {
  const { type, ...rest } = event
  const known: EventExtras & object = rest
  const { httpTraces, source, ...fields } = known
  return {
    version,
    createdAt,
    type,
    summary: oneLine(summaryOf(event, by)),
    fields: showFields(fields, by),
    ...(httpTraces === undefined ? {} : { httpTraces }),
    ...(source === undefined ? {} : { source }),
  }
}

/** What some events have, and what is shown in its own way. */
interface EventExtras {
  readonly httpTraces?: EventLine['httpTraces']
  readonly source?: CodePlace
}

/** A response. */
export function showResponse(entry: ListedResponse, by: ShowOptions): ResponseLine {
  const { cursor, createdAt, response, outcome } = entry
  const { type, joinSetId, ...rest } = response
  const fields = showFields(rest, by)
  const end = outcome === undefined ? [] : showOutcome(outcome, by)
  const about = aboutOf(entry)
  return {
    cursor,
    createdAt,
    joinSetId,
    type,
    summary: oneLine(responseSummary(entry, by)),
    fields: [...fields, ...end],
    ...(about === undefined ? {} : { about }),
  }
}

/** An outcome: what came of it, with whatever else is known. */
export function showOutcome(outcome: StoredOutcome, by: ShowOptions): readonly ShownValue[] {
  if (outcome.type !== 'execution_failure') {
    return [showText('outcome', outcome.type, by.max), showValue('value', outcome.value, by)]
  }
  const { type, ...rest } = outcome
  return [showText('outcome', type, by.max), ...showFields(rest, by)]
}

function showFields(fields: object, by: ShowOptions): readonly ShownValue[] {
  return Object.entries(fields).flatMap(([name, field]: readonly [string, unknown]) => {
    if (field === undefined) return []
    if (name === 'outcome' && isOutcome(field)) return showOutcome(field, by)
    return [showField(name, field, by)]
  })
}

function showField(name: string, field: unknown, by: ShowOptions): ShownValue {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- read from a JSON column
  const stored = field as Json
  if (valueFields.has(name)) return showValue(name, stored, by)
  if (typeof stored === 'string') return showText(name, stored, by.max)
  return showText(name, JSON.stringify(stored, null, 2), by.max)
}

function isOutcome(field: unknown): field is StoredOutcome {
  return typeof field === 'object' && field !== null && 'type' in field
}

function summaryOf(event: ExecutionEvent, by: ShowOptions): string {
  if (event.type === 'created' || event.type === 'schedule') {
    return `${event.function.name}(${inputText(event.input, by)})`
  }
  if (event.type === 'locked') return `by ${event.executorId}`
  if (event.type === 'finished') return outcomeText(event.outcome, by)
  if (event.type === 'step_finished') return `${event.name}: ${outcomeText(event.outcome, by)}`
  if (event.type === 'step_failed') {
    return `${event.name}, attempt ${event.attempt}: ${event.reason}`
  }
  return event.type === 'join_set_request' ? requestText(event, by) : otherText(event)
}

/** Events that say what they are about in one field. */
function otherText(event: ExecutionEvent): string {
  const told = ['reason', 'joinSetId', 'targetExecutionId', 'patchId', 'functionVersion']
  for (const name of told) {
    const field: unknown = Reflect.get(event, name)
    if (typeof field === 'string') return field
  }
  return ''
}

function requestText(
  event: Extract<ExecutionEvent, { readonly type: 'join_set_request' }>,
  by: ShowOptions,
): string {
  if (event.kind === 'delay') return `delay in ${event.joinSetId}`
  return `${event.function.name}(${inputText(event.input, by)})`
}

function inputText(input: Json | undefined, by: ShowOptions): string {
  return input === undefined ? '' : showValue('', input, { ...by, max: summaryMax }).text
}

function outcomeText(outcome: StoredOutcome, by: ShowOptions): string {
  if (outcome.type !== 'execution_failure') {
    return `${outcome.type} ${inputText(outcome.value, by)}`
  }
  const { kind, reason } = outcome
  return reason === undefined ? kind : `${kind}: ${reason}`
}

function responseSummary({ response, outcome }: ListedResponse, by: ShowOptions): string {
  if (response.type === 'delay_finished') return response.joinSetId
  if (outcome !== undefined) return outcomeText(outcome, by)
  return response.type === 'message' ? inputText(response.payload, by) : ''
}

function aboutOf({ response }: ListedResponse): string | undefined {
  if (response.type === 'child_finished') return response.childExecutionId
  return response.type === 'delay_finished' ? response.delayId : undefined
}

function oneLine(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim()
  return line.length <= summaryMax ? line : `${line.slice(0, summaryMax - 1)}…`
}
