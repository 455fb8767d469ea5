/** Reading answers of the storage in tests: the value or the refusal that the test expects. */

import { expect } from 'vitest'
import type { Result } from '../../../src/base/result.ts'

import type { ExecutionState, UnfinishedState } from '../../../src/model/state.ts'

type Awaitable<Value> = Value | PromiseLike<Value>

/** The value of an accepted answer; the test fails with the refusal otherwise. */
export async function accepted<Value>(answer: Awaitable<Result<Value, unknown>>): Promise<Value> {
  const result = await answer
  if (result.ok) return result.value
  return expect.unreachable(`Expected an acceptance, got ${JSON.stringify(result.error)}`)
}

/** The refusal of a refused answer; the test fails with the value otherwise. */
export async function refused<Refusal>(
  answer: Awaitable<Result<unknown, Refusal>>,
): Promise<Refusal> {
  const result = await answer
  if (!result.ok) return result.error
  return expect.unreachable(`Expected a refusal, got ${JSON.stringify(result.value)}`)
}

/** A value that must be there. */
export function present<Value>(value: Value | undefined, what: string): Value {
  return value ?? expect.unreachable(`${what} is missing`)
}

/** A state that must be there and must not have ended. */
export function unfinished(state: ExecutionState | undefined): UnfinishedState {
  if (state !== undefined && state.status !== 'finished') return state
  return expect.unreachable(`Expected an unfinished state, got ${JSON.stringify(state)}`)
}

/** What a promise rejects with, listened for from now on; `undefined` when it resolves. */
export async function rejectionOf(promise: PromiseLike<unknown>): Promise<unknown> {
  try {
    await promise
    return undefined
  } catch (cause) {
    return cause
  }
}
