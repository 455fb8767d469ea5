/** Invariants between executions: parents and children, delays, asks and answers, and the end. */

import type { Instant } from '../base/time.ts'
import { askOf, type LoggedEvent } from '../model/event.ts'
import { parseDelayId } from '../model/ids.ts'
import { type JoinSetId, readJoinSetId } from '../model/join-set.ts'
import type { ExecutionView, Invariant, InvariantView } from './invariant.ts'
import { firstOf, ofChanges, ofSteps } from './log-invariants.ts'

const parentIsTold = ofSteps(
  'a child and the response to its parent are one commit',
  ({ entry, after }, change, view) => {
    if (entry.event.type !== 'finished' || after.parent === undefined) return undefined
    const parentId = after.parent.executionId
    const told = view.changes
      .find(({ executionId }) => executionId === parentId)
      ?.responses.some(
        ({ response }) =>
          response.type === 'child_finished' &&
          response.childExecutionId === change.executionId &&
          response.finishedVersion === entry.version,
      )
    return told === true
      ? undefined
      : `${change.executionId} finished at v${entry.version}; ${parentId} was not told with it`
  },
)

const toldOnce = ofChanges(
  'each child and each delay answers once',
  ({ executionId, execution }) => {
    const answered = new Set<string>()
    return firstOf(execution.responses, ({ response }) => {
      if (response.type === 'message') return undefined
      const id = response.type === 'child_finished' ? response.childExecutionId : response.delayId
      if (answered.has(id)) return `${id} answers ${executionId} twice`
      answered.add(id)
      return undefined
    })
  },
)

const childrenAreAsked = ofSteps(
  'children are asked for by their parent',
  ({ entry }, { executionId }, { executions }) => {
    const { event } = entry
    if (event.type !== 'created' || event.parent === undefined) return undefined
    const asked = executions
      .get(event.parent.executionId)
      ?.events.some(
        ({ event: request }) =>
          request.type === 'join_set_request' &&
          request.kind === 'child' &&
          request.childExecutionId === executionId,
      )
    return asked === false ? `${executionId} was created; its parent has no request` : undefined
  },
)

const noLostWakeUp = ofChanges('whoever is blocked has no answer', ({ executionId, execution }) => {
  const { state, events, responses } = execution
  if (state.status !== 'blocked') return undefined
  const asks = countAsks(events)
  const answer = responses.find(
    ({ cursor, ordinal, response }) =>
      cursor > state.seenCursor && ordinal <= (asks.get(response.joinSetId) ?? 0),
  )
  return answer === undefined
    ? undefined
    : `${executionId} is blocked at cursor ${state.seenCursor}; ` +
        `response ${answer.cursor} answers it`
})

const waitsForSomething = ofChanges('whoever is blocked can be woken', (change, view) => {
  const { executionId, execution } = change
  const { state, events, responses } = execution
  if (state.status !== 'blocked' || state.cancelling) return undefined
  const asks = countAsks(events)
  for (const { response } of responses) {
    asks.set(response.joinSetId, (asks.get(response.joinSetId) ?? 0) - 1)
  }
  const open = [...asks].filter(([, count]) => count > 0).map(([id]) => id)
  if (open.some((id) => canAnswer(id, executionId, view))) return undefined
  return `${executionId} is blocked; nothing can answer ${open.join(', ') || 'what it never asked'}`
})

/** Whether a response may still come: a message at any time, others from who has not ended. */
function canAnswer(joinSetId: JoinSetId, id: string, view: InvariantView): boolean {
  if (readJoinSetId(joinSetId).kind === 'messages') return true
  for (const { state } of view.executions.values()) {
    const { parent, status } = state
    if (status === 'finished' || parent?.executionId !== id) continue
    if (parent.joinSetId === joinSetId) return true
  }
  return view.openDelays().some(({ delayId, executionId }) => {
    const from = executionId === id ? parseDelayId(delayId) : undefined
    return from?.ok === true && from.value.joinSetId === joinSetId
  })
}

function countAsks(events: readonly LoggedEvent[]): Map<JoinSetId, number> {
  const asks = new Map<JoinSetId, number>()
  for (const { event } of events) {
    const ask = askOf(event)
    if (ask !== undefined) asks.set(ask.joinSetId, (asks.get(ask.joinSetId) ?? 0) + ask.change)
  }
  return asks
}

const delaysWait = ofChanges('no delay fires before it is due', (change) =>
  firstOf(change.responses, ({ response, createdAt }) => {
    if (response.type !== 'delay_finished' || response.result !== 'ok') return undefined
    const dueAt = dueAtOf(change.execution, response.delayId)
    if (dueAt === undefined) return `${response.delayId} fired; nobody asked for it`
    return createdAt >= dueAt
      ? undefined
      : `${response.delayId} fired at ${createdAt}, due at ${dueAt}`
  }),
)

function dueAtOf({ events }: ExecutionView, delayId: string): Instant | undefined {
  for (const { event } of events) {
    const isRequest = event.type === 'join_set_request' && event.kind === 'delay'
    if (isRequest && event.delayId === delayId) return event.dueAt
  }
  return undefined
}

/** Looked at whenever something has ended: whoever ends gives up its delays in the same commit. */
const delaysEnd: Invariant = {
  name: 'no delay outlives its answer, or whoever asked for it',
  check: ({ changes, executions, openDelays }) => {
    const hasEnded = changes.some(
      ({ steps, responses }) =>
        responses.some(({ response }) => response.type === 'delay_finished') ||
        steps.some(({ entry }) => entry.event.type === 'finished'),
    )
    if (!hasEnded) return undefined
    return firstOf(openDelays(), ({ delayId, executionId }) => {
      const asker = executions.get(executionId)
      if (asker?.state.status === 'finished') return `${delayId} is open; ${executionId} has ended`
      const isAnswered = asker?.responses.some(
        ({ response }) => response.type === 'delay_finished' && response.delayId === delayId,
      )
      return isAnswered === true ? `${delayId} has answered, and is still open` : undefined
    })
  },
}

const outcomesLast = ofSteps('an execution ends once', ({ entry, before }, { executionId }) =>
  entry.event.type === 'finished' && before?.status === 'finished'
    ? `${executionId} ends a second time at v${entry.version}`
    : undefined,
)

/** What is left when everything has come to rest. */
const noOrphans: Invariant = {
  name: 'whoever has finished leaves nothing open behind',
  every: 'end',
  check: ({ executions }) =>
    firstOf([...executions], ([id, { state, events }]) => {
      if (state.status === 'finished' || state.parent === undefined) return undefined
      const parent = executions.get(state.parent.executionId)
      if (parent?.state.status !== 'finished') return undefined
      return isAbandoned(parent, state.parent.joinSetId)
        ? undefined
        : `${id} is ${state.status} at v${events.length - 1}; its parent has finished`
    }),
}

function isAbandoned({ events }: ExecutionView, joinSetId: string): boolean {
  return events.some(
    ({ event }) =>
      event.type === 'join_set_create' &&
      event.joinSetId === joinSetId &&
      event.onClose === 'abandon',
  )
}

/** Invariants between executions. */
export const familyInvariants: readonly Invariant[] = [
  parentIsTold,
  toldOnce,
  childrenAreAsked,
  noLostWakeUp,
  waitsForSomething,
  delaysWait,
  delaysEnd,
  outcomesLast,
  noOrphans,
]
