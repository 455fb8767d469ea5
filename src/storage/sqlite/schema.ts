/**
 * The schema, as numbered migrations that only go forward. Released ones are frozen: a test
 * holds their checksums. Instants are integer milliseconds, flags 0 or 1, JSON is text.
 */

import { hashText } from '../../base/hash.ts'

/** One step from one version of the schema to the next. */
export interface Migration {
  /** The version of the schema after this step; also SQLite's `user_version`. */
  readonly version: number
  readonly name: string
  readonly sql: string
}

/** Marks a file as ours in SQLite's header: the letters STEL. */
export const applicationId = 0x5354454c

/**
 * That a column holds one of these words. Not `IN`, which builds a small index for every row that
 * is written: 7 µs an execution, measured. Put the frequent words first.
 */
function oneOf(column: string, words: readonly string[]): string {
  const arms = words.map((word) => `WHEN '${word}' THEN 1`).join(' ')
  return `CASE ${column} ${arms} ELSE ${column} IS NULL END`
}

// Words of version 1, spelled out: a word that is added to the code later needs a migration.
const functionKinds = ['activity', 'workflow', 'machine']
const outcomeTypes = ['ok', 'err', 'execution_failure']
const responseTypes = ['child_finished', 'delay_finished', 'message']
const eventTypes = [
  'created',
  'locked',
  'finished',
  'unlocked',
  'temporarily_failed',
  'temporarily_timed_out',
  'paused',
  'unpaused',
  'cancel_requested',
  'upgrade_finished',
  'join_set_create',
  'join_set_request',
  'join_next',
  'join_next_try',
  'join_next_too_many',
  'join_next_withdraw',
  'wait',
  'step_finished',
  'step_failed',
  'schedule',
  'stub',
  'patched',
  'macrostep',
]

const initial = `
CREATE TABLE executions (
  execution_id TEXT PRIMARY KEY,
  parent_execution_id TEXT,
  function_kind TEXT NOT NULL CHECK (${oneOf('function_kind', functionKinds)}),
  function_name TEXT NOT NULL,
  function_version TEXT NOT NULL,
  version INTEGER NOT NULL,
  created_at_ms INTEGER NOT NULL,
  first_scheduled_at_ms INTEGER NOT NULL,
  deployment_id TEXT NOT NULL,
  failures INTEGER NOT NULL,
  status TEXT NOT NULL,
  paused INTEGER NOT NULL CHECK (paused IN (0, 1)),
  cancelling INTEGER NOT NULL CHECK (cancelling IN (0, 1)),
  scheduled_at_ms INTEGER,
  lock_expires_at_ms INTEGER,
  last_lock_version INTEGER,
  executor_id TEXT,
  run_id TEXT,
  retry TEXT,
  seen_cursor INTEGER,
  run_expires_at_ms INTEGER,
  incompatible_version TEXT,
  finished_at_ms INTEGER,
  outcome_type TEXT CHECK (${oneOf('outcome_type', outcomeTypes)}),
  failure_kind TEXT,
  set_aside_reason TEXT,
  CHECK ((executor_id IS NULL) = (run_id IS NULL)),
  CHECK (CASE status
    WHEN 'pending_at' THEN scheduled_at_ms IS NOT NULL AND lock_expires_at_ms IS NULL
      AND run_expires_at_ms IS NULL AND finished_at_ms IS NULL
    WHEN 'locked' THEN lock_expires_at_ms IS NOT NULL AND last_lock_version IS NOT NULL
      AND retry IS NOT NULL AND run_id IS NOT NULL AND paused = 0
      AND scheduled_at_ms IS NULL AND run_expires_at_ms IS NULL AND finished_at_ms IS NULL
    WHEN 'blocked' THEN seen_cursor IS NOT NULL AND run_expires_at_ms IS NOT NULL
      AND scheduled_at_ms IS NULL AND lock_expires_at_ms IS NULL AND finished_at_ms IS NULL
    WHEN 'finished' THEN finished_at_ms IS NOT NULL AND outcome_type IS NOT NULL
      AND scheduled_at_ms IS NULL AND lock_expires_at_ms IS NULL AND run_expires_at_ms IS NULL
      AND run_id IS NULL AND paused = 0 AND cancelling = 0
    ELSE 0 END)
) STRICT, WITHOUT ROWID;

-- serves: due-by-name, due-by-version, due-auto, next-due
CREATE INDEX executions_due
  ON executions (function_kind, function_name, scheduled_at_ms)
  WHERE status = 'pending_at' AND paused = 0 AND cancelling = 0 AND set_aside_reason IS NULL;

-- serves: expired-locks, next-lock-expiry
CREATE INDEX executions_locked
  ON executions (lock_expires_at_ms)
  WHERE status = 'locked' AND cancelling = 0 AND set_aside_reason IS NULL;

-- serves: cancelling
CREATE INDEX executions_cancelling
  ON executions (execution_id)
  WHERE cancelling = 1 AND status <> 'finished' AND set_aside_reason IS NULL;

-- serves: list-executions
CREATE INDEX executions_by_creation ON executions (created_at_ms, execution_id);

-- serves: the children of one execution
CREATE INDEX executions_by_parent
  ON executions (parent_execution_id)
  WHERE parent_execution_id IS NOT NULL;

-- serves: open-children
CREATE INDEX executions_open_children
  ON executions (parent_execution_id, cancelling, execution_id)
  WHERE parent_execution_id IS NOT NULL AND status <> 'finished';

CREATE TABLE events (
  execution_id TEXT NOT NULL,
  version INTEGER NOT NULL CHECK (version >= 0),
  created_at_ms INTEGER NOT NULL,
  type TEXT NOT NULL CHECK (${oneOf('type', eventTypes)}),
  body TEXT NOT NULL,
  PRIMARY KEY (execution_id, version)
) STRICT, WITHOUT ROWID;

-- The log is append-only. Whole executions may be pruned: the state row first, then its log.
CREATE TRIGGER events_are_never_changed BEFORE UPDATE ON events
BEGIN
  SELECT RAISE(ABORT, 'the event log is append-only');
END;

CREATE TRIGGER events_are_never_removed BEFORE DELETE ON events
WHEN EXISTS (SELECT 1 FROM executions e WHERE e.execution_id = OLD.execution_id)
BEGIN
  SELECT RAISE(ABORT, 'the event log is append-only; delete the execution first');
END;

CREATE TABLE responses (
  cursor INTEGER PRIMARY KEY AUTOINCREMENT,
  execution_id TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL,
  join_set_id TEXT NOT NULL,
  ordinal INTEGER NOT NULL CHECK (ordinal > 0),
  after_version INTEGER NOT NULL,
  type TEXT NOT NULL CHECK (${oneOf('type', responseTypes)}),
  child_execution_id TEXT UNIQUE,
  finished_version INTEGER,
  delay_id TEXT UNIQUE,
  delay_result TEXT CHECK (delay_result IN ('ok', 'cancelled')),
  message_id TEXT,
  payload TEXT,
  CHECK ((type = 'child_finished') = (child_execution_id IS NOT NULL)),
  CHECK ((type = 'child_finished') = (finished_version IS NOT NULL)),
  CHECK ((type = 'delay_finished') = (delay_id IS NOT NULL)),
  CHECK ((type = 'delay_finished') = (delay_result IS NOT NULL)),
  CHECK (type = 'message' OR (message_id IS NULL AND payload IS NULL))
) STRICT;

-- serves: select-responses, first-answer
CREATE INDEX responses_by_execution ON responses (execution_id, cursor);

-- a message id arrives once in each channel
CREATE UNIQUE INDEX responses_message
  ON responses (execution_id, join_set_id, message_id)
  WHERE message_id IS NOT NULL;

CREATE TABLE join_sets (
  execution_id TEXT NOT NULL,
  join_set_id TEXT NOT NULL,
  asks INTEGER NOT NULL CHECK (asks >= 0),
  responses INTEGER NOT NULL CHECK (responses >= 0),
  PRIMARY KEY (execution_id, join_set_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE delays (
  delay_id TEXT PRIMARY KEY,
  execution_id TEXT NOT NULL,
  due_at_ms INTEGER NOT NULL,
  paused INTEGER NOT NULL CHECK (paused IN (0, 1))
) STRICT, WITHOUT ROWID;

-- serves: due-delays, next-delay
CREATE INDEX delays_due ON delays (due_at_ms, delay_id) WHERE paused = 0;

-- serves: select-delays
CREATE INDEX delays_by_execution ON delays (execution_id, due_at_ms);

CREATE TABLE functions (
  kind TEXT NOT NULL CHECK (${oneOf('kind', functionKinds)}),
  name TEXT NOT NULL,
  version TEXT NOT NULL,
  definition TEXT,
  first_seen_at_ms INTEGER NOT NULL,
  last_seen_at_ms INTEGER NOT NULL,
  PRIMARY KEY (kind, name, version)
) STRICT, WITHOUT ROWID;

CREATE TABLE executors (
  executor_id TEXT PRIMARY KEY,
  deployment_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  functions TEXT NOT NULL,
  host TEXT NOT NULL,
  pid INTEGER NOT NULL,
  started_at_ms INTEGER NOT NULL,
  last_beat_at_ms INTEGER NOT NULL,
  stopped_at_ms INTEGER
) STRICT, WITHOUT ROWID;

-- serves: select-executors
CREATE INDEX executors_by_beat ON executors (last_beat_at_ms);

CREATE TABLE run_logs (
  line_id INTEGER PRIMARY KEY AUTOINCREMENT,
  execution_id TEXT NOT NULL,
  run_id TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL,
  level TEXT NOT NULL CHECK (level IN ('debug', 'info', 'warn', 'error')),
  message TEXT NOT NULL,
  fields TEXT
) STRICT;

-- serves: select-log-lines
CREATE INDEX run_logs_by_execution ON run_logs (execution_id, line_id);
`

const closePolicies = ['cancel', 'await', 'abandon']

/** What becomes of children when their parent is cancelled; NULL: they are cancelled too. */
const onClose = `
ALTER TABLE join_sets ADD COLUMN on_close TEXT CHECK (${oneOf('on_close', closePolicies)});
`

const sources = `
CREATE TABLE sources (
  hash TEXT PRIMARY KEY,
  file TEXT NOT NULL,
  text TEXT NOT NULL,
  first_seen_at_ms INTEGER NOT NULL
) STRICT;
`

/** Every migration there is, in order. */
export const migrations: readonly Migration[] = [
  { version: 1, name: 'initial', sql: initial },
  { version: 2, name: 'on_close', sql: onClose },
  { version: 3, name: 'sources', sql: sources },
]

/** The version of the schema that this code works with. */
export const schemaVersion = migrations.length

/** A text that changes when the migration does. */
export function checksumOf(migration: Migration): string {
  const halves = [hashText(migration.sql, 0), hashText(migration.sql, 1)]
  return halves.map((half) => half.toString(16).padStart(8, '0')).join('')
}
