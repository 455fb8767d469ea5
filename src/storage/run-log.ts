/** Transactions over what functions log while they run. Best effort: never delays work. */

import type { JsonObject } from '../base/json.ts'
import { accept } from '../base/result.ts'
import type { Instant } from '../base/time.ts'
import type { ExecutionId, RunId } from '../model/ids.ts'
import { integerOf, objectOf, textOf, textOrNone, wordOf } from './column.ts'
import type { WriteProtocol } from './driver.ts'
import { executionIdOf, runIdOf } from './id-row.ts'
import { call, type Protocol, query, type Row, statement } from './protocol.ts'

const insertLine = statement(
  'insert-log-line',
  `INSERT INTO run_logs (execution_id, run_id, created_at_ms, level, message, fields)
   VALUES ($1, $2, $3, $4, $5, $6)`,
)

const selectLines = statement(
  'select-log-lines',
  `SELECT l.line_id, l.execution_id, l.run_id, l.created_at_ms, l.level, l.message, l.fields
   FROM run_logs l
   WHERE l.execution_id = $1 AND l.line_id > $2
   ORDER BY l.line_id
   LIMIT $3`,
)

/** How loud a line is. */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error'

const logLevels: readonly LogLevel[] = ['debug', 'info', 'warn', 'error']

/** A line that a function logged. */
export interface RunLogLine {
  readonly executionId: ExecutionId
  readonly runId: RunId
  readonly createdAt: Instant
  readonly level: LogLevel
  readonly message: string
  readonly fields?: JsonObject
}

/** A line in its place; `lineId` is the cursor of a page. */
export interface StoredLogLine extends RunLogLine {
  readonly lineId: number
}

/** Appends lines. */
export function* appendRunLogs(lines: readonly RunLogLine[]): WriteProtocol<undefined, never> {
  yield lines.map((line) => {
    const fields = line.fields === undefined ? null : JSON.stringify(line.fields)
    const { executionId, runId, createdAt, level, message } = line
    return call(insertLine, executionId, runId, createdAt, level, message, fields)
  })
  return accept(undefined)
}

/** A page of lines. */
export interface RunLogPage {
  readonly executionId: ExecutionId
  /** Beyond this line, exclusive. */
  readonly after: number
  readonly limit: number
}

/** Lines of one execution, in the order in which they were kept. */
export function* listRunLogs(page: RunLogPage): Protocol<readonly StoredLogLine[]> {
  const rows = yield* query(selectLines, page.executionId, page.after, page.limit)
  return rows.map(parseLine)
}

function parseLine(row: Row): StoredLogLine {
  const fields = textOrNone(row, 'fields') === undefined ? undefined : objectOf(row, 'fields')
  return {
    lineId: integerOf(row, 'line_id'),
    executionId: executionIdOf(row),
    runId: runIdOf(row),
    createdAt: integerOf(row, 'created_at_ms'),
    level: wordOf(row, 'level', logLevels),
    message: textOf(row, 'message'),
    ...(fields === undefined ? {} : { fields }),
  }
}
