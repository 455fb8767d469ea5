/** What an event or a response says beside its name, in a few words on one line. */

import { inspect } from 'node:util'
import type { Instant } from '../base/time.ts'
import type { EventView, ResponseView } from '../client/view.ts'
import type { Outcome, StoredFailure } from '../model/outcome.ts'
import { formatDistance, formatDuration } from './format-time.ts'

type Describe<Type extends EventView['type']> = (
  event: Extract<EventView, { readonly type: Type }>,
) => string

type Descriptions = { readonly [Type in EventView['type']]: Describe<Type> }

/** A value on one line. */
export function showValueLine(value: unknown): string {
  const options = { depth: 6, breakLength: Number.POSITIVE_INFINITY, maxArrayLength: 50 }
  return inspect(value, { ...options, compact: true, maxStringLength: 2_000 })
}

/** An outcome on one line. */
export function describeOutcome(outcome: Outcome | StoredFailure): string {
  if (outcome.type === 'execution_failure') {
    const { kind, reason } = outcome
    return reason === undefined ? kind : `${kind}: ${reason}`
  }
  const { type, value } = outcome
  return value === undefined ? type : `${type} ${showValueLine(value)}`
}

function named(name: string, value: unknown): string {
  return value === undefined ? '' : ` ${name} ${showValueLine(value)}`
}

function because(reason: string | undefined): string {
  return reason === undefined ? '' : `: ${reason}`
}

function within(from: Instant, to: Instant): string {
  return formatDistance(to, from)
}

function traces(traced: { readonly httpTraces?: readonly unknown[] }): string {
  const count = traced.httpTraces?.length ?? 0
  return count === 0 ? '' : `, ${count} HTTP request${count === 1 ? '' : 's'}`
}

const descriptions: Descriptions = {
  created: ({ function: fn, input, scheduledAt, createdAt, scheduledBy }) =>
    `${fn.name}${named('with', input)}` +
    (scheduledAt > createdAt ? `, due ${within(createdAt, scheduledAt)}` : '') +
    (scheduledBy === undefined ? '' : `, scheduled by ${scheduledBy}`),
  locked: ({ executorId, lockExpiresAt, createdAt }) =>
    `by ${executorId} for ${formatDuration(lockExpiresAt - createdAt)}`,
  unlocked: ({ reason, dueAt, createdAt }) =>
    dueAt > createdAt ? `${reason}, due ${within(createdAt, dueAt)}` : reason,
  temporarily_failed: ({ reason, backoffExpiresAt, createdAt, ...traced }) =>
    `${reason}; again ${within(createdAt, backoffExpiresAt)}${traces(traced)}`,
  temporarily_timed_out: ({ backoffExpiresAt, createdAt, ...traced }) =>
    `again ${within(createdAt, backoffExpiresAt)}${traces(traced)}`,
  finished: ({ outcome, ...traced }) => `${describeOutcome(outcome)}${traces(traced)}`,
  paused: ({ reason }) => reason ?? 'by hand',
  unpaused: () => '',
  cancel_requested: ({ reason }) => reason ?? '',
  upgrade_finished: ({ functionVersion, result, reason }) =>
    `to version ${functionVersion}: ${result}${because(reason)}`,
  join_set_create: ({ joinSetId, concurrency }) =>
    `${joinSetId}${concurrency === undefined ? '' : `, ${concurrency} at once`}`,
  join_set_request: (event) => describeRequest(event),
  join_next: ({ joinSetId, requestedFunction, runExpiresAt, closing }) =>
    `${joinSetId}${requestedFunction === undefined ? '' : `, for ${requestedFunction}`}` +
    `${closing ? ', closing' : ''}${runExpiresAt === undefined ? '' : ', waits'}`,
  join_next_try: ({ joinSetId, outcome }) => `${joinSetId}: ${outcome}`,
  join_next_too_many: ({ joinSetId }) => joinSetId,
  join_next_withdraw: ({ joinSetId }) => joinSetId,
  wait: () => 'waits',
  step_finished: ({ name, outcome }) => `${name}: ${describeOutcome(outcome)}`,
  step_failed: ({ name, attempt, reason, dueAt, createdAt }) =>
    `${name}, attempt ${attempt}: ${reason}; again ${within(createdAt, dueAt)}`,
  schedule: ({ executionId, function: fn, input, result, reason }) =>
    `${fn.name} ${executionId}${named('with', input)}${refused(result, reason)}`,
  stub: ({ targetExecutionId, result }) => `${targetExecutionId}${refused(result)}`,
  patched: ({ patchId }) => patchId,
  macrostep: ({ event }) => (event === undefined ? 'start' : showValueLine(event)),
}

function refused(result: string, reason?: string): string {
  return result === 'ok' ? '' : `: ${result}${because(reason)}`
}

function describeRequest(event: Extract<EventView, { readonly type: 'join_set_request' }>): string {
  if (event.kind === 'delay') {
    const { delayId, dueAt, createdAt, paused } = event
    return `${delayId}, due ${within(createdAt, dueAt)}${paused === true ? ', paused' : ''}`
  }
  const { function: fn, childExecutionId, input, result, reason } = event
  return `${fn.name} ${childExecutionId}${named('with', input)}${refused(result, reason)}`
}

/** What an event says. */
export function describeEvent(event: EventView): string {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the description of its own type
  const describe = descriptions[event.type] as (event: EventView) => string
  return describe(event)
}

/** What a response says. */
export function describeResponse(response: ResponseView): string {
  switch (response.type) {
    case 'child_finished': {
      const { childExecutionId, outcome } = response
      return outcome === undefined
        ? childExecutionId
        : `${childExecutionId}: ${describeOutcome(outcome)}`
    }
    case 'delay_finished':
      return `${response.delayId}: ${response.result}`
    case 'message': {
      const { payload, messageId, joinSetId } = response
      const id = messageId === undefined ? '' : ` (${messageId})`
      return `${joinSetId}${id}${payload === undefined ? '' : `: ${showValueLine(payload)}`}`
    }
    default:
      return ''
  }
}
