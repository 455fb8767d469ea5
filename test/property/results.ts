/** Arbitraries over every result a worker can give, with values that have caused trouble elsewhere. */

import * as fc from 'fast-check'
import type { Json } from '../../src/base/json.ts'
import type { FatalError, WorkerResult } from '../../src/engine/worker.ts'
import type { HttpTrace } from '../../src/model/event.ts'
import type { StoredError } from '../../src/model/outcome.ts'
import type { RetryPolicy } from '../../src/model/retry.ts'
import type { LockedState } from '../../src/model/state.ts'
import { executionId } from '../support/storage/ids.ts'
import { boxes, deployment, locked } from '../unit/model/builders.ts'

const texts = fc.oneof(
  fc.string(),
  fc.constantFrom('', '\u0000', '\ud83d\ude00', '\\u0000', '"', '\u2028', 'é'.normalize('NFD')),
)

/** Json of every shape, as `JSON.parse` gives it. */
const values: fc.Arbitrary<Json> = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.parse(JSON.stringify(value)) as Json),
  fc.constantFrom<Json>('', 0, null, false, [], {}, '__proto__', [[[[[[[[]]]]]]]], {
    constructor: 1,
  }),
)

const traces: fc.Arbitrary<HttpTrace> = fc.record(
  {
    method: fc.constantFrom('GET', 'POST'),
    origin: fc.constant('https://example.org'),
    path: texts,
    queryKeys: fc.array(texts, { maxLength: 2 }),
    status: fc.integer({ min: 100, max: 599 }),
    error: texts,
    startedAt: fc.nat(),
    finishedAt: fc.nat(),
  },
  { requiredKeys: ['method', 'origin', 'path', 'queryKeys', 'startedAt'] },
)
const traced = { httpTraces: fc.array(traces, { maxLength: 2 }) }
const error: fc.Arbitrary<StoredError> = fc.record(
  { name: texts, message: texts, code: fc.oneof(texts, fc.integer()), stack: texts },
  { requiredKeys: ['name', 'message'] },
)

const outcomes = fc
  .constantFrom('ok', 'err')
  .chain((type) =>
    fc.record({ type: fc.constant(type), value: values }, { requiredKeys: ['type'] }),
  ) as fc.Arbitrary<Extract<WorkerResult, { type: 'run_finished' }>['outcome']>

const fatals: fc.Arbitrary<FatalError> = fc.oneof(
  fc.record({ type: fc.constant('nondeterminism_detected'), detail: texts }),
  fc.record(
    {
      type: fc.constantFrom('input_unreadable', 'result_not_storable'),
      reason: texts,
      detail: texts,
    },
    { requiredKeys: ['type', 'reason'] },
  ),
  fc.record({ type: fc.constant('constraint_violation'), reason: texts }),
  fc.record(
    { type: fc.constant('workflow_trap'), reason: texts, detail: texts, error },
    { requiredKeys: ['type', 'reason'] },
  ),
)

/** One arbitrary a variant: a new variant does not compile until it has one. */
export const resultsByType: {
  readonly [Type in WorkerResult['type']]: fc.Arbitrary<Extract<WorkerResult, { type: Type }>>
} = {
  run_finished: fc.record(
    {
      type: fc.constant('run_finished'),
      outcome: outcomes,
      permanent: fc.boolean(),
      ...traced,
    },
    { requiredKeys: ['type', 'outcome'] },
  ),
  already_written: fc.constant({ type: 'already_written' }),
  executor_closing: fc.constant({ type: 'executor_closing' }),
  temporary_timeout: fc.record(
    { type: fc.constant('temporary_timeout'), ...traced },
    { requiredKeys: ['type'] },
  ),
  activity_trap: fc.record(
    {
      type: fc.constant('activity_trap'),
      reason: texts,
      detail: texts,
      error,
      permanent: fc.boolean(),
      ...traced,
    },
    { requiredKeys: ['type', 'reason'] },
  ),
  limit_reached: fc.record({ type: fc.constant('limit_reached'), reason: texts }),
  needs_attention: fc.record({ type: fc.constant('needs_attention'), reason: texts }),
  upgrade_failed: fc.record({
    type: fc.constant('upgrade_failed'),
    functionVersion: fc.constantFrom('1', '2.0.0'),
    deploymentId: fc.constant(deployment),
    reason: texts,
  }),
  fatal_error: fc.record({ type: fc.constant('fatal_error'), fatal: fatals }),
}

/** Every result, each variant as likely as the others. */
export const results: fc.Arbitrary<WorkerResult> = fc.oneof(...Object.values(resultsByType))

const hour = 3_600_000

/** Every policy that an option may give, edges included. */
const policies: fc.Arbitrary<RetryPolicy> = fc.record(
  {
    maxRetries: fc.oneof(fc.nat(6), fc.constant(null)),
    backoff: fc.oneof(fc.integer({ min: 0, max: hour }), fc.constant(Number.MAX_SAFE_INTEGER)),
    maxBackoff: fc.integer({ min: 1, max: 48 * hour }),
    jitter: fc.double({ min: 0, max: 1, noNaN: true }),
  },
  { requiredKeys: ['maxRetries', 'backoff'] },
)

/** Near the epoch, near 2^31 and 2^32, today, and far away. */
export const instants: fc.Arbitrary<number> = fc.oneof(
  fc.nat(1000),
  fc.integer({ min: 2 ** 31 - 10, max: 2 ** 31 + 10 }),
  fc.integer({ min: 2 ** 32 - 10, max: 2 ** 32 + 10 }),
  fc.integer({ min: 1_700_000_000_000, max: 4_102_444_800_000 }),
)

const kinds = fc.constantFrom('activity', 'workflow', 'machine')

/** A lock, of any policy and count, with or without a parent. */
export const lockedStates: fc.Arbitrary<LockedState> = fc
  .record({
    retry: policies,
    failures: fc.oneof(fc.nat(7), fc.nat(100)),
    version: fc.integer({ min: 1, max: 50 }),
    appended: fc.nat(3),
    kind: kinds,
    isChild: fc.boolean(),
  })
  .map(({ retry, failures, version, appended, kind, isChild }) =>
    locked({
      retry,
      failures,
      version,
      function: { kind, name: 'flow', version: '1' },
      lastLockVersion: Math.max(1, version - appended),
      ...(isChild ? { parent: { executionId: executionId('p'), joinSetId: boxes } } : {}),
    }),
  )
