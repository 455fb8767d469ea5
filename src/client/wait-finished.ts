/** Waiting for the end of an execution: by notice, or by what the lookout sees of others. */

import { SteleError } from '../base/error.ts'
import type { Cancel, Milliseconds, Scheduler } from '../base/time.ts'
import type { ExecutionId } from '../model/ids.ts'
import type { ExecutionState, FinishedState } from '../model/state.ts'
import type { Storage } from '../storage/storage.ts'
import type { Lookout } from './lookout.ts'
import { notFoundError } from './refusal-error.ts'

/** A wait for one execution. */
export interface WaitRequest {
  readonly executionId: ExecutionId
  /** Give up after this long; `undefined` waits for ever. */
  readonly timeout: Milliseconds | undefined
}

/** What waiting stands on. */
export interface WaitEnvironment {
  readonly storage: Pick<Storage, 'findState' | 'notifications'>
  readonly scheduler: Scheduler
  readonly lookout: Lookout
  /** Calls back when the engine stops; then nobody waits any more. */
  readonly onStop: (listener: () => void) => Cancel
}

/**
 * The state in which an execution ends. Rejects with `execution_not_found`, `result_timeout`
 * (never when it has finished already), `engine_stopped`, or what the storage throws.
 */
export function waitFinished(
  environment: WaitEnvironment,
  request: WaitRequest,
): Promise<FinishedState> {
  return new Promise((resolve, reject) => {
    new Wait(environment, request, { resolve, reject }).begin()
  })
}

/** How a wait is concluded. */
interface Conclusion {
  readonly resolve: (state: FinishedState) => void
  readonly reject: (cause: unknown) => void
}

/** One wait: all that may end it, until the first of them does. */
class Wait {
  readonly #environment: WaitEnvironment
  readonly #request: WaitRequest
  readonly #conclusion: Conclusion
  readonly #cancels = new Set<Cancel>()
  #isOver = false

  constructor(environment: WaitEnvironment, request: WaitRequest, conclusion: Conclusion) {
    this.#environment = environment
    this.#request = request
    this.#conclusion = conclusion
  }

  begin(): void {
    const { storage, lookout, onStop } = this.#environment
    const { executionId } = this.#request
    const onNotice = (state: ExecutionState | undefined): void => {
      // What others have committed is looked up for all who wait at once.
      if (state !== undefined) this.#judge(state)
    }
    const onSeen = (state: ExecutionState | undefined): void => {
      if (state === undefined) void this.#look()
      else this.#judge(state)
    }
    this.#cancels.add(storage.notifications.onExecution(executionId, onNotice))
    this.#cancels.add(lookout.watch(executionId, onSeen))
    this.#cancels.add(
      onStop(() => {
        this.#fail(stoppedError(executionId))
      }),
    )
    void this.#lookAndWait()
  }

  /** The time runs from the first look on, so what has finished already is never late. */
  async #lookAndWait(): Promise<void> {
    await this.#look()
    if (this.#isOver) return
    const { executionId, timeout } = this.#request
    if (timeout === undefined) return
    const onTimeout = (): void => {
      this.#fail(timeoutError(executionId, timeout))
    }
    this.#cancels.add(this.#environment.scheduler.after(timeout, onTimeout))
  }

  async #look(): Promise<void> {
    const { executionId } = this.#request
    try {
      const state = await this.#environment.storage.findState(executionId)
      if (state === undefined) this.#fail(notFoundError(executionId))
      else this.#judge(state)
    } catch (cause) {
      this.#fail(cause)
    }
  }

  #judge(state: ExecutionState): void {
    if (state.status !== 'finished' || this.#isOver) return
    this.#stop()
    this.#conclusion.resolve(state)
  }

  #fail(cause: unknown): void {
    if (this.#isOver) return
    this.#stop()
    this.#conclusion.reject(cause)
  }

  #stop(): void {
    this.#isOver = true
    for (const cancel of this.#cancels) cancel()
  }
}

function timeoutError(executionId: string, timeout: Milliseconds): SteleError {
  return new SteleError(
    'result_timeout',
    `${executionId} has not finished within ${timeout} ms. ` +
      'It goes on; wait again, or ask `explain`.',
    { fields: { executionId, timeout } },
  )
}

function stoppedError(executionId: string): SteleError {
  return new SteleError(
    'engine_stopped',
    `The engine stopped while waiting for ${executionId}. ` +
      'The execution is kept; ask the next engine.',
    { fields: { executionId } },
  )
}
