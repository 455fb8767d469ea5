/** What events and responses say on one line. */
import { describe, expect, test } from 'vitest'
import {
  describeEvent,
  describeOutcome,
  describeResponse,
  showValueLine,
} from '../../../src/cli/describe-event.ts'
import type { EventView, ResponseView } from '../../../src/client/view.ts'
import { eventTypes } from '../../../src/model/event.ts'

const fn = { kind: 'activity', name: 'charge', version: '1' }
const set = { joinSetId: 'n:boxes' }

const lines: Readonly<Record<EventView['type'], readonly (readonly [object, string])[]>> = {
  created: [
    [{ function: fn, input: { cents: 5 }, scheduledAt: 0 }, 'charge with { cents: 5 }'],
    [
      { function: fn, scheduledAt: 2_000, scheduledBy: 'a' },
      'charge, due in 2.0 s, scheduled by a',
    ],
  ],
  locked: [[{ executorId: 'Exr_1', lockExpiresAt: 30_000 }, 'by Exr_1 for 30.0 s']],
  unlocked: [
    [{ reason: 'stopped', dueAt: 0 }, 'stopped'],
    [{ reason: 'stopped', dueAt: 500 }, 'stopped, due in 500 ms'],
  ],
  temporarily_failed: [
    [{ reason: 'trap', backoffExpiresAt: 100 }, 'trap; again in 100 ms'],
    [
      { reason: 'trap', backoffExpiresAt: 100, httpTraces: [{}] },
      'trap; again in 100 ms, 1 HTTP request',
    ],
  ],
  temporarily_timed_out: [[{ backoffExpiresAt: 100 }, 'again in 100 ms']],
  finished: [
    [{ outcome: { type: 'ok', value: 7 }, httpTraces: [{}, {}] }, 'ok 7, 2 HTTP requests'],
    [{ outcome: { type: 'execution_failure', kind: 'timed_out' } }, 'timed_out'],
  ],
  paused: [
    [{}, 'by hand'],
    [{ reason: 'nondeterminism' }, 'nondeterminism'],
  ],
  unpaused: [[{}, '']],
  cancel_requested: [
    [{}, ''],
    [{ reason: 'too late' }, 'too late'],
  ],
  upgrade_finished: [
    [{ functionVersion: '2', result: 'failed', reason: 'at 5' }, 'to version 2: failed: at 5'],
  ],
  join_set_create: [
    [set, 'n:boxes'],
    [{ ...set, concurrency: 3 }, 'n:boxes, 3 at once'],
  ],
  join_set_request: [
    [
      { ...set, kind: 'child', function: fn, childExecutionId: 'a.n:boxes_1', result: 'ok' },
      'charge a.n:boxes_1',
    ],
    [
      {
        ...set,
        kind: 'child',
        function: fn,
        childExecutionId: 'c',
        result: 'invalid_input',
        reason: 'no',
      },
      'charge c: invalid_input: no',
    ],
    [
      { ...set, kind: 'delay', delayId: 'Delay_1', dueAt: 60_000, paused: true },
      'Delay_1, due in 1 min, paused',
    ],
  ],
  join_next: [
    [{ ...set, closing: false, requestedFunction: 'charge' }, 'n:boxes, for charge'],
    [{ ...set, closing: true, runExpiresAt: 5 }, 'n:boxes, closing, waits'],
  ],
  join_next_try: [[{ ...set, outcome: 'pending' }, 'n:boxes: pending']],
  join_next_too_many: [[set, 'n:boxes']],
  join_next_withdraw: [[set, 'n:boxes']],
  wait: [[{}, 'waits']],
  step_finished: [[{ name: 'price', outcome: { type: 'ok', value: 5 } }, 'price: ok 5']],
  step_failed: [
    [
      { name: 'price', attempt: 2, reason: 'trap', dueAt: 50 },
      'price, attempt 2: trap; again in 50 ms',
    ],
  ],
  schedule: [
    [{ executionId: 'b', function: fn, input: 1, result: 'ok' }, 'charge b with 1'],
    [
      { executionId: 'b', function: fn, result: 'function_not_found' },
      'charge b: function_not_found',
    ],
  ],
  stub: [[{ targetExecutionId: 'b', result: 'conflict' }, 'b: conflict']],
  patched: [[{ patchId: 'new-price' }, 'new-price']],
  macrostep: [
    [{}, 'start'],
    [{ event: { type: 'PAID' } }, "{ type: 'PAID' }"],
  ],
}

describe('events', () => {
  test('each type has a line here', () => {
    expect(Object.keys(lines)).toEqual([...eventTypes])
  })

  test.each(
    Object.entries(lines).flatMap(([type, cases]) =>
      cases.map(([fields, line]) => [type, fields, line] as const),
    ),
  )('%s %j', (type, fields, line) => {
    const event = { version: 0, createdAt: 0, type, ...fields } as unknown as EventView
    expect(describeEvent(event)).toBe(line)
  })
})

describe('responses', () => {
  test.each([
    [{ type: 'child_finished', childExecutionId: 'c' }, 'c'],
    [{ type: 'child_finished', childExecutionId: 'c', outcome: { type: 'ok' } }, 'c: ok'],
    [{ type: 'delay_finished', delayId: 'd', result: 'ok' }, 'd: ok'],
    [{ type: 'message', joinSetId: 'm:approve' }, 'm:approve'],
    [
      { type: 'message', joinSetId: 'm:a', messageId: 'x', payload: { by: 1 } },
      'm:a (x): { by: 1 }',
    ],
  ])('%j', (response, line) => {
    const shown = { cursor: 1, createdAt: 0, ...response } as unknown as ResponseView
    expect(describeResponse(shown)).toBe(line)
  })
})

test('an outcome without a value is its type alone', () => {
  expect(describeOutcome({ type: 'ok', value: undefined })).toBe('ok')
})

test('a value stays on one line', () => {
  const value = { list: Array.from({ length: 40 }, () => 'a long enough text') }
  expect(showValueLine(value)).not.toContain('\n')
})
