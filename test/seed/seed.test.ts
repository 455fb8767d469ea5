/**
 * The tests at the end of the seed's `executor.rs`, assertion by assertion, as `DESIGN.md` 5 has
 * changed them: under every locking strategy, ticked by hand and with the loops running.
 */

import { describe, expect, it } from 'vitest'
import type { WorkerResult } from '../../src/engine/worker.ts'
import type { StoredOutcome } from '../../src/model/outcome.ts'
import { parentResponse } from '../../src/model/parent-response.ts'
import { blockingAskEvent, childEvent, joinSetEvent } from '../support/storage/events.ts'
import { childOf, executionId, executorId, joinSet } from '../support/storage/ids.ts'
import { activityRequest, lockRequest, lockTarget } from '../support/storage/requests.ts'
import { accepted } from '../support/storage/results.ts'
import { createWorkflow } from '../support/storage/steps.ts'
import {
  createOpenWorker,
  createScriptedWorker,
  deafWorker,
  okResult,
} from '../unit/engine/builders.ts'
import { loud } from '../unit/engine/surroundings.ts'
import { cases, expectCount, openSeedTest, type SeedTest, start } from './seed-test.ts'

const trap: WorkerResult = {
  type: 'activity_trap',
  reason: 'error reason',
  detail: 'error detail',
}
const trapped: StoredOutcome = {
  type: 'execution_failure',
  kind: 'uncategorized',
  reason: 'activity trap: error reason',
  detail: 'error detail',
}

describe.each(cases)('seed, $strategy, $driving', ({ strategy, driving }) => {
  it('1 execute_simple_lifecycle: created, locked, finished', async () => {
    const seed = await openSeedTest()
    await seed.createActivity()
    const worker = createScriptedWorker(seed.store, { 2: { history: [], result: okResult } })
    await seed.openExecutor({ worker, strategy, driving }).runDue()
    expect(await seed.countEvents('a')).toBe(3)
    expect(await seed.eventAt('a', 0)).toMatchObject({
      createdAt: start,
      event: { type: 'created' },
    })
    expect(await seed.eventAt('a', 1)).toMatchObject({
      createdAt: start,
      event: { type: 'locked', lockExpiresAt: start + 1000 },
    })
    expect(await seed.eventAt('a', 2)).toEqual({
      version: 2,
      createdAt: start,
      event: { type: 'finished', outcome: { type: 'ok' } },
    })
  })

  it('2 execute_simple_lifecycle_task_based: close ends the loop', async () => {
    const seed = await openSeedTest()
    await seed.createActivity()
    const worker = createScriptedWorker(seed.store, { 2: { history: [], result: okResult } })
    const { executor, runDue } = seed.openExecutor({ worker, strategy, driving })
    await runDue()
    await seed.done(executor.close(30_000))
    expect(await seed.stateOf('a')).toMatchObject({ status: 'finished', outcomeType: 'ok' })
    expect(executor.actor.getSnapshot()).toMatchObject({ status: 'done' })
  })

  it('3 activity_trap_should_trigger_an_execution_retry', async () => {
    const seed = await openSeedTest()
    await seed.createActivity()
    const worker = createScriptedWorker(seed.store, {
      2: { history: [], result: trap },
      4: { history: [], result: okResult },
    })
    const retry = { maxRetries: 1, backoff: 100 }
    const { runDue } = seed.openExecutor({ worker, strategy, driving, retry })
    expectCount(await runDue(), 1, driving)
    expect(await seed.countEvents('a')).toBe(3)
    expect(await seed.eventAt('a', 2)).toEqual({
      version: 2,
      createdAt: start,
      event: {
        type: 'temporarily_failed',
        reason: 'activity trap: error reason',
        detail: 'error detail',
        backoffExpiresAt: start + 100,
      },
    })
    expectCount(await runDue(), 0, driving)
    await seed.moveForward(99)
    expectCount(await runDue(), 0, driving)
    expect(await seed.countEvents('a')).toBe(3)
    await seed.moveForward(1)
    expectCount(await runDue(), 1, driving)
    expect(await seed.countEvents('a')).toBe(5)
    expect(await seed.eventAt('a', 3)).toMatchObject({
      createdAt: start + 100,
      event: { type: 'locked' },
    })
    expect(await seed.eventAt('a', 4)).toEqual({
      version: 4,
      createdAt: start + 100,
      event: { type: 'finished', outcome: { type: 'ok' } },
    })
    expect(loud(seed.log)).toEqual([])
  })

  it('4 activity_trap_should_not_be_retried_if_no_retries_are_set', async () => {
    const seed = await openSeedTest()
    await seed.createActivity()
    const worker = createScriptedWorker(seed.store, { 2: { history: [], result: trap } })
    await seed.openExecutor({ worker, strategy, driving }).runDue()
    expect(await seed.countEvents('a')).toBe(3)
    expect(await seed.eventAt('a', 2)).toEqual({
      version: 2,
      createdAt: start,
      event: { type: 'finished', outcome: trapped },
    })
  })

  it('5 child_execution_permanently_failed_should_notify_parent_permanent_failure', async () => {
    const seed = await openSeedTest()
    await openParent(seed)
    const worker = createScriptedWorker(seed.store, { 2: { history: [], result: trap } })
    await seed.openExecutor({ worker, strategy, driving }).runDue()
    expect(seed.clock.now()).toBe(start)
    await expectParentTold(seed, trapped)
  })

  it('6 child_execution_permanently_failed_should_notify_parent_timeout', async () => {
    const seed = await openSeedTest()
    await openParent(seed)
    const result: WorkerResult = { type: 'already_written' }
    const worker = createScriptedWorker(seed.store, { 2: { history: [], result } })
    await seed.openExecutor({ worker, strategy, driving }).runDue()
    expectCount(await seed.watch(driving), 0, driving)
    await seed.moveForward(999)
    expectCount(await seed.watch(driving), 0, driving)
    expect(await seed.countEvents(child)).toBe(2)
    await seed.moveForward(1)
    expectCount(await seed.watch(driving), 1, driving)
    await expectParentTold(seed, { type: 'execution_failure', kind: 'timed_out' })
  })
})

const child = childOf('p', 'o:1-child', 1)
const parentExecutor = executorId(7)

/** A workflow that has asked for a child and waits for it; written by hand, as its worker would. */
async function openParent({ store, done, clock }: SeedTest): Promise<void> {
  const now = clock.now()
  await done(createWorkflow(store, 'p', { createdAt: now, scheduledAt: now }))
  const lock = { targets: [lockTarget()], executorId: parentExecutor }
  await done(store.lockDue(() => lockRequest(now, lock)))
  const set = 'o:1-child'
  const events = [
    joinSetEvent(set),
    childEvent('p', { set }),
    blockingAskEvent(set, { runExpiresAt: now }),
  ]
  const request = {
    executionId: executionId('p'),
    version: 2,
    events: events.map((event) => ({ event, createdAt: now })),
    creations: [activityRequest(child, { createdAt: now, scheduledAt: now })],
  }
  await done(accepted(store.append(request)))
}

async function expectParentTold(seed: SeedTest, outcome: StoredOutcome): Promise<void> {
  const now = seed.clock.now()
  const childState = await seed.stateOf(child)
  expect(childState).toMatchObject({ status: 'finished', version: 2 })
  expect(await seed.countEvents(child)).toBe(3)
  expect(await seed.eventAt(child, 2)).toEqual({
    version: 2,
    createdAt: now,
    event: { type: 'finished', outcome },
  })
  expect(await seed.stateOf('p')).toMatchObject({
    status: 'pending_at',
    scheduledAt: now,
    lastOwner: { executorId: parentExecutor },
  })
  const page = { executionId: executionId('p'), after: 0, limit: 10 }
  const responses = await seed.store.listResponses(page)
  expect(responses.at(-1)).toMatchObject({
    createdAt: now,
    response: {
      type: 'child_finished',
      joinSetId: joinSet('o:1-child'),
      childExecutionId: child,
      finishedVersion: 2,
    },
  })
  expect(parentResponse(childState)?.response).toEqual(responses.at(-1)?.response)
}

const retry = { maxRetries: 1, backoff: 300 }
const lockExpiry = 100

describe.each(cases)('seed, $strategy, $driving', ({ strategy, driving }) => {
  it('7 hanging_lock_should_be_cleaned_and_execution_retried', async () => {
    const seed = await openSeedTest()
    await seed.createActivity()
    const worker = createOpenWorker(deafWorker)
    const options = { worker, strategy, driving, retry, lockExpiry }
    // A ticked executor dies with its timers, so that it is the watcher who finds its lock.
    const { runDue, executor } = seed.openExecutor(options)
    expectCount(await runDue(), 1, driving)
    const second = await expectTimedOutOnce(seed, { driving, runDue, executor })
    expect(second).toMatchObject({
      createdAt: start + 500,
      event: { type: 'finished', outcome: { type: 'execution_failure', kind: 'timed_out' } },
    })
    expect(worker.runs).toHaveLength(2)
  })
})

interface Hanging {
  readonly driving: 'ticked' | 'running'
  readonly runDue: () => Promise<number | undefined>
  readonly executor: { readonly executorId: string }
}

/** Both attempts hang; gives the last event. */
async function expectTimedOutOnce(seed: SeedTest, { driving, runDue, executor }: Hanging) {
  const expire = async (): Promise<void> => {
    // By hand nobody but the watcher acts; with the loops running the executor's own timer does.
    if (driving === 'ticked') seed.clock.advance(lockExpiry)
    else await seed.moveForward(lockExpiry)
  }
  await expire()
  expectCount(await runDue(), 0, driving)
  expectCount(await seed.watch(driving), 1, driving)
  expect(await seed.eventAt('a', 2)).toEqual({
    version: 2,
    createdAt: start + 100,
    event: { type: 'temporarily_timed_out', backoffExpiresAt: start + 400 },
  })
  expect(await seed.stateOf('a')).toMatchObject({
    status: 'pending_at',
    scheduledAt: start + 400,
    lastOwner: { executorId: executor.executorId },
  })
  await seed.moveForward(299)
  expectCount(await runDue(), 0, driving)
  expect(await seed.countEvents('a')).toBe(3)
  await seed.moveForward(1)
  expectCount(await runDue(), 1, driving)
  expect(await seed.eventAt('a', 3)).toMatchObject({
    createdAt: start + 400,
    event: { type: 'locked', lockExpiresAt: start + 500 },
  })
  await expire()
  expectCount(await runDue(), 0, driving)
  expectCount(await seed.watch(driving), 1, driving)
  return seed.eventAt('a', 4)
}
