/**
 * The writing end of a log while its lock is held: one event at a time, each at the version that
 * the one before it left. Knows nothing of why an event is written.
 */

import type { Result } from '../base/result.ts'
import type { Instant } from '../base/time.ts'
import type { ExecutionEvent } from '../model/event.ts'
import type { Refusal } from '../model/refusal.ts'
import type { ExecutionState, LockedState } from '../model/state.ts'
import type { Storage } from '../storage/storage.ts'

/** Writes to the log of one execution. */
export interface LogWriter {
  /** The last locked state that was written through here. */
  readonly known: () => LockedState
  /** Whether a write is under way, or waits for its turn. */
  readonly isWriting: () => boolean
  /** Appends an event after all that was asked for before. Rejects when the storage fails. */
  readonly append: (
    event: ExecutionEvent,
    createdAt: Instant,
  ) => Promise<Result<ExecutionState, Refusal>>
}

/** A writer that goes on from the state that a lock has left. */
export function createLogWriter(storage: Pick<Storage, 'append'>, locked: LockedState): LogWriter {
  return new TurnWriter(storage, locked)
}

class TurnWriter implements LogWriter {
  readonly #storage: Pick<Storage, 'append'>
  #known: LockedState
  #writes = 0
  #last: Promise<unknown> | undefined

  constructor(storage: Pick<Storage, 'append'>, locked: LockedState) {
    this.#storage = storage
    this.#known = locked
  }

  known(): LockedState {
    return this.#known
  }

  isWriting(): boolean {
    return this.#writes > 0
  }

  async append(
    event: ExecutionEvent,
    createdAt: Instant,
  ): Promise<Result<ExecutionState, Refusal>> {
    this.#writes += 1
    const turn = this.#inTurn(event, createdAt)
    const end = turn.catch(() => undefined)
    this.#last = end
    try {
      return await turn
    } finally {
      this.#writes -= 1
      if (this.#last === end) this.#last = undefined
    }
  }

  async #inTurn(
    event: ExecutionEvent,
    createdAt: Instant,
  ): Promise<Result<ExecutionState, Refusal>> {
    if (this.#last !== undefined) await this.#last
    const known = this.#known
    const written = await this.#storage.append({
      executionId: known.executionId,
      version: known.version + 1,
      events: [{ event, createdAt }],
      known,
    })
    if (written.ok && written.value.status === 'locked') this.#known = written.value
    return written
  }
}
