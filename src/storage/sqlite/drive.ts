/**
 * The driver over SQLite. Writes asked for in one turn of the event loop share a transaction and
 * its one sync to disk; a refused one is rolled back alone; each is answered after the commit.
 */

import { SteleError } from '../../base/error.ts'
import type { Random } from '../../base/random.ts'
import type { Result } from '../../base/result.ts'
import type { Milliseconds, Scheduler } from '../../base/time.ts'
import type { Driver, WriteProtocol } from '../driver.ts'
import type { Protocol } from '../protocol.ts'
import type { Connection } from './connection.ts'
import { isBusy, toSteleError } from './dialect.ts'
import { type FileIdentity, movedError } from './file-identity.ts'
import { type GroupOptions, PendingWrite, type QueuedWrite, rollback, runGroup } from './group.ts'

/** Writes answered in one turn of the event loop. */
export const answersPerTurn = 64
/** Reads look this often whether the file is still in its place; writes always do. */
export const inPlaceInterval: Milliseconds = 20
/** A busy database is asked again for this long before the operation fails. */
export const busyRetryMax: Milliseconds = 30_000
/** First pause before a busy database is asked again; doubles, up to the longest. */
const busyPauseMin: Milliseconds = 2
const busyPauseMax: Milliseconds = 50

/** What the driver stands on. */
export interface DriveOptions extends GroupOptions {
  /** Whether the file is still there; not asked when absent. */
  readonly identity?: FileIdentity | undefined
  readonly random: Random
  readonly scheduler: Scheduler
}

/** Drives protocols over one connection. */
export function createSqliteDriver(options: DriveOptions): Driver {
  const driver = new SqliteDriver(options)
  // Methods of a driver are handed on one by one, so they must not need `this`.
  return {
    write: (protocol, onAccepted) => driver.write(protocol, onAccepted),
    read: (protocol) => driver.read(protocol),
    hasForeignChanges: () => driver.hasForeignChanges(),
    close: () => driver.close(),
  }
}

class SqliteDriver {
  readonly #options: DriveOptions
  readonly #queue: QueuedWrite[] = []
  #isScheduled = false
  /** A transaction is open, and what it runs may call us. */
  #isInGroup = false
  #closing: Promise<void> | undefined
  #onDrained: () => void = () => undefined
  #lastDataVersion: number
  /** When the file was last seen in its place. */
  #inPlaceAt = Number.NEGATIVE_INFINITY

  constructor(options: DriveOptions) {
    this.#options = options
    this.#lastDataVersion = options.connection.dataVersion()
  }

  write<Value, Refusal>(
    protocol: () => WriteProtocol<Value, Refusal>,
    onAccepted: ((value: Value) => void) | undefined,
  ): Promise<Result<Value, Refusal>> {
    return new Promise((resolve, reject) => {
      if (this.#closing !== undefined) {
        reject(closedError(this.#options))
        return
      }
      const isJoined = this.#isInGroup
      this.#queue.push(new PendingWrite({ protocol, onAccepted, isJoined }, resolve, reject))
      this.#schedule()
    })
  }

  read<Value>(protocol: () => Protocol<Value>): Promise<Value> {
    const { connection, file, scheduler } = this.#options
    return new Promise((resolve, reject) => {
      const backoff = createBackoff(this.#options)
      const attempt = (): void => {
        if (this.#closing !== undefined) {
          reject(closedError(this.#options))
          return
        }
        // It would see what is not committed.
        if (this.#isInGroup) {
          scheduler.soon(attempt)
          return
        }
        try {
          this.#requireInPlaceLately()
          resolve(readOnce(connection, protocol))
        } catch (cause) {
          if (!isBusy(cause) || !backoff.again(attempt)) reject(toSteleError(cause, file))
        }
      }
      attempt()
    })
  }

  /** Asking the file system costs more than a read, and a read does no harm to what was moved. */
  #requireInPlaceLately(): void {
    const now = this.#options.clock.now()
    if (Math.abs(now - this.#inPlaceAt) < inPlaceInterval) return
    requireInPlace(this.#options)
    this.#inPlaceAt = now
  }

  hasForeignChanges(): boolean {
    if (this.#closing !== undefined) return false
    const current = this.#options.connection.dataVersion()
    const hasChanged = current !== this.#lastDataVersion
    this.#lastDataVersion = current
    return hasChanged
  }

  close(): Promise<void> {
    this.#closing ??= new Promise<void>((resolve) => {
      this.#onDrained = () => {
        this.#options.connection.close()
        this.#options.identity?.close()
        resolve()
      }
      if (!this.#isScheduled) this.#onDrained()
    })
    return this.#closing
  }

  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    this.#options.scheduler.soon(() => {
      this.#flush(createBackoff(this.#options))
    })
  }

  /** Begins a transaction, however long that takes, and runs what has gathered. */
  #flush(backoff: Backoff): void {
    const { connection, file } = this.#options
    const again = (): void => {
      this.#flush(backoff)
    }
    try {
      requireInPlace(this.#options, 'write')
      // Left over when a rollback itself failed.
      if (connection.isInTransaction()) connection.control('ROLLBACK')
      connection.control('BEGIN IMMEDIATE')
    } catch (cause) {
      if (isBusy(cause) && backoff.again(again)) return
      failAll(this.#queue.splice(0), toSteleError(cause, file))
      this.#finish()
      return
    }
    const answers = this.#runGroup()
    if (answers.length <= answersPerTurn) this.#answer(answers)
    // A large group has taken its share of this turn.
    else this.#options.scheduler.soon(() => this.#answer(answers))
  }

  #runGroup(): readonly (() => void)[] {
    this.#isInGroup = true
    try {
      return runGroup(this.#queue, this.#options)
    } finally {
      this.#isInGroup = false
    }
  }

  /** What follows from an answer runs at once, so a large group is answered over several turns. */
  #answer(answers: readonly (() => void)[], from = 0): void {
    const end = from + answersPerTurn
    for (const answer of answers.slice(from, end)) answer()
    if (end >= answers.length) this.#finish()
    else this.#options.scheduler.soon(() => this.#answer(answers, end))
  }

  #finish(): void {
    this.#isScheduled = false
    if (this.#queue.length > 0) this.#schedule()
    else this.#onDrained()
  }
}

function requireInPlace({ file, identity }: DriveOptions, access?: 'write'): void {
  if (identity?.isInPlace(access) === false) throw movedError(file)
}

function closedError({ file }: DriveOptions): SteleError {
  return new SteleError(
    'storage_unavailable',
    `SQLite database ${JSON.stringify(file)} is closed. Use the engine before it is stopped.`,
    { fields: { file } },
  )
}

function readOnce<Value>(connection: Connection, protocol: () => Protocol<Value>): Value {
  // One statement is a snapshot of its own; whoever asks for more is run again, in a transaction.
  const single = connection.driveSingle(protocol())
  if (single !== undefined) return single.value
  connection.control('BEGIN')
  try {
    const value = connection.drive(protocol())
    connection.control('COMMIT')
    return value
  } catch (cause) {
    rollback(connection)
    throw cause
  }
}

function failAll(writes: readonly QueuedWrite[], error: SteleError): void {
  for (const write of writes) write.fail(error)
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
