/** What should have come to an end and has not: nothing goes wrong any more, and nobody moves it. */

import { unreachable } from '../base/assert.ts'
import type { Instant, Milliseconds } from '../base/time.ts'
import type { ExecutionState } from '../model/state.ts'
import type { ExecutionView } from './invariant.ts'
import type { VersionsByName } from './store.ts'

/** What it is judged by. */
export interface StuckFacts {
  readonly executions: ReadonlyMap<string, ExecutionView>
  /** Functions that engines execute, each with its version. */
  readonly functions: VersionsByName
  readonly now: Instant
}

/** What is overdue by less may still be on its way. */
const patience: Milliseconds = 60_000
/** More are not named. */
const shownMax = 10

/** A sentence for each execution that is stuck, and one for the rest. */
export function findStuck({ executions, functions, now }: StuckFacts): readonly string[] {
  const stuck = [...executions].flatMap(([id, { state }]) => {
    const why = mayRun(state, functions) ? whyStuck(state, now) : undefined
    return why === undefined ? [] : [`${id} (${state.function.name}) ${why}`]
  })
  const rest = stuck.length - shownMax
  return rest > 0 ? [...stuck.slice(0, shownMax), `and ${rest} more`] : stuck
}

/** What nobody executes, or what does not fit the code that is there, waits for people. */
function mayRun(state: ExecutionState, functions: VersionsByName): boolean {
  const version = functions[state.function.name]
  if (version === undefined || state.status === 'finished') return false
  return state.incompatibleVersion !== version
}

function whyStuck(state: ExecutionState, now: Instant): string | undefined {
  if (state.status === 'finished') return undefined
  if (state.cancelling) return 'is being cancelled, and nobody ends it'
  if (state.paused) return undefined
  switch (state.status) {
    case 'pending_at':
      return state.scheduledAt + patience < now
        ? `is due since ${now - state.scheduledAt} ms, and nobody locks it`
        : undefined
    case 'locked':
      return state.lockExpiresAt + patience < now
        ? `is locked; its lock ran out ${now - state.lockExpiresAt} ms ago, and nobody frees it`
        : undefined
    case 'blocked':
      return undefined
    default:
      return unreachable(state)
  }
}

/** What tells when waiting has become pointless. */
export interface PatienceFacts {
  readonly steps: () => number
  readonly commits: () => number
  /** What is stuck now. */
  readonly find: () => readonly string[]
}

/** Steps without a commit after which somebody looks whether anything is stuck for good. */
const quietSteps = 1_000

/** Says, asked after each step, that nothing will move any more: polls could go on for years. */
export function createPatience({ steps, commits, find }: PatienceFacts): () => boolean {
  let lookAt = steps() + quietSteps
  let seen = commits()
  return () => {
    if (steps() < lookAt) return false
    lookAt = steps() + quietSteps
    if (commits() !== seen) {
      seen = commits()
      return false
    }
    return find().length > 0
  }
}
