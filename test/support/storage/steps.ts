/** Steps of tests: short sentences for what almost every test does first. */

import { expect } from 'vitest'
import type { ExecutionEvent } from '../../../src/model/event.ts'
import type { ExecutionState, UnfinishedState } from '../../../src/model/state.ts'
import type { LockRequest } from '../../../src/storage/lock.ts'
import type { CommandStorage, Storage } from '../../../src/storage/storage.ts'
import { executionId } from './ids.ts'
import {
  type AppendPlace,
  activityRequest,
  appendRequest,
  type CreatePart,
  createRequest,
  lockRequest,
} from './requests.ts'
import { accepted, unfinished } from './results.ts'

/** Creates a workflow, due at 0; a derived id makes it a child. */
export function createWorkflow(
  storage: CommandStorage,
  id: string,
  part: CreatePart = {},
): Promise<ExecutionState> {
  return accepted(storage.create(createRequest(id, part)))
}

/** Creates an activity, due at 0; a derived id makes it a child. */
export function createActivity(
  storage: CommandStorage,
  id: string,
  part: CreatePart = {},
): Promise<ExecutionState> {
  return accepted(storage.create(activityRequest(id, part)))
}

/** Locks what is due at an instant, until 1,000 later; gives the ids in the order of locking. */
export async function lockAt(
  storage: Storage,
  at: number,
  part: Partial<LockRequest> = {},
): Promise<readonly string[]> {
  const { locked } = await storage.lockDue(() => lockRequest(at, part))
  return locked.map(({ state }) => state.executionId)
}

/** Creates a workflow and locks it at 5: version 1, expires at 1,005. */
export async function createLocked(
  storage: Storage,
  id: string,
  part: CreatePart = {},
): Promise<UnfinishedState> {
  await createWorkflow(storage, id, part)
  expect(await lockAt(storage, 5)).toEqual([executionId(id)])
  return stateOf(storage, id)
}

/** Appends, which must be accepted; gives the new state. */
export function append(
  storage: Storage,
  place: AppendPlace,
  events: readonly ExecutionEvent[],
): Promise<ExecutionState> {
  return accepted(storage.append(appendRequest(place, events)))
}

/** The state of an execution that has not ended. */
export async function stateOf(storage: Storage, id: string): Promise<UnfinishedState> {
  return unfinished(await storage.findState(executionId(id)))
}

/** The types of the events in a log. */
export async function typesOf(storage: Storage, id: string): Promise<readonly string[]> {
  const events = await storage.listEvents({ executionId: executionId(id), from: 0, limit: 1000 })
  return events.map(({ event }) => event.type)
}

/** The inbox of an execution. */
export function inboxOf(storage: Storage, id: string): ReturnType<Storage['listResponses']> {
  return storage.listResponses({ executionId: executionId(id), after: 0, limit: 1000 })
}
