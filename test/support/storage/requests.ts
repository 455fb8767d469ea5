/** Requests to the ports, for tests: each default does the obvious thing. */

import type { Json } from '../../../src/base/json.ts'
import type { CreatedEvent, ExecutionEvent, NewEvent } from '../../../src/model/event.ts'
import { findParent } from '../../../src/model/ids.ts'
import type { ExecutionResponse } from '../../../src/model/response.ts'
import type { AppendRequest, Cancellations } from '../../../src/storage/append.ts'
import type { CreateRequest } from '../../../src/storage/create.ts'
import type { LockRequest, LockTarget } from '../../../src/storage/lock.ts'
import type { RespondCommand } from '../../../src/storage/storage.ts'
import { charge, createdEvent, retryFive, retryForEver } from './events.ts'
import { childOf, delayOf, deploymentId, executionId, executorId, joinSet, runId } from './ids.ts'

/** What a test may say of a new execution. */
export type CreatePart = Partial<CreatedEvent> & {
  readonly createdAt?: number
  readonly paused?: boolean
}

/** Creates a workflow; a derived id brings its parent with it. */
export function createRequest(id: string, part: CreatePart = {}): CreateRequest {
  const { createdAt = 0, paused, ...event } = part
  const from = findParent(executionId(id))
  const parent =
    from === undefined ? {} : { parent: { executionId: from.parentId, joinSetId: from.joinSetId } }
  return {
    executionId: executionId(id),
    createdAt,
    event: createdEvent({ ...parent, ...event }),
    ...(paused === undefined ? {} : { paused }),
  }
}

/** The same for an activity. */
export function activityRequest(id: string, part: CreatePart = {}): CreateRequest {
  return createRequest(id, { function: charge, ...part })
}

/** Where an append goes: execution, version of the first event, and what else matters. */
export type AppendPlace = readonly [
  id: string,
  version: number,
  options?: {
    readonly at?: number
    readonly creations?: readonly CreateRequest[]
    readonly cancellations?: Cancellations
  },
]

/** Appends events, all at one instant, 10 unless said otherwise. */
export function appendRequest(
  [id, version, { at = 10, creations = [], cancellations } = {}]: AppendPlace,
  events: readonly ExecutionEvent[],
): AppendRequest {
  const entries: readonly NewEvent[] = events.map((event) => ({ event, createdAt: at }))
  const cancelled = cancellations === undefined ? {} : { cancellations, createdAt: at }
  return { executionId: executionId(id), version, events: entries, creations, ...cancelled }
}

/** Polls for the workflow `checkout` of version 1, any version taken. */
export function lockTarget(part: Partial<LockTarget> = {}): LockTarget {
  const target = part.function ?? createdEvent().function
  return {
    function: target,
    strategy: 'by_name',
    limit: 100,
    retry: target.kind === 'activity' ? retryFive : retryForEver,
    lockExpiry: 1000,
    ...part,
  }
}

/** Polls for the activity `charge`. */
export function activityTarget(part: Partial<LockTarget> = {}): LockTarget {
  return lockTarget({ function: charge, ...part })
}

/** One poll of the first executor at an instant, for `checkout` and `charge`. */
export function lockRequest(lockedAt: number, part: Partial<LockRequest> = {}): LockRequest {
  return {
    targets: [lockTarget(), activityTarget()],
    executorId: executorId(),
    runId: runId(),
    deploymentId: deploymentId(),
    lockedAt,
    limit: 100,
    ...part,
  }
}

/** Any response to an execution. */
export function responseCommand(
  id: string,
  response: ExecutionResponse,
  createdAt = 10,
): RespondCommand {
  return { executionId: executionId(id), createdAt, response }
}

/** A child's end, told by hand; the child's log need not exist. */
export function childResponse(parent: string, set = 'n:boxes', index = 1): ExecutionResponse {
  return {
    type: 'child_finished',
    joinSetId: joinSet(set),
    childExecutionId: childOf(parent, set, index),
    finishedVersion: 1,
  }
}

/** A delay's end, told by hand. */
export function delayResponse(parent: string, set = 'n:timers', index = 1): ExecutionResponse {
  return {
    type: 'delay_finished',
    joinSetId: joinSet(set),
    delayId: delayOf(parent, set, index),
    result: 'ok',
  }
}

/** A message in a channel. */
export function message(
  channel: string,
  part: { readonly messageId?: string; readonly payload?: Json } = {},
): ExecutionResponse {
  return { type: 'message', joinSetId: joinSet(`m:${channel}`), ...part }
}
