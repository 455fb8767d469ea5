/** States and their rows: everything survives the way there and back, and no row is guessed at. */

import { describe, expect, test } from 'vitest'
import type { ExecutionState } from '../../../src/model/state.ts'
import type { Row } from '../../../src/storage/protocol.ts'
import {
  insertStateCall,
  parseState,
  replaceStateCall,
  updateStateCall,
} from '../../../src/storage/state-row.ts'
import { charge, retryFive } from '../../support/storage/events.ts'
import { childOf, deploymentId, executionId, executorId, runId } from '../../support/storage/ids.ts'
import { executeSql, openMemoryStorage } from '../../support/storage/opened-storage.ts'

const corrupt = expect.objectContaining({ code: 'storage_corrupt' })

const none: Row = {
  scheduled_at_ms: null,
  lock_expires_at_ms: null,
  last_lock_version: null,
  executor_id: null,
  run_id: null,
  retry: null,
  seen_cursor: null,
  run_expires_at_ms: null,
  incompatible_version: null,
  finished_at_ms: null,
  outcome_type: null,
  failure_kind: null,
  set_aside_reason: null,
}

const base: Row = {
  ...none,
  execution_id: 'a',
  function_kind: 'activity',
  function_name: 'charge',
  function_version: '1',
  version: 4,
  created_at_ms: 1,
  first_scheduled_at_ms: 2,
  deployment_id: deploymentId(),
  failures: 3,
  paused: 0,
  cancelling: 0,
}

const owner: Row = { executor_id: executorId(), run_id: runId() }

const pending: Row = { ...base, status: 'pending_at', scheduled_at_ms: 70 }
const locked: Row = {
  ...base,
  ...owner,
  status: 'locked',
  lock_expires_at_ms: 80,
  last_lock_version: 4,
  retry: JSON.stringify(retryFive),
}
const blocked: Row = { ...base, status: 'blocked', seen_cursor: 5, run_expires_at_ms: 90 }
const finished: Row = { ...base, status: 'finished', finished_at_ms: 99, outcome_type: 'ok' }
const rows = { pending, locked, blocked, finished }

const common = {
  executionId: executionId('a'),
  function: charge,
  version: 4,
  createdAt: 1,
  firstScheduledAt: 2,
  deploymentId: deploymentId(),
  failures: 3,
}
const open = { ...common, paused: false, cancelling: false }
const lastOwner = { executorId: executorId(), runId: runId() }

describe('parseState()', () => {
  test('pending', () => {
    expect(parseState(pending)).toEqual({ ...open, status: 'pending_at', scheduledAt: 70 })
  })

  test('pending again, after a lock and a failed upgrade, paused and cancelling', () => {
    const part = { ...owner, incompatible_version: '2', paused: 1, cancelling: 1 }
    expect(parseState({ ...pending, ...part })).toEqual({
      ...open,
      status: 'pending_at',
      scheduledAt: 70,
      lastOwner,
      incompatibleVersion: '2',
      paused: true,
      cancelling: true,
    })
  })

  test('locked', () => {
    expect(parseState(locked)).toEqual({
      ...open,
      status: 'locked',
      lockExpiresAt: 80,
      lastLockVersion: 4,
      lastOwner,
      retry: retryFive,
    })
  })

  test('blocked', () => {
    const state = { ...open, status: 'blocked', seenCursor: 5, runExpiresAt: 90 }
    expect(parseState(blocked)).toEqual(state)
  })

  test('finished, with and without a kind of failure', () => {
    const state = { ...common, status: 'finished', finishedAt: 99 }
    expect(parseState(finished)).toEqual({ ...state, outcomeType: 'ok' })
    const failure = { outcome_type: 'execution_failure', failure_kind: 'timed_out' }
    expect(parseState({ ...finished, ...failure })).toEqual({
      ...state,
      outcomeType: 'execution_failure',
      failureKind: 'timed_out',
    })
  })

  test('the parent is read off a derived id', () => {
    const id = childOf(childOf('p', 'o:1-pack'), 'n:a_b', 12)
    expect(parseState({ ...pending, execution_id: id })).toMatchObject({
      parent: { executionId: childOf('p', 'o:1-pack'), joinSetId: 'n:a_b' },
    })
  })
})

describe('parseState(): rows that no state can have', () => {
  const required = [
    'execution_id',
    'function_kind',
    'function_name',
    'function_version',
    'version',
    'created_at_ms',
    'first_scheduled_at_ms',
    'deployment_id',
    'failures',
    'status',
  ]
  const requiredByState = {
    pending: ['paused', 'cancelling', 'scheduled_at_ms'],
    locked: [
      'paused',
      'cancelling',
      'lock_expires_at_ms',
      'last_lock_version',
      'executor_id',
      'run_id',
      'retry',
    ],
    blocked: ['paused', 'cancelling', 'seen_cursor', 'run_expires_at_ms'],
    finished: ['finished_at_ms', 'outcome_type'],
  } as const
  const states = Object.keys(rows) as (keyof typeof rows)[]

  for (const state of states) {
    test.each([...required, ...requiredByState[state]])(`${state} without %s`, (column) => {
      expect(() => parseState({ ...rows[state], [column]: null })).toThrow(corrupt)
    })

    test.each(['failures', 'version', 'created_at_ms', 'first_scheduled_at_ms'])(
      `${state} with a %s beyond what a number holds`,
      (column) => {
        expect(() => parseState({ ...rows[state], [column]: 2 ** 60 })).toThrow(corrupt)
      },
    )

    test.each([
      ['an unknown status', { status: 'running' }],
      ['an unknown kind of function', { function_kind: 'cron' }],
    ])(`${state} with %s`, (_, part) => {
      expect(() => parseState({ ...rows[state], ...part })).toThrow(corrupt)
    })
  }

  test.each([
    ['a lock that is paused', { ...locked, paused: 1 }],
    ['a pause that is neither on nor off', { ...pending, paused: 2 }],
    ['a cancellation that is neither on nor off', { ...pending, cancelling: -1 }],
    ['an executor without a run', { ...pending, executor_id: executorId() }],
    ['a run without an executor', { ...pending, run_id: runId() }],
    ['retries that are no JSON', { ...locked, retry: '{' }],
    ['retries without a backoff', { ...locked, retry: '{"maxRetries":1}' }],
    ['retries that are a list', { ...locked, retry: '[]' }],
    ['an unknown outcome', { ...finished, outcome_type: 'maybe' }],
    ['a failure without its kind', { ...finished, outcome_type: 'execution_failure' }],
    [
      'an unknown kind of failure',
      {
        ...finished,
        outcome_type: 'execution_failure',
        failure_kind: 'bored',
      },
    ],
    ['a kind of failure without a failure', { ...finished, failure_kind: 'cancelled' }],
    ['an id that is derived from nothing', { ...pending, execution_id: 'a.b' }],
  ])('%s', (_, row) => {
    expect(() => parseState(row)).toThrow(corrupt)
  })

  test('the error names execution and column', () => {
    expect(() => parseState({ ...pending, failures: null })).toThrow(
      expect.objectContaining({ fields: { executionId: 'a', column: 'failures' } }),
    )
  })
})

/** Every state, as the transition table makes them. */
const states: readonly ExecutionState[] = [
  { ...open, status: 'pending_at', scheduledAt: 70 },
  { ...open, status: 'pending_at', scheduledAt: 70, lastOwner, incompatibleVersion: '2' },
  { ...open, status: 'pending_at', scheduledAt: 70, paused: true, cancelling: true },
  {
    ...open,
    status: 'locked',
    lockExpiresAt: 80,
    lastLockVersion: 4,
    lastOwner,
    retry: { maxRetries: null, backoff: 0, maxBackoff: 9, jitter: 0.25 },
  },
  { ...open, status: 'blocked', seenCursor: 0, runExpiresAt: 90, paused: true, lastOwner },
  { ...common, status: 'finished', finishedAt: 99, outcomeType: 'ok' },
  { ...common, status: 'finished', finishedAt: 99, outcomeType: 'err' },
  {
    ...common,
    status: 'finished',
    finishedAt: 99,
    outcomeType: 'execution_failure',
    failureKind: 'nondeterminism_detected',
  },
]

describe('insertStateCall() and updateStateCall()', () => {
  const before: ExecutionState = {
    ...open,
    version: 0,
    failures: 0,
    status: 'pending_at',
    scheduledAt: 2,
  }

  test.each(states)('$status is read as it was written', async (state) => {
    const { driver, storage } = await openMemoryStorage()
    await driver.write(function* () {
      yield [insertStateCall(before), updateStateCall(before, state)]
      return { ok: true, value: undefined }
    })
    expect(await storage.findState(state.executionId)).toEqual(state)
    await storage.close()
  })

  test.each(states)('$status is read as it was written, whatever it was before', async (from) => {
    for (const to of states) {
      const { driver, storage } = await openMemoryStorage()
      await driver.write(function* () {
        yield [insertStateCall(before), updateStateCall(before, from), updateStateCall(from, to)]
        return { ok: true, value: undefined }
      })
      expect(await storage.findState(to.executionId)).toEqual(to)
      await storage.close()
    }
  })

  test('an event that only moves the version writes nothing else', () => {
    const held: ExecutionState = {
      ...open,
      status: 'locked',
      lockExpiresAt: 80,
      lastLockVersion: 4,
      lastOwner,
      retry: retryFive,
    }
    const { statement, values } = replaceStateCall(held, { ...held, version: 5 })
    expect(statement.text.replaceAll(/\s+/g, ' ')).toBe(
      'UPDATE executions SET version = $1 WHERE execution_id = $2 AND version = $3',
    )
    expect(values).toEqual([5, 'a', 4])
    expect(replaceStateCall(held, { ...held, version: 6 }).statement).toBe(statement)
  })

  test('a state is replaced only while it is the one that was read', async () => {
    const { driver, storage } = await openMemoryStorage()
    const after: ExecutionState = { ...before, version: 1 }
    const answers = await driver.write(function* () {
      yield [insertStateCall(before)]
      const swaps = yield [updateStateCall(before, after), updateStateCall(before, after)]
      return { ok: true, value: swaps.map((rowsOfSwap) => rowsOfSwap.length) }
    })
    expect(answers).toEqual({ ok: true, value: [1, 0] })
    await storage.close()
  })

  test('an id that exists is left alone', async () => {
    const opened = await openMemoryStorage()
    const answers = await opened.driver.write(function* () {
      const inserts = yield [insertStateCall(before), insertStateCall({ ...before, createdAt: 9 })]
      return { ok: true, value: inserts.map((inserted) => inserted.length) }
    })
    expect(answers).toEqual({ ok: true, value: [1, 0] })
    expect(await executeSql(opened, 'SELECT count(*) AS n FROM executions')).toEqual([{ n: 1 }])
    expect(await opened.storage.findState(executionId('a'))).toEqual(before)
    await opened.storage.close()
  })
})
