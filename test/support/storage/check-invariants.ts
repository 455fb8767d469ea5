/** What must hold of every storage at every moment, whatever was done to it. */

import { expect } from 'vitest'
import { foldHistory } from '../../../src/model/fold.ts'
import type { ExecutionId } from '../../../src/model/ids.ts'
import type { ExecutionState } from '../../../src/model/state.ts'
import type { ListCursor } from '../../../src/storage/list.ts'
import type { ExecutionRecord } from '../../../src/storage/read.ts'
import type { ReadStorage } from '../../../src/storage/storage.ts'

/** More than any test writes to one log. */
const historyMax = 10_000
const pageSize = 100

/** Checks every execution of a storage that can be read at all. */
export async function checkInvariants(storage: ReadStorage): Promise<void> {
  for (const { executionId } of await listAllStates(storage)) {
    const record = await storage.findRecord(executionId, historyMax)
    if (record === undefined) return expect.unreachable(`${executionId} is listed, not found`)
    checkLog(record)
    checkInbox(record)
    checkState(executionId, record)
    await checkParent(storage, record.state)
  }
}

/** The states of all executions, newest first. */
export async function listAllStates(storage: ReadStorage): Promise<readonly ExecutionState[]> {
  const states: ExecutionState[] = []
  let after: ListCursor | undefined
  for (;;) {
    const filter = { children: true }
    const { items, next } = await storage.listExecutions({ filter, after, limit: pageSize })
    states.push(...items.map(({ state }) => state))
    if (next === undefined) return states
    after = next
  }
}

/** Versions are dense, `created` is the first event and only the first, `finished` the last. */
function checkLog({ state, events }: ExecutionRecord): void {
  const { executionId } = state
  const versions = events.map(({ version }) => version)
  const types = events.map(({ event }) => event.type)
  expect(versions, `versions of ${executionId}`).toEqual(versions.map((_, index) => index))
  expect(types.lastIndexOf('created'), `${executionId} is created once, first`).toBe(0)
  const finishedAt = types.indexOf('finished')
  const end = state.status === 'finished' ? types.length - 1 : -1
  expect(finishedAt, `${executionId} has nothing after its end`).toBe(end)
}

/** Cursors rise; ordinals are dense within each join set. */
function checkInbox({ state, responses }: ExecutionRecord): void {
  const counts = new Map<string, number>()
  let lastCursor = 0
  for (const { cursor, ordinal, response } of responses) {
    const count = (counts.get(response.joinSetId) ?? 0) + 1
    counts.set(response.joinSetId, count)
    expect(cursor, `cursors of ${state.executionId}`).toBeGreaterThan(lastCursor)
    expect(ordinal, `ordinals of ${state.executionId}`).toBe(count)
    lastCursor = cursor
  }
}

/** The state row is a cache: log and inbox say the same. */
function checkState(executionId: ExecutionId, record: ExecutionRecord): void {
  const { events, responses, state } = record
  expect(state, `state of ${executionId}`).toEqual(foldHistory({ executionId, events, responses }))
}

/** A finished child has told its parent exactly once, and about this very end. */
async function checkParent(storage: ReadStorage, state: ExecutionState): Promise<void> {
  if (state.status !== 'finished' || state.parent === undefined) return
  const parentId = state.parent.executionId
  const parent = await storage.findRecord(parentId, historyMax)
  const told = (parent?.responses ?? []).flatMap(({ response }) =>
    response.type === 'child_finished' && response.childExecutionId === state.executionId
      ? [response.finishedVersion]
      : [],
  )
  expect(told, `${parentId} was told of ${state.executionId}`).toEqual([state.version])
}
