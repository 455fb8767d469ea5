/** The row of table `executions` ↔ the state of an execution. */

import type { Json } from '../base/json.ts'
import { functionKinds } from '../model/function-id.ts'
import { type ExecutionId, findParent } from '../model/ids.ts'
import { failureKinds } from '../model/outcome.ts'
import type { RetryPolicy } from '../model/retry.ts'
import type {
  ExecutionState,
  FinishedState,
  LockOwner,
  StateBase,
  UnfinishedBase,
  UnfinishedState,
} from '../model/state.ts'
import { corruptColumn, flagOf, integerOf, jsonOf, textOf, textOrNone, wordOf } from './column.ts'
import { deploymentIdOf, executionIdOf, executorIdOf, runIdOf } from './id-row.ts'
import {
  type Call,
  call,
  type Protocol,
  query,
  type Row,
  type SqlValue,
  type Statement,
  statement,
} from './protocol.ts'

/** The columns of a pending state, for SELECT lists over `executions` under the name `e`. */
export const pendingColumns = `e.execution_id, e.function_kind, e.function_name,
  e.function_version, e.version, e.created_at_ms, e.first_scheduled_at_ms, e.deployment_id,
  e.failures, e.status, e.paused, e.cancelling, e.scheduled_at_ms, e.executor_id, e.run_id,
  e.incompatible_version`

/** The columns of any state, for the same. */
export const stateColumns = `${pendingColumns}, e.lock_expires_at_ms, e.last_lock_version,
  e.retry, e.seen_cursor, e.run_expires_at_ms, e.finished_at_ms, e.outcome_type,
  e.failure_kind, e.set_aside_reason`

const selectState = statement(
  'select-state',
  `SELECT ${stateColumns}
   FROM executions e
   WHERE e.execution_id = $1`,
)

/** The same, holding the row until the end of the transaction where a database needs telling. */
const selectStateForUpdate = statement(
  'select-state-for-update',
  `SELECT ${stateColumns}
   FROM executions e
   WHERE e.execution_id = $1`,
)

const insertState = statement(
  'insert-state',
  `INSERT INTO executions (
     execution_id, parent_execution_id, function_kind, function_name, function_version,
     version, created_at_ms, first_scheduled_at_ms, deployment_id, failures, status,
     paused, cancelling, scheduled_at_ms)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, 0, 'pending_at', $10, 0, $8)
   ON CONFLICT (execution_id) DO NOTHING
   RETURNING version`,
)

/** Columns that a transition may change, in the order of `stateValues`. */
const changingColumns = [
  'version',
  'function_version',
  'deployment_id',
  'failures',
  'status',
  'paused',
  'cancelling',
  'scheduled_at_ms',
  'lock_expires_at_ms',
  'last_lock_version',
  'executor_id',
  'run_id',
  'retry',
  'seen_cursor',
  'run_expires_at_ms',
  'incompatible_version',
  'finished_at_ms',
  'outcome_type',
  'failure_kind',
]

/** Statements by the set of columns that they write; transitions know a few dozen such sets. */
type UpdatesByColumns = Map<number, Statement>
const swaps: UpdatesByColumns = new Map()
const replacements: UpdatesByColumns = new Map()

/** The state of an execution, or `undefined`. */
export function* findState(id: ExecutionId): Protocol<ExecutionState | undefined> {
  const [row] = yield* query(selectState, id)
  return row === undefined ? undefined : parseState(row)
}

/** The state of an execution that is about to be changed. */
export function* findStateForUpdate(id: ExecutionId): Protocol<ExecutionState | undefined> {
  const [row] = yield* query(selectStateForUpdate, id)
  return row === undefined ? undefined : parseState(row)
}

/** Inserts a new execution; no row comes back when the id is taken. */
export function insertStateCall(state: ExecutionState): Call {
  return call(
    insertState,
    state.executionId,
    state.parent?.executionId ?? null,
    state.function.kind,
    state.function.name,
    state.function.version,
    state.version,
    state.createdAt,
    state.firstScheduledAt,
    state.deploymentId,
    state.status !== 'finished' && state.paused ? 1 : 0,
  )
}

/**
 * Swaps a state; no row comes back when somebody else was first: compare and swap. Writes only the
 * columns that change, so that indexes over the others stay as they are: an event within a lock
 * writes its version, and fewer pages.
 */
export function updateStateCall(before: ExecutionState, after: ExecutionState): Call {
  const { columns, values } = changesOf(before, after)
  const update = swaps.get(columns) ?? remember(swaps, columns, '\n   RETURNING version')
  return { statement: update, values }
}

/**
 * Replaces a state that this transaction has read, and holds: nobody can have been faster, and
 * without RETURNING the statement costs 2 µs less.
 */
export function replaceStateCall(before: ExecutionState, after: ExecutionState): Call {
  const { columns, values } = changesOf(before, after)
  return { statement: replacements.get(columns) ?? remember(replacements, columns, ''), values }
}

/** What a statement has to write: a bit for each of `changingColumns`, and its values. */
interface StateChange {
  readonly columns: number
  readonly values: readonly SqlValue[]
}

function changesOf(before: ExecutionState, after: ExecutionState): StateChange {
  const present = stateValues(before)
  const values: SqlValue[] = []
  let columns = 0
  for (const [index, value] of stateValues(after).entries()) {
    // The version always, also when a response leaves it as it is: a SET has to name something.
    if (index > 0 && value === present[index]) continue
    columns |= 1 << index
    values.push(value)
  }
  values.push(after.executionId, before.version)
  return { columns, values }
}

function remember(updates: UpdatesByColumns, columns: number, returning: string): Statement {
  const names = changingColumns.filter((_, index) => (columns & (1 << index)) !== 0)
  const assignments = names.map((name, index) => `${name} = $${index + 1}`)
  const verb = updates === swaps ? 'update' : 'replace'
  const update = statement(
    `${verb}-state-${columns.toString(16)}`,
    `UPDATE executions
   SET ${assignments.join(', ')}
   WHERE execution_id = $${names.length + 1} AND version = $${names.length + 2}${returning}`,
  )
  updates.set(columns, update)
  return update
}

function stateValues(state: ExecutionState): readonly SqlValue[] {
  const values: SqlValue[] = [
    state.version,
    state.function.version,
    state.deploymentId,
    state.failures,
    state.status,
  ]
  if (state.status === 'finished') pushFinished(values, state)
  else pushOpen(values, state)
  return values
}

function pushOpen(values: SqlValue[], state: UnfinishedState): void {
  const { status, lastOwner } = state
  values.push(Number(state.paused), Number(state.cancelling))
  values.push(status === 'pending_at' ? state.scheduledAt : null)
  if (status === 'locked') values.push(state.lockExpiresAt, state.lastLockVersion)
  else values.push(null, null)
  values.push(lastOwner?.executorId ?? null, lastOwner?.runId ?? null)
  values.push(status === 'locked' ? retryText(state.retry) : null)
  if (status === 'blocked') values.push(state.seenCursor, state.runExpiresAt)
  else values.push(null, null)
  values.push(state.incompatibleVersion ?? null, null, null, null)
}

/** The policy of a function is written for each of its locks. */
const retryTexts = new WeakMap<RetryPolicy, string>()

function retryText(retry: RetryPolicy): string {
  const known = retryTexts.get(retry)
  if (known !== undefined) return known
  const text = JSON.stringify(retry)
  retryTexts.set(retry, text)
  return text
}

function pushFinished(values: SqlValue[], state: FinishedState): void {
  values.push(0, 0, null, null, null, null, null, null, null, null, null)
  values.push(state.finishedAt, state.outcomeType, state.failureKind ?? null)
}

/** The state that a row says. Throws `storage_corrupt` for a row that no state can have. */
export function parseState(row: Row): ExecutionState {
  const base = parseBase(row)
  const status = textOf(row, 'status')
  switch (status) {
    case 'pending_at':
      return { status, scheduledAt: integerOf(row, 'scheduled_at_ms'), ...parseOpen(row), ...base }
    case 'locked':
      if (flagOf(row, 'paused')) throw corruptColumn(row, 'paused', '0, as it does while locked')
      return {
        status,
        lockExpiresAt: integerOf(row, 'lock_expires_at_ms'),
        lastLockVersion: integerOf(row, 'last_lock_version'),
        retry: parseRetry(row),
        ...parseOpen(row),
        ...base,
        lastOwner: parseOwner(row),
      }
    case 'blocked':
      return {
        status,
        seenCursor: integerOf(row, 'seen_cursor'),
        runExpiresAt: integerOf(row, 'run_expires_at_ms'),
        ...parseOpen(row),
        ...base,
      }
    case 'finished':
      return { status, ...parseFinished(row), ...base }
    default:
      throw corruptColumn(row, 'status', 'the name of a state')
  }
}

function parseBase(row: Row): StateBase {
  const executionId = executionIdOf(row)
  const from = executionId.includes('.') ? findParent(executionId) : undefined
  if (from === undefined && executionId.includes('.')) {
    throw corruptColumn(row, 'execution_id', 'an execution id')
  }
  const parent =
    from === undefined ? undefined : { executionId: from.parentId, joinSetId: from.joinSetId }
  return {
    executionId,
    function: {
      kind: wordOf(row, 'function_kind', functionKinds),
      name: textOf(row, 'function_name'),
      version: textOf(row, 'function_version'),
    },
    parent,
    version: integerOf(row, 'version'),
    createdAt: integerOf(row, 'created_at_ms'),
    firstScheduledAt: integerOf(row, 'first_scheduled_at_ms'),
    deploymentId: deploymentIdOf(row),
    failures: integerOf(row, 'failures'),
  }
}

function parseOpen(row: Row): Omit<UnfinishedBase, keyof StateBase> {
  const incompatibleVersion = textOrNone(row, 'incompatible_version')
  const isOwned = textOrNone(row, 'run_id') ?? textOrNone(row, 'executor_id')
  const lastOwner = isOwned === undefined ? undefined : parseOwner(row)
  return {
    paused: flagOf(row, 'paused'),
    cancelling: flagOf(row, 'cancelling'),
    lastOwner,
    incompatibleVersion,
  }
}

function parseOwner(row: Row): LockOwner {
  return { executorId: executorIdOf(row), runId: runIdOf(row) }
}

function parseRetry(row: Row): RetryPolicy {
  const retry: Json = jsonOf(row, 'retry')
  if (typeof retry === 'object' && retry !== null && 'backoff' in retry) {
    return retry as unknown as RetryPolicy
  }
  throw corruptColumn(row, 'retry', 'a retry policy')
}

const outcomeTypes = ['ok', 'err', 'execution_failure'] as const

function parseFinished(row: Row): Omit<FinishedState, keyof StateBase | 'status'> {
  const finishedAt = integerOf(row, 'finished_at_ms')
  const outcomeType = wordOf(row, 'outcome_type', outcomeTypes)
  if (outcomeType === 'execution_failure') {
    return { finishedAt, outcomeType, failureKind: wordOf(row, 'failure_kind', failureKinds) }
  }
  if (textOrNone(row, 'failure_kind') === undefined) return { finishedAt, outcomeType }
  throw corruptColumn(row, 'failure_kind', 'nothing, as it does without a failure')
}
