/**
 * A database full of rows that no poll wants: finished, far in the future, of other functions and
 * versions, paused, locked, waiting. For tests of what hot statements cost among them.
 */

import type { Connection } from '../../../src/storage/sqlite/connection.ts'

/**
 * Fills the tables with so many executions, each with its log, and a tenth of them with a delay, a
 * response, a join set, a line of log. Written behind the back of the storage, in one transaction: it has no
 * meaning beyond its shape.
 */
export function fillCrowd(connection: Connection, rows: number): void {
  connection.control('BEGIN IMMEDIATE')
  connection.runScript(`CREATE TEMP TABLE crowd AS ${numbersUpTo(rows)}`)
  const logs = [created, locked, finished, lines]
  for (const fill of [executions, ...logs, delays, responses, joinSets, executors]) {
    connection.runScript(fill)
  }
  connection.runScript('DROP TABLE crowd')
  connection.control('COMMIT')
}

function numbersUpTo(rows: number): string {
  return `WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${rows})
    SELECT n, n % 20 AS kind, ${scattered} AS id FROM numbers`
}

/** Ids that are not inserted in their own order; every tenth is a child of the one before it. */
const scattered = `printf('E_%012d', n * 7919 % 1000003) || '-' || n
  || CASE n % 10 WHEN 0 THEN '.n:boxes_1' ELSE '' END`

/** Of twenty: twelve finished, and one or two of each other kind. */
const executions = `
INSERT INTO executions (
  execution_id, parent_execution_id, function_kind, function_name, function_version, version,
  created_at_ms, first_scheduled_at_ms, deployment_id, failures, status, paused, cancelling,
  scheduled_at_ms, lock_expires_at_ms, last_lock_version, executor_id, run_id, retry,
  seen_cursor, run_expires_at_ms, incompatible_version, finished_at_ms, outcome_type)
SELECT id,
  CASE WHEN n % 10 = 0 THEN substr(id, 1, length(id) - 10) END,
  CASE n % 2 WHEN 0 THEN 'activity' ELSE 'workflow' END,
  CASE WHEN kind = 13 THEN 'foreign-' || n % 50 WHEN n % 2 = 0 THEN 'charge' ELSE 'checkout' END,
  CASE WHEN kind IN (14, 15) THEN '0' ELSE '1' END,
  CASE WHEN kind < 12 THEN 2 WHEN kind IN (17, 18) THEN 1 ELSE 0 END,
  n / 3, n / 3, 'Dep_crowd', 0,
  CASE WHEN kind < 12 THEN 'finished' WHEN kind = 17 THEN 'locked' WHEN kind >= 18 THEN 'blocked'
    ELSE 'pending_at' END,
  kind = 16, kind = 19 AND n % 200 = 19,
  CASE WHEN kind = 12 THEN 1000000000000 + n WHEN kind BETWEEN 13 AND 16 THEN n / 3 END,
  CASE WHEN kind = 17 THEN 1000000000000 + n END,
  CASE WHEN kind IN (17, 18) THEN 1 END,
  CASE WHEN kind >= 17 THEN 'Exr_crowd' END,
  CASE WHEN kind >= 17 THEN 'Run_crowd' END,
  CASE WHEN kind = 17 THEN '{"maxRetries":5,"backoff":100,"maxBackoff":60000}' END,
  CASE WHEN kind >= 18 THEN 0 END,
  CASE WHEN kind >= 18 THEN 0 END,
  CASE WHEN kind = 15 THEN '1' END,
  CASE WHEN kind < 12 THEN n / 3 + 5 END,
  CASE WHEN kind < 9 THEN 'ok' WHEN kind < 12 THEN 'err' END
FROM crowd`

const created = `
INSERT INTO events (execution_id, version, created_at_ms, type, body)
SELECT id, 0, n / 3, 'created', '{"function":{"kind":"activity","name":"charge","version":"1"}}'
FROM crowd`

const locked = `
INSERT INTO events (execution_id, version, created_at_ms, type, body)
SELECT id, 1, n / 3, 'locked', '{"runId":"Run_crowd"}' FROM crowd WHERE kind < 12 OR kind = 17`

const finished = `
INSERT INTO events (execution_id, version, created_at_ms, type, body)
SELECT id, 2, n / 3 + 5, 'finished', '{"outcome":{"type":"ok"}}' FROM crowd WHERE kind < 12`

const delays = `
INSERT INTO delays (delay_id, execution_id, due_at_ms, paused)
SELECT 'Delay_' || id || '.n:timers_1', id, 1000000000000 + n, n % 4 = 0 FROM crowd
WHERE kind >= 18`

/** Several in one set: where statistics say so, SQLite would rather begin with the sets. */
const responses = `
INSERT INTO responses (execution_id, created_at_ms, join_set_id, ordinal, after_version, type)
SELECT id, n / 3, 'm:go', ordinal, 0, 'message'
FROM crowd
CROSS JOIN (SELECT 1 AS ordinal UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4)
WHERE kind IN (3, 18)`

const joinSets = `
INSERT INTO join_sets (execution_id, join_set_id, asks, responses)
SELECT id, 'm:go', 4, 4 FROM crowd WHERE kind IN (3, 18)`

const lines = `
INSERT INTO run_logs (execution_id, run_id, created_at_ms, level, message)
SELECT id, 'Run_crowd', n / 3, 'info', 'hello' FROM crowd WHERE kind IN (4, 17)`

const executors = `
INSERT INTO executors (
  executor_id, deployment_id, kind, functions, host, pid, started_at_ms, last_beat_at_ms)
SELECT 'Exr_' || n, 'Dep_crowd', 'activities', '[]', 'host', n, n, n FROM crowd WHERE kind = 5`
