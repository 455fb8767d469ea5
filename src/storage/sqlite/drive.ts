/**
 * The driver over SQLite. Writes asked for in one turn of the event loop share a transaction and
 * its one sync to disk; a refused one is rolled back alone; each is answered after the commit.
 */

import { SteleError } from '../../base/error.ts'
import type { Random } from '../../base/random.ts'
import type { Result } from '../../base/result.ts'
import type { Clock, Milliseconds, Scheduler } from '../../base/time.ts'
import type { Driver, WriteProtocol } from '../driver.ts'
import type { Connection } from './connection.ts'
import { isBusy, isStatementFault, toSteleError } from './dialect.ts'

/** Most writes that share a transaction. */
export const groupSizeMax = 1000
/** A group is closed after this time, so that the event loop gets its turn. */
export const groupTimeMax: Milliseconds = 8
/** A busy database is asked again for this long before the operation fails. */
export const busyRetryMax: Milliseconds = 30_000
/** First pause before a busy database is asked again; doubles, up to the longest. */
const busyPauseMin: Milliseconds = 2
const busyPauseMax: Milliseconds = 50

/** What the driver stands on. */
export interface DriveOptions {
  readonly connection: Connection
  readonly file: string
  readonly clock: Clock
  readonly random: Random
  readonly scheduler: Scheduler
}

type AnyResult = Result<unknown, unknown>

/** A write in the queue. */
interface Job {
  readonly protocol: () => WriteProtocol<unknown, unknown>
  readonly resolve: (result: AnyResult) => void
  readonly reject: (error: SteleError) => void
}

/** What came of a job inside the transaction. */
type Ran =
  | { readonly job: Job; readonly result: AnyResult }
  | { readonly job: Job; readonly fault: SteleError }

/** Drives protocols over one connection. */
export function createSqliteDriver(options: DriveOptions): Driver {
  const { connection, file, scheduler } = options
  const queue: Job[] = []
  let scheduled = false
  let closing: Promise<void> | undefined
  let lastDataVersion = connection.dataVersion()
  let drained = (): void => undefined

  const closedError = (): SteleError =>
    new SteleError(
      'storage_unavailable',
      `SQLite database ${JSON.stringify(file)} is closed. Use the engine before it is stopped.`,
      { fields: { file } },
    )

  const schedule = (): void => {
    if (scheduled) return
    scheduled = true
    scheduler.soon(flush)
  }

  const flush = (): void => {
    const backoff = createBackoff(options)
    const attempt = (): void => {
      try {
        // Left over when a rollback itself failed.
        if (connection.isInTransaction()) connection.control('ROLLBACK')
        connection.control('BEGIN IMMEDIATE')
      } catch (cause) {
        if (isBusy(cause) && backoff.again(attempt)) return
        failAll(queue.splice(0), toSteleError(cause, file))
        finish()
        return
      }
      runGroup(queue, options)
      finish()
    }
    attempt()
  }

  const finish = (): void => {
    scheduled = false
    if (queue.length > 0) schedule()
    else drained()
  }

  return {
    write: <Value, Refusal>(protocol: () => WriteProtocol<Value, Refusal>) =>
      new Promise<Result<Value, Refusal>>((resolve, reject) => {
        if (closing !== undefined) {
          reject(closedError())
          return
        }
        queue.push({ protocol, resolve: resolve as (result: AnyResult) => void, reject })
        schedule()
      }),
    read: (protocol) =>
      new Promise((resolve, reject) => {
        const backoff = createBackoff(options)
        const attempt = (): void => {
          if (closing !== undefined) {
            reject(closedError())
            return
          }
          try {
            resolve(readOnce(connection, protocol))
          } catch (cause) {
            if (!isBusy(cause) || !backoff.again(attempt)) reject(toSteleError(cause, file))
          }
        }
        attempt()
      }),
    hasForeignChanges: () => {
      if (closing !== undefined) return false
      const current = connection.dataVersion()
      const changed = current !== lastDataVersion
      lastDataVersion = current
      return changed
    },
    close: () => {
      closing ??= new Promise<void>((resolve) => {
        drained = () => {
          connection.close()
          resolve()
        }
        if (!scheduled) drained()
      })
      return closing
    },
  }
}

/** Runs as many jobs as fit into one transaction, commits, and answers each. */
function runGroup(queue: Job[], options: DriveOptions): void {
  const { connection, file, clock } = options
  const startedAt = clock.now()
  const group: Job[] = []
  const ran: Ran[] = []
  try {
    while (queue.length > 0 && group.length < groupSizeMax) {
      if (group.length > 0 && clock.now() - startedAt >= groupTimeMax) break
      const job = queue.shift()
      if (job === undefined) break
      group.push(job)
      ran.push(runJob(job, options))
    }
    connection.control('COMMIT')
  } catch (cause) {
    rollback(connection)
    failAll(group, toSteleError(cause, file))
    return
  }
  for (const entry of ran) {
    if ('fault' in entry) entry.job.reject(entry.fault)
    else entry.job.resolve(entry.result)
  }
}

/** Runs one job in a savepoint; a fault of the transaction itself is thrown. */
function runJob(job: Job, { connection, file }: DriveOptions): Ran {
  connection.control('SAVEPOINT one')
  try {
    const result = connection.drive(job.protocol())
    if (!result.ok) connection.control('ROLLBACK TO one')
    connection.control('RELEASE one')
    return { job, result }
  } catch (cause) {
    if (!isStatementFault(cause) || !connection.isInTransaction()) throw cause
    connection.control('ROLLBACK TO one')
    connection.control('RELEASE one')
    return { job, fault: toSteleError(cause, file) }
  }
}

function readOnce<Value>(connection: Connection, protocol: Parameters<Driver['read']>[0]): Value {
  connection.control('BEGIN')
  try {
    const value = connection.drive(protocol()) as Value
    connection.control('COMMIT')
    return value
  } catch (cause) {
    rollback(connection)
    throw cause
  }
}

function rollback(connection: Connection): void {
  try {
    // Some faults end the transaction by themselves.
    if (connection.isInTransaction()) connection.control('ROLLBACK')
  } catch {
    // The connection is lost; the next BEGIN will say so.
  }
}

function failAll(jobs: readonly Job[], error: SteleError): void {
  for (const job of jobs) job.reject(error)
}

interface Backoff {
  /** Calls back after a pause; false when the time for retries is used up. */
  readonly again: (attempt: () => void) => boolean
}

/** Pauses between tries on a busy database: doubling, spread by chance, bounded in sum. */
function createBackoff({ random, scheduler }: DriveOptions): Backoff {
  let pause = busyPauseMin
  let waited = 0
  return {
    again: (attempt) => {
      if (waited >= busyRetryMax) return false
      const delay = Math.ceil(pause * (0.5 + random.next() / 2))
      waited += delay
      pause = Math.min(pause * 2, busyPauseMax)
      scheduler.after(delay, attempt)
      return true
    },
  }
}
