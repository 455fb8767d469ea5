/**
 * A group of writes in one transaction, each in a savepoint of its own: what one of them meets is
 * no reason to fail the others.
 */

import type { SteleError } from '../../base/error.ts'
import { guard } from '../../base/logger.ts'
import type { Result } from '../../base/result.ts'
import type { Clock, Milliseconds } from '../../base/time.ts'
import type { WriteProtocol } from '../driver.ts'
import type { Connection } from './connection.ts'
import { isCorruption, isStatementFault, toSteleError } from './dialect.ts'

/** Most writes that share a transaction. */
export const groupSizeMax = 1000
/** A group is closed after this time, so that the event loop gets its turn. */
export const groupTimeMax: Milliseconds = 6

/** What a group stands on. */
export interface GroupOptions {
  readonly connection: Connection
  readonly file: string
  readonly clock: Clock
}

/** A write in the queue. */
export interface QueuedWrite {
  /** Runs it inside the transaction, and says whether to keep what it wrote. */
  readonly run: (connection: Connection) => boolean
  /** Tells who asked that it was kept, before the commit: what that brings about may join it. */
  readonly accept: () => void
  /** It was brought about by another write of the transaction, which has to outlive it. */
  readonly isJoined: boolean
  /** Answers with what it came to, once that is committed. */
  readonly answer: () => void
  readonly fail: (error: SteleError) => void
}

/** What was asked for. */
export interface AskedWrite<Value, Refusal> {
  readonly protocol: () => WriteProtocol<Value, Refusal>
  readonly onAccepted: ((value: Value) => void) | undefined
  readonly isJoined: boolean
}

/** A protocol that waits for its group, and whoever waits for it. */
export class PendingWrite<Value, Refusal> implements QueuedWrite {
  readonly #asked: AskedWrite<Value, Refusal>
  readonly #resolve: (result: Result<Value, Refusal>) => void
  readonly #reject: (error: SteleError) => void
  #result: Result<Value, Refusal> | undefined
  #isTold = false

  constructor(
    asked: AskedWrite<Value, Refusal>,
    resolve: (result: Result<Value, Refusal>) => void,
    reject: (error: SteleError) => void,
  ) {
    this.#asked = asked
    this.#resolve = resolve
    this.#reject = reject
  }

  run(connection: Connection): boolean {
    this.#result = connection.drive(this.#asked.protocol())
    return this.#result.ok
  }

  get isJoined(): boolean {
    return this.#asked.isJoined
  }

  /** Once: what it has brought about when it ran before may be why it has to run again. */
  accept(): void {
    const result = this.#result
    const { onAccepted } = this.#asked
    if (this.#isTold || result?.ok !== true || onAccepted === undefined) return
    this.#isTold = true
    guard(() => {
      onAccepted(result.value)
    })
  }

  answer(): void {
    if (this.#result !== undefined) this.#resolve(this.#result)
  }

  fail(error: SteleError): void {
    this.#reject(error)
  }
}

/**
 * Runs as many writes as fit into the transaction that is open, also those that they bring about,
 * and commits. Gives an answer for each.
 */
export function runGroup(queue: QueuedWrite[], options: GroupOptions): readonly (() => void)[] {
  const { connection, file, clock } = options
  const startedAt = clock.now()
  const group: QueuedWrite[] = []
  const faults: (SteleError | undefined)[] = []
  try {
    while (queue.length > 0 && group.length < groupSizeMax) {
      if (group.length > 0 && clock.now() - startedAt >= groupTimeMax) break
      const write = queue.shift()
      if (write === undefined) break
      group.push(write)
      faults.push(runWrite(write, options))
    }
    connection.control('COMMIT')
  } catch (cause) {
    rollback(connection)
    const culprit = faults.length < group.length ? culpritOf(group, cause) : undefined
    if (culprit === undefined) return failing(group, toSteleError(cause, file))
    // What only one of them met is no reason to fail the others: they are run again.
    queue.unshift(...group)
    // That it was alone is only known of a page; what the others will meet, nobody knows.
    const known = isCorruption(cause) ? ({ isolated: true } as const) : {}
    return failing([culprit], toSteleError(cause, file, known))
  }
  return group.map((write, index) => () => {
    const fault = faults[index]
    if (fault === undefined) write.answer()
    else write.fail(fault)
  })
}

/**
 * The write that was running, when the fault is likely its own: a page that it cannot read. Or when
 * it has only joined the others, which would not know of the fault without it.
 */
function culpritOf(group: QueuedWrite[], cause: unknown): QueuedWrite | undefined {
  return isCorruption(cause) || group.at(-1)?.isJoined === true ? group.pop() : undefined
}

function failing(group: readonly QueuedWrite[], fault: SteleError): readonly (() => void)[] {
  return group.map((write) => () => {
    write.fail(fault)
  })
}

/** Runs one write in a savepoint, and gives its own fault; one of the transaction is thrown. */
function runWrite(write: QueuedWrite, { connection, file }: GroupOptions): SteleError | undefined {
  connection.control('SAVEPOINT one')
  try {
    if (!write.run(connection)) connection.control('ROLLBACK TO one')
    connection.control('RELEASE one')
    write.accept()
    return undefined
  } catch (cause) {
    if (!isStatementFault(cause) || !connection.isInTransaction()) throw cause
    connection.control('ROLLBACK TO one')
    connection.control('RELEASE one')
    return toSteleError(cause, file)
  }
}

/** Ends a transaction, however far it came. */
export function rollback(connection: Connection): void {
  try {
    // Some faults end the transaction by themselves.
    if (connection.isInTransaction()) connection.control('ROLLBACK')
  } catch {
    // The connection is lost; the next BEGIN will say so.
  }
}
