/** Every row of the table from results to events. */

import { describe, expect, it } from 'vitest'
import {
  type EndEvent,
  factsOf,
  type SettleFacts,
  settle,
  settleExpired,
} from '../../../src/engine/settle.ts'
import type { FatalError, WorkerResult } from '../../../src/engine/worker.ts'
import type { HttpTrace, UpgradeFinishedEvent } from '../../../src/model/event.ts'
import { present } from '../../support/storage/results.ts'
import { deployment as deploymentId, executionId, locked } from '../model/builders.ts'

const facts: SettleFacts = {
  executionId,
  kind: 'activity',
  failures: 1,
  retry: { maxRetries: 3, backoff: 50 },
  endedAt: 1000,
}
const exhausted: SettleFacts = { ...facts, failures: 3 }
const dueAgain = 1100
const traces: readonly HttpTrace[] = [
  { method: 'GET', origin: 'https://example.org', path: '/', queryKeys: [], startedAt: 1 },
]
const traced = { httpTraces: traces }
const trap = { type: 'activity_trap', reason: 'no', detail: 'at line 1' } as const
const thrown = { name: 'TypeError', message: 'no' }
const no: WorkerResult = { type: 'run_finished', outcome: { type: 'err', value: 4 } }

/** The one event of a result that has exactly one. */
function settleOne(result: WorkerResult, judged: SettleFacts): EndEvent | UpgradeFinishedEvent {
  const events = settle(result, judged)
  expect(events).toHaveLength(1)
  return present(events[0], 'the event')
}

describe('settle: run_finished', () => {
  it('4.2: ok finishes, whatever the budget', () => {
    const outcome = { type: 'ok', value: 1 } as const
    for (const judged of [facts, exhausted]) {
      expect(settleOne({ type: 'run_finished', outcome, ...traced }, judged)).toEqual({
        type: 'finished',
        outcome,
        ...traced,
      })
    }
  })

  it('4.2: ok without a value stays without one', () => {
    const outcome = { type: 'ok' } as const
    expect(settleOne({ type: 'run_finished', outcome }, facts)).toEqual({
      type: 'finished',
      outcome,
    })
  })

  it('4.2: the err of an activity is retried, with its value', () => {
    expect(settleOne({ ...no, ...traced }, facts)).toEqual({
      type: 'temporarily_failed',
      backoffExpiresAt: dueAgain,
      reason: 'activity returned error',
      value: 4,
      ...traced,
    })
  })

  it('4.2: an err without a value is retried without one', () => {
    const event = settleOne({ type: 'run_finished', outcome: { type: 'err' } }, facts)
    expect(event).toMatchObject({ type: 'temporarily_failed' })
    expect(event).not.toHaveProperty('value')
  })

  it('4.2: the err of an activity finishes when the budget is used up', () => {
    expect(settleOne(no, exhausted)).toEqual({
      type: 'finished',
      outcome: { type: 'err', value: 4 },
    })
  })

  it('4.2: a permanent err finishes', () => {
    expect(settleOne({ ...no, permanent: true }, facts)).toMatchObject({
      type: 'finished',
      outcome: { type: 'err', value: 4 },
    })
  })

  it.each(['workflow', 'machine'] as const)('4.2: the err of a %s finishes', (kind) => {
    expect(settleOne(no, { ...facts, kind })).toMatchObject({
      type: 'finished',
      outcome: { type: 'err' },
    })
  })
})

describe('settle: without a verdict', () => {
  it('4.2: already_written appends nothing', () => {
    expect(settle({ type: 'already_written' }, facts)).toEqual([])
  })

  it('4.2: executor_closing gives the lock back, due at once', () => {
    expect(settleOne({ type: 'executor_closing' }, facts)).toEqual({
      type: 'unlocked',
      dueAt: 1000,
      reason: 'executor closing',
    })
  })

  it('4.2: limit_reached gives the lock back after the backoff, even beyond the budget', () => {
    const limit = { type: 'limit_reached', reason: 'too many steps' } as const
    const unlocked = { type: 'unlocked', reason: 'too many steps' }
    expect(settleOne(limit, facts)).toEqual({ ...unlocked, dueAt: dueAgain })
    expect(settleOne(limit, exhausted)).toEqual({ ...unlocked, dueAt: 1000 + 8 * 50 })
  })
})

describe('settle: for a person', () => {
  it('needs_attention: gives the lock back and pauses, with the reason, whatever the budget', () => {
    const result = { type: 'needs_attention', reason: 'too many events' } as const
    for (const judged of [facts, exhausted]) {
      expect(settle(result, judged)).toEqual([
        { type: 'unlocked', dueAt: 1000, reason: 'paused' },
        { type: 'paused', reason: 'too many events' },
      ])
    }
  })

  it('upgrade_failed: says which version was tried, and gives the lock back, due at once', () => {
    const tried = { functionVersion: '2', deploymentId, reason: 'another step' } as const
    for (const judged of [facts, exhausted]) {
      expect(settle({ type: 'upgrade_failed', ...tried }, judged)).toEqual([
        { type: 'upgrade_finished', result: 'failed', ...tried },
        { type: 'unlocked', dueAt: 1000, reason: 'not upgraded: another step' },
      ])
    }
  })
})

describe('settle: temporary_timeout', () => {
  it('4.2: is retried, with its traces', () => {
    expect(settleOne({ type: 'temporary_timeout', ...traced }, facts)).toEqual({
      type: 'temporarily_timed_out',
      backoffExpiresAt: dueAgain,
      ...traced,
    })
  })

  it('4.2: finishes as timed_out when the budget is used up', () => {
    expect(settleOne({ type: 'temporary_timeout', ...traced }, exhausted)).toEqual({
      type: 'finished',
      outcome: { type: 'execution_failure', kind: 'timed_out' },
      ...traced,
    })
  })

  it('4.2: that of a workflow goes by its own policy, for ever', () => {
    const retry = { maxRetries: null, backoff: 50 }
    expect(
      settleOne({ type: 'temporary_timeout' }, { ...exhausted, kind: 'workflow', retry }),
    ).toEqual({ type: 'temporarily_timed_out', backoffExpiresAt: 1000 + 8 * 50 })
  })
})

describe('settle: activity_trap', () => {
  it('4.2: is retried, with reason, detail, error and traces', () => {
    expect(settleOne({ ...trap, error: thrown, ...traced }, facts)).toEqual({
      type: 'temporarily_failed',
      backoffExpiresAt: dueAgain,
      reason: 'activity trap: no',
      detail: 'at line 1',
      error: thrown,
      ...traced,
    })
  })

  it.each([
    ['the budget is used up', trap, exhausted],
    ['it is permanent', { ...trap, permanent: true }, facts],
  ] as const)('4.2: finishes as uncategorized when %s', (_, result, judged) => {
    expect(settleOne({ ...result, error: thrown, ...traced }, judged)).toEqual({
      type: 'finished',
      outcome: {
        type: 'execution_failure',
        kind: 'uncategorized',
        reason: 'activity trap: no',
        detail: 'at line 1',
        error: thrown,
      },
      ...traced,
    })
  })

  it('4.2: what is absent stays absent', () => {
    const event = settleOne({ type: 'activity_trap', reason: 'no', httpTraces: [] }, facts)
    expect(Object.keys(event).toSorted()).toEqual(['backoffExpiresAt', 'reason', 'type'])
  })
})

describe('settle: fatal_error', () => {
  const reason = 'why'
  const detail = 'where'
  const rows: readonly (readonly [FatalError, object])[] = [
    [
      { type: 'nondeterminism_detected', detail },
      { kind: 'nondeterminism_detected', detail },
    ],
    [
      { type: 'input_unreadable', reason, detail },
      { kind: 'uncategorized', reason, detail },
    ],
    [
      { type: 'input_unreadable', reason },
      { kind: 'uncategorized', reason },
    ],
    [
      { type: 'result_not_storable', reason, detail },
      { kind: 'uncategorized', reason, detail },
    ],
    [
      { type: 'constraint_violation', reason },
      { kind: 'uncategorized', reason: 'constraint violation: why' },
    ],
    [
      { type: 'workflow_trap', reason, detail, error: thrown },
      { kind: 'uncategorized', reason: 'workflow trap: why', detail, error: thrown },
    ],
    [
      { type: 'workflow_trap', reason },
      { kind: 'uncategorized', reason: 'workflow trap: why' },
    ],
  ]

  it.each(rows)('4.3: $type finishes, never retried', (fatal, failure) => {
    expect(settleOne({ type: 'fatal_error', fatal }, facts)).toEqual({
      type: 'finished',
      outcome: { type: 'execution_failure', ...failure },
    })
  })
})

describe('settleExpired', () => {
  it('5: a run that retries for ever and has appended something made progress', () => {
    const state = locked({ retry: { maxRetries: null, backoff: 50 }, lastLockVersion: 5 })
    expect(settleExpired(state, 900)).toEqual({
      type: 'unlocked',
      dueAt: 900,
      reason: 'made progress',
    })
  })

  it('5: without anything appended since its lock it timed out', () => {
    const state = locked({ retry: { maxRetries: null, backoff: 50 } })
    expect(settleExpired(state, 900)).toEqual({
      type: 'temporarily_timed_out',
      backoffExpiresAt: 900 + 4 * 50,
    })
  })

  it('5: with a budget, progress does not help', () => {
    const state = locked({ lastLockVersion: 5 })
    expect(settleExpired(state, 900)).toMatchObject({ type: 'temporarily_timed_out' })
    expect(settleExpired({ ...state, failures: 3 }, 900)).toEqual({
      type: 'finished',
      outcome: { type: 'execution_failure', kind: 'timed_out' },
    })
  })
})

describe('factsOf', () => {
  it('facts: come from the state alone, but for the time', () => {
    const state = locked()
    expect(factsOf(state, 77)).toEqual({
      executionId: state.executionId,
      kind: 'workflow',
      failures: 2,
      retry: { maxRetries: 3, backoff: 50 },
      endedAt: 77,
    })
  })
})
