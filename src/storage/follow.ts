/** Reading transactions for whoever follows all logs at once: what is open, and how far each is. */

import type { Instant } from '../base/time.ts'
import type { Version } from '../model/event.ts'
import type { ExecutionId } from '../model/ids.ts'
import { integerOf } from './column.ts'
import { executionIdOf } from './id-row.ts'
import { call, type Protocol, query, type Row, statement } from './protocol.ts'

const selectOpenVersions = statement(
  'select-open-versions',
  `SELECT e.execution_id, e.version, e.created_at_ms
   FROM executions e
   WHERE e.status <> 'finished'
   ORDER BY e.execution_id
   LIMIT $1`,
)

const selectVersion = statement(
  'select-version',
  `SELECT e.execution_id, e.version, e.created_at_ms
   FROM executions e
   WHERE e.execution_id = $1`,
)

const selectCreatedVersions = statement(
  'select-created-versions',
  `SELECT e.execution_id, e.version, e.created_at_ms
   FROM executions e
   WHERE (e.created_at_ms, e.execution_id) > ($1, $2)
   ORDER BY e.created_at_ms, e.execution_id
   LIMIT $3`,
)

/** How far the log of an execution has come. */
export interface LogPlace {
  readonly executionId: ExecutionId
  /** Version of its last event. */
  readonly version: Version
  readonly createdAt: Instant
}

/** Every execution that has not finished, up to a number. Reads the whole table. */
export function* listOpenLogs(limit: number): Protocol<readonly LogPlace[]> {
  return (yield* query(selectOpenVersions, limit)).map(parsePlace)
}

/** A page of executions in the order of their creation. */
export interface CreatedPage {
  /** Beyond this instant; of those of the instant itself, beyond this id. */
  readonly createdAt: Instant
  readonly executionId: string
  readonly limit: number
}

/** Executions created after a place, oldest first. */
export function* listCreatedLogs(page: CreatedPage): Protocol<readonly LogPlace[]> {
  const { createdAt, executionId, limit } = page
  return (yield* query(selectCreatedVersions, createdAt, executionId, limit)).map(parsePlace)
}

/** The same for executions that are known by their ids; those that are gone are left out. */
export function* findLogs(ids: readonly ExecutionId[]): Protocol<readonly LogPlace[]> {
  if (ids.length === 0) return []
  const answers = yield ids.map((id) => call(selectVersion, id))
  return answers.flatMap((rows) => rows.map(parsePlace))
}

function parsePlace(row: Row): LogPlace {
  return {
    executionId: executionIdOf(row),
    version: integerOf(row, 'version'),
    createdAt: integerOf(row, 'created_at_ms'),
  }
}
