/**
 * The writing end of a log while its lock is held: one batch at a time, each at the version that
 * the one before it left. Knows nothing of why an event is written.
 */

import type { Result } from '../base/result.ts'
import type { Instant } from '../base/time.ts'
import type { ExecutionEvent, Version } from '../model/event.ts'
import type { Refusal } from '../model/refusal.ts'
import type { ExecutionState, LockedState } from '../model/state.ts'
import type { AppendRequest } from '../storage/append.ts'
import type { Storage } from '../storage/storage.ts'

/** Writes to the log of one execution. */
export interface LogWriter {
  /** The last locked state that was written through here. */
  readonly known: () => LockedState
  /** The version that was written last. */
  readonly version: () => Version
  /** Whether a write is under way, or waits for its turn. */
  readonly isWriting: () => boolean
  /** Appends after all that was asked for before. Rejects when the storage fails. */
  readonly append: (batch: LogBatch) => Promise<Result<ExecutionState, Refusal>>
}

/** Events for one log, in order, with what they bring about; all of one instant. */
export interface LogBatch {
  readonly events: readonly ExecutionEvent[]
  readonly createdAt: Instant
  readonly creations?: AppendRequest['creations']
  readonly cancellations?: AppendRequest['cancellations']
}

/** A writer that goes on from the state that a lock has left. */
export function createLogWriter(storage: Pick<Storage, 'append'>, locked: LockedState): LogWriter {
  return new TurnWriter(storage, locked)
}

class TurnWriter implements LogWriter {
  readonly #storage: Pick<Storage, 'append'>
  #known: LockedState
  #version: Version
  #writes = 0
  #last: Promise<unknown> | undefined

  constructor(storage: Pick<Storage, 'append'>, locked: LockedState) {
    this.#storage = storage
    this.#known = locked
    this.#version = locked.version
  }

  known(): LockedState {
    return this.#known
  }

  version(): Version {
    return this.#version
  }

  isWriting(): boolean {
    return this.#writes > 0
  }

  async append(batch: LogBatch): Promise<Result<ExecutionState, Refusal>> {
    this.#writes += 1
    const turn = this.#inTurn(batch)
    const end = turn.catch(() => undefined)
    this.#last = end
    try {
      return await turn
    } finally {
      this.#writes -= 1
      if (this.#last === end) this.#last = undefined
    }
  }

  async #inTurn(batch: LogBatch): Promise<Result<ExecutionState, Refusal>> {
    if (this.#last !== undefined) await this.#last
    const { events, createdAt, creations, cancellations } = batch
    const known = this.#known
    const written = await this.#storage.append({
      executionId: known.executionId,
      // Once the lock is given up this is refused, as it must be: whoever held a lock last may
      // lock again.
      version: known.version + 1,
      events: events.map((event) => ({ event, createdAt })),
      creations,
      cancellations,
      createdAt,
      known,
    })
    if (!written.ok) return written
    this.#version = written.value.version
    if (written.value.status === 'locked') this.#known = written.value
    return written
  }
}
