/** Transactions over what a viewer needs when nobody runs: functions, executors, their beats. */

import { accept } from '../base/result.ts'
import type { Instant } from '../base/time.ts'
import { type FunctionId, functionKinds } from '../model/function-id.ts'
import type { DeploymentId, ExecutorId } from '../model/ids.ts'
import { integerOf, integerOrNone, jsonOf, textOf, textOrNone, wordOf } from './column.ts'
import type { WriteProtocol } from './driver.ts'
import { deploymentIdOf, executorIdOf } from './id-row.ts'
import { call, type Protocol, query, type Row, statement } from './protocol.ts'

const upsertFunction = statement(
  'upsert-function',
  `INSERT INTO functions (kind, name, version, definition, first_seen_at_ms, last_seen_at_ms)
   VALUES ($1, $2, $3, $4, $5, $5)
   ON CONFLICT (kind, name, version) DO UPDATE
   SET definition = excluded.definition, last_seen_at_ms = excluded.last_seen_at_ms`,
)

const upsertExecutor = statement(
  'upsert-executor',
  `INSERT INTO executors (executor_id, deployment_id, kind, functions, host, pid,
     started_at_ms, last_beat_at_ms, stopped_at_ms)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
   ON CONFLICT (executor_id) DO UPDATE
   SET last_beat_at_ms = excluded.last_beat_at_ms, stopped_at_ms = excluded.stopped_at_ms`,
)

const selectFunctions = statement(
  'select-functions',
  `SELECT f.kind, f.name, f.version, f.definition, f.first_seen_at_ms, f.last_seen_at_ms
   FROM functions f
   ORDER BY f.kind, f.name, f.version`,
)

const selectExecutors = statement(
  'select-executors',
  `SELECT x.executor_id, x.deployment_id, x.kind, x.functions, x.host, x.pid,
     x.started_at_ms, x.last_beat_at_ms, x.stopped_at_ms
   FROM executors x
   ORDER BY x.last_beat_at_ms DESC, x.executor_id
   LIMIT $1`,
)

/** A function that some engine has registered. */
export interface RegisteredFunction {
  readonly function: FunctionId
  /** The machine's config as JSON text; absent for code. */
  readonly definition?: string
  readonly firstSeenAt: Instant
  readonly lastSeenAt: Instant
}

/** An executor as others see it. */
export interface RegisteredExecutor {
  readonly executorId: ExecutorId
  readonly deploymentId: DeploymentId
  /** What it executes: `activities`, or `workflows` (and machines). */
  readonly kind: string
  /** Names of the functions it polls for. */
  readonly functions: readonly string[]
  readonly host: string
  readonly pid: number
  readonly startedAt: Instant
  readonly lastBeatAt: Instant
  readonly stoppedAt?: Instant
}

/** Records which functions an engine knows. */
export function* registerFunctions(
  functions: readonly RegisteredFunction[],
): WriteProtocol<undefined, never> {
  yield functions.map(({ function: { kind, name, version }, definition, lastSeenAt }) =>
    call(upsertFunction, kind, name, version, definition ?? null, lastSeenAt),
  )
  return accept(undefined)
}

/** Records that an executor lives, or has stopped. */
export function* beatExecutor(executor: RegisteredExecutor): WriteProtocol<undefined, never> {
  yield* query(
    upsertExecutor,
    executor.executorId,
    executor.deploymentId,
    executor.kind,
    JSON.stringify(executor.functions),
    executor.host,
    executor.pid,
    executor.startedAt,
    executor.lastBeatAt,
    executor.stoppedAt ?? null,
  )
  return accept(undefined)
}

/** Every function any engine has registered here. */
export function* listFunctions(): Protocol<readonly RegisteredFunction[]> {
  const rows = yield* query(selectFunctions)
  return rows.map(parseFunction)
}

/** Executors, the most recently heard of first. */
export function* listExecutors(limit: number): Protocol<readonly RegisteredExecutor[]> {
  const rows = yield* query(selectExecutors, limit)
  return rows.map(parseExecutor)
}

function parseFunction(row: Row): RegisteredFunction {
  const definition = textOrNone(row, 'definition')
  return {
    function: {
      kind: wordOf(row, 'kind', functionKinds),
      name: textOf(row, 'name'),
      version: textOf(row, 'version'),
    },
    ...(definition === undefined ? {} : { definition }),
    firstSeenAt: integerOf(row, 'first_seen_at_ms'),
    lastSeenAt: integerOf(row, 'last_seen_at_ms'),
  }
}

function parseExecutor(row: Row): RegisteredExecutor {
  const stoppedAt = integerOrNone(row, 'stopped_at_ms')
  const functions = jsonOf(row, 'functions')
  return {
    executorId: executorIdOf(row),
    deploymentId: deploymentIdOf(row),
    kind: textOf(row, 'kind'),
    functions: Array.isArray(functions) ? functions.map(String) : [],
    host: textOf(row, 'host'),
    pid: integerOf(row, 'pid'),
    startedAt: integerOf(row, 'started_at_ms'),
    lastBeatAt: integerOf(row, 'last_beat_at_ms'),
    ...(stoppedAt === undefined ? {} : { stoppedAt }),
  }
}
