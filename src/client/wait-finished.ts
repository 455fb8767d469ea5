/** Waiting for the end of an execution: by notice, by look at foreign commits, and by a slow poll. */

import { SteleError } from '../base/error.ts'
import type { Cancel, Milliseconds, Scheduler } from '../base/time.ts'
import type { ExecutionId } from '../model/ids.ts'
import type { FinishedState } from '../model/state.ts'
import type { Storage } from '../storage/storage.ts'
import { notFoundError } from './refusal-error.ts'

/** How often a waiter looks by itself, in case every notice was lost. */
export const resultPollInterval: Milliseconds = 1_000

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
  /** Calls back when the engine stops; then nobody waits any more. */
  readonly onStop: (listener: () => void) => Cancel
}

/**
 * The state in which an execution ends. Rejects with `execution_not_found`, `result_timeout`
 * (never when it has finished already), `engine_stopped`, or what the storage throws.
 */
export function waitFinished(
  environment: WaitEnvironment,
  { executionId, timeout }: WaitRequest,
): Promise<FinishedState> {
  const { storage, scheduler } = environment
  return new Promise((resolve, reject) => {
    const cancels = new Set<Cancel>()
    let settled = false
    let poll: Cancel | undefined
    const end = (conclude: () => void): void => {
      if (settled) return
      settled = true
      poll?.()
      for (const cancel of cancels) cancel()
      conclude()
    }
    const look = async (): Promise<void> => {
      try {
        const state = await storage.findState(executionId)
        if (state === undefined) {
          end(() => {
            reject(notFoundError(executionId))
          })
        } else if (state.status === 'finished') {
          end(() => {
            resolve(state)
          })
        }
      } catch (cause) {
        end(() => {
          reject(cause)
        })
      }
    }
    const pollAgain = (): void => {
      poll = scheduler.after(resultPollInterval, () => {
        void look()
        if (!settled) pollAgain()
      })
    }
    cancels.add(
      storage.notifications.onExecution(executionId, (state) => {
        if (state === undefined) void look()
        else if (state.status === 'finished') {
          end(() => {
            resolve(state)
          })
        }
      }),
    )
    cancels.add(
      environment.onStop(() => {
        end(() => {
          reject(stoppedError(executionId))
        })
      }),
    )
    void look().then(() => {
      if (settled) return
      pollAgain()
      if (timeout === undefined) return
      cancels.add(
        scheduler.after(timeout, () => {
          end(() => {
            reject(timeoutError(executionId, timeout))
          })
        }),
      )
    })
  })
}

function timeoutError(executionId: string, timeout: Milliseconds): SteleError {
  return new SteleError(
    'result_timeout',
    `${executionId} has not finished within ${timeout} ms. It goes on; wait again, or ask \`explain\`.`,
    { fields: { executionId, timeout } },
  )
}

function stoppedError(executionId: string): SteleError {
  return new SteleError(
    'engine_stopped',
    `The engine stopped while waiting for ${executionId}. The execution is kept; ask the next engine.`,
    { fields: { executionId } },
  )
}
