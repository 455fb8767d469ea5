/**
 * The store of a simulation: one SQLite database, in memory or in a file, that every process
 * reaches through a connection of its own. Tells who committed what, in which order.
 */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Clock, Instant } from '../base/time.ts'
import { query, statement } from '../storage/protocol.ts'
import { type Connection, openConnection } from '../storage/sqlite/connection.ts'
import { prepareConnection } from '../storage/sqlite/open.ts'
import { findExpired } from '../storage/timers.ts'
import type { OpenDelay } from './invariant.ts'

/**
 * Where the database lives: in memory, where all processes share one connection, or in a file that
 * each opens for itself. The file is a temporary one, and removed at the end.
 */
export type StoreKind = 'memory' | 'file'

/** Rows that a commit has changed, by execution. */
export interface Changes {
  /** Executions with a new event, response, state or delay. */
  readonly executions: readonly string[]
  /** False for a sign of life, log lines and the like: nothing that anybody waits for. */
  readonly matters: boolean
}

/** The functions that engines execute now, each with its version. */
export type VersionsByName = Readonly<Record<string, string>>

/** The database of a simulation. */
export interface Store {
  /** A connection for one life. */
  readonly connect: () => Connection
  /** For looking at everything, between steps. */
  readonly observer: () => Connection
  /** What has changed since it was last asked, on a connection that has just committed. */
  readonly takeChanges: (connection: Connection) => Changes
  /**
   * When the next thing is due: an execution of one of these functions that fits their version, the
   * end of a lock, a delay, a cancellation.
   */
  readonly nextDueAt: (functions: VersionsByName) => Instant | undefined
  /** Ids of all executions. */
  readonly listExecutions: () => readonly string[]
  /** Delays that are still to end. */
  readonly listDelays: () => readonly OpenDelay[]
  /** Makes the state row of an execution unreadable. */
  readonly spoil: (executionId: string) => void
  /** The database as it is now. */
  readonly image: () => Uint8Array
  /** Whether `restore` does anything: in memory only. */
  readonly isRestorable: boolean
  /** Puts an earlier image in place of the database. */
  readonly restore: (image: Uint8Array) => void
  /** Runs `attempt` while another holds the lock for writing; throws when there is no file. */
  readonly underLock: (attempt: () => void) => void
  /** Lets go of what a life has opened. */
  readonly disconnect: (connection: Connection) => void
  readonly close: () => void
}

const epoch: Clock = { now: () => 0 }

/** What is written where, for whoever watches: in a table of the connection's own. */
const watch = `
CREATE TEMP TABLE simulated_changes (execution_id TEXT);
CREATE TEMP TRIGGER watch_events AFTER INSERT ON main.events
BEGIN INSERT INTO simulated_changes VALUES (NEW.execution_id); END;
CREATE TEMP TRIGGER watch_responses AFTER INSERT ON main.responses
BEGIN INSERT INTO simulated_changes VALUES (NEW.execution_id); END;
CREATE TEMP TRIGGER watch_executions AFTER UPDATE ON main.executions
BEGIN INSERT INTO simulated_changes VALUES (NEW.execution_id); END;
CREATE TEMP TRIGGER watch_delays AFTER UPDATE ON main.delays
BEGIN INSERT INTO simulated_changes VALUES (NEW.execution_id); END;
`

const selectChanges = statement(
  'simulated-changes',
  'SELECT c.execution_id FROM simulated_changes c ORDER BY c.execution_id',
)
const deleteChanges = statement('simulated-changes-taken', 'DELETE FROM simulated_changes')

const selectIds = statement(
  'simulated-executions',
  'SELECT e.execution_id FROM executions e ORDER BY e.execution_id',
)

const selectDelays = statement(
  'simulated-delays',
  'SELECT d.delay_id, d.execution_id FROM delays d ORDER BY d.delay_id',
)

/** Satisfies every CHECK, and is more than a JavaScript number can hold. */
const spoilState = statement(
  'simulated-spoil',
  'UPDATE executions SET failures = 9223372036854775807 WHERE execution_id = $1',
)

const selectNextDue = statement(
  'simulated-next-due',
  `SELECT min(due) AS due FROM (
     SELECT min(e.scheduled_at_ms) AS due FROM executions e, json_each($1) j
     WHERE j.key = e.function_name
       AND (e.incompatible_version IS NULL OR e.incompatible_version <> j.value)
       AND e.status = 'pending_at' AND e.paused = 0 AND e.cancelling = 0
       AND e.set_aside_reason IS NULL
     UNION ALL
     SELECT min(e.lock_expires_at_ms) FROM executions e
     WHERE e.status = 'locked' AND e.cancelling = 0 AND e.set_aside_reason IS NULL
     UNION ALL
     SELECT min(d.due_at_ms) FROM delays d WHERE d.paused = 0
   ) ORDER BY 1`,
)

/** Empties a database that has prepared statements: they cost more than a small world. */
const wipe = `
BEGIN;
DELETE FROM executions;
DELETE FROM events;
DELETE FROM responses;
DELETE FROM join_sets;
DELETE FROM delays;
DELETE FROM functions;
DELETE FROM executors;
DELETE FROM run_logs;
DELETE FROM sources;
DELETE FROM sqlite_sequence;
DELETE FROM simulated_changes;
COMMIT;
`

/** Empty databases of earlier worlds. */
const spare: Connection[] = []
/** More are not kept. */
const spareMax = 2

/** An error as better-sqlite3 throws it. */
export class SimulatedSqliteError extends Error {
  /** SQLite's name for it. */
  readonly code: string

  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

const busyError = (): Error => new SimulatedSqliteError('SQLITE_BUSY', 'database is locked')

/** Opens an empty store. */
export function openStore(kind: StoreKind): Store {
  return kind === 'memory' ? openMemoryStore() : openFileStore()
}

function openMemoryStore(): Store {
  let shared = spare.pop() ?? openEmpty()
  const { observer, ...common } = createCommon(() => shared)
  return {
    ...common,
    observer,
    connect: () => redirect(observer),
    isRestorable: true,
    restore: (image) => {
      shared.close()
      shared = openImage(image)
    },
    underLock: () => {
      throw busyError()
    },
    disconnect: () => undefined,
    close: () => {
      if (spare.length >= spareMax || shared.isInTransaction()) {
        shared.close()
        return
      }
      shared.runScript(wipe)
      spare.push(shared)
    },
  }
}

function openFileStore(): Store {
  const directory = mkdtempSync(join(tmpdir(), 'stele-simulation-'))
  const file = join(directory, 'simulated.db')
  const open = (): Connection => prepareConnection(openConnection(file, 0), { file }, epoch)
  const own = open()
  const others = new Set<Connection>()
  const disconnect = (connection: Connection): void => {
    if (others.delete(connection)) connection.close()
  }
  return {
    ...createCommon(() => own),
    connect: () => {
      const connection = open()
      connection.runScript(watch)
      others.add(connection)
      return connection
    },
    isRestorable: false,
    restore: () => undefined,
    underLock: (attempt) => {
      own.control('BEGIN IMMEDIATE')
      try {
        attempt()
      } finally {
        own.control('ROLLBACK')
      }
    },
    disconnect,
    close: () => {
      for (const connection of others) disconnect(connection)
      own.close()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

/** Whether a cancellation can go on, and does not only wait for children to end. */
function hasCancellation(connection: Connection): boolean {
  const nothingElse = { locksExpiredBy: 0, delaysDueBy: 0, limit: 10 }
  return connection.drive(findExpired(nothingElse)).cancelling.length > 0
}

function createCommon(
  observer: () => Connection,
): Pick<
  Store,
  'observer' | 'takeChanges' | 'nextDueAt' | 'listExecutions' | 'listDelays' | 'spoil' | 'image'
> {
  return {
    observer,
    takeChanges: (connection) => {
      const rows = connection.drive(query(selectChanges))
      if (rows.length === 0) return { executions: [], matters: false }
      connection.drive(query(deleteChanges))
      const executions = new Set(rows.map((row) => String(row['execution_id'])))
      return { executions: [...executions], matters: true }
    },
    nextDueAt: (functions) => {
      const [row] = observer().drive(query(selectNextDue, JSON.stringify(functions)))
      const due = row?.['due']
      if (hasCancellation(observer())) return 0
      return typeof due === 'number' ? due : undefined
    },
    listExecutions: () => {
      const rows = observer().drive(query(selectIds))
      return rows.map((row) => String(row['execution_id']))
    },
    listDelays: () =>
      observer()
        .drive(query(selectDelays))
        .map((row) => ({
          delayId: String(row['delay_id']),
          executionId: String(row['execution_id']),
        })),
    spoil: (executionId) => {
      observer().drive(query(spoilState, executionId))
    },
    image: () => observer().serialize(),
  }
}

/** Always the connection that is in use now; others may have put another image in its place. */
function redirect(current: () => Connection): Connection {
  return {
    drive: (protocol) => current().drive(protocol),
    driveSingle: (protocol) => current().driveSingle(protocol),
    control: (text) => {
      current().control(text)
    },
    isInTransaction: () => current().isInTransaction(),
    runScript: (sql) => {
      current().runScript(sql)
    },
    readPragma: (pragma) => current().readPragma(pragma),
    dataVersion: () => current().dataVersion(),
    serialize: () => current().serialize(),
    close: () => undefined,
  }
}

function openEmpty(): Connection {
  const file = ':memory:'
  const connection = prepareConnection(openConnection(file, 0), { file }, epoch)
  connection.runScript(watch)
  return connection
}

function openImage(image: Uint8Array): Connection {
  const connection = openConnection(image, 0)
  connection.runScript(watch)
  return connection
}
