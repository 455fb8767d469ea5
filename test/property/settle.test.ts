/** What holds for every result of every run, however odd. */

import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { factsOf, settle, settleExpired } from '../../src/engine/settle.ts'
import type { WorkerResult } from '../../src/engine/worker.ts'
import { decideEvent } from '../../src/model/decide.ts'
import type { ExecutionEvent } from '../../src/model/event.ts'
import { parentResponse } from '../../src/model/parent-response.ts'
import { backoffLimit } from '../../src/model/retry.ts'
import type { ExecutionState, LockedState } from '../../src/model/state.ts'
import { locked } from '../unit/model/builders.ts'
import { instants, lockedStates, results, resultsByType } from './results.ts'

const seed = 20_260_401
const numRuns = 400

function holds<Values extends [unknown, ...unknown[]]>(
  arbitraries: { [Index in keyof Values]: fc.Arbitrary<Values[Index]> },
  check: (...values: Values) => void,
): void {
  fc.assert(fc.property(...arbitraries, check), { seed, numRuns })
}

/** The state after the events of a run, each at its own version; refusals are mistakes. */
function stateAfter(
  before: LockedState,
  events: readonly ExecutionEvent[],
  at: number,
): ExecutionState {
  let state: ExecutionState = before
  for (const event of events) {
    const decision = decideEvent(state, { event, createdAt: at, version: state.version + 1 })
    if (!decision.ok) throw new TypeError(`refused: ${JSON.stringify(decision.error)}`)
    state = decision.value
  }
  return state
}

/** The event that decides what becomes of the execution: all others only explain it. */
function verdictOf(events: readonly ExecutionEvent[]): ExecutionEvent | undefined {
  return events.find(({ type }) => type !== 'upgrade_finished' && type !== 'paused')
}

/** When the event makes the execution due again; nothing when it ends. */
function dueOf(event: ExecutionEvent): number | undefined {
  if (event.type === 'temporarily_failed' || event.type === 'temporarily_timed_out') {
    return event.backoffExpiresAt
  }
  return event.type === 'unlocked' ? event.dueAt : undefined
}

/** Whether the result is a wish for another try, if the budget allows one. */
function isRetriable(result: WorkerResult, { function: { kind } }: LockedState): boolean {
  if (result.type === 'temporary_timeout') return true
  if (result.type === 'activity_trap') return result.permanent !== true
  if (result.type !== 'run_finished') return false
  return result.outcome.type === 'err' && kind === 'activity' && result.permanent !== true
}

function isOk(result: WorkerResult): boolean {
  return result.type === 'run_finished' && result.outcome.type === 'ok'
}

function isCounted(event: ExecutionEvent): boolean {
  return event.type === 'temporarily_failed' || event.type === 'temporarily_timed_out'
}

function hasBudget({ failures, retry: { maxRetries } }: LockedState): boolean {
  return maxRetries === null || failures < maxRetries
}

/** Results that say nothing against another run: there is nothing to wait for. */
const dueAtOnce = new Set<WorkerResult['type']>([
  'executor_closing',
  'needs_attention',
  'upgrade_failed',
])

const failing = fc.oneof(resultsByType.temporary_timeout, resultsByType.activity_trap)

describe(`settle (seed ${seed})`, () => {
  it('total: every result but already_written gives events, and none throws', () => {
    holds([results, lockedStates, instants], (result, state, at) => {
      const events = settle(result, factsOf(state, at))
      expect(events.length === 0).toBe(result.type === 'already_written')
      expect(verdictOf(events) === undefined).toBe(result.type === 'already_written')
    })
  })

  it('given up: no result leaves the lock, and only a person’s matter is paused', () => {
    holds([results, lockedStates, instants], (result, state, at) => {
      fc.pre(result.type !== 'already_written')
      const next = stateAfter(state, settle(result, factsOf(state, at)), at)
      expect(['pending_at', 'finished']).toContain(next.status)
      const isPaused = next.status !== 'finished' && next.paused
      expect(isPaused).toBe(result.type === 'needs_attention')
    })
  })

  it('terminalTwins: whoever finishes tells its parent, if it has one; nobody else does', () => {
    holds([results, lockedStates, instants], (result, state, at) => {
      const events = settle(result, factsOf(state, at))
      const told = parentResponse(stateAfter(state, events, at))
      const isEnd = events.at(-1)?.type === 'finished'
      expect(told !== undefined).toBe(isEnd && state.parent !== undefined)
    })
  })

  it('versionEcho: events take the next versions, and the parent is told the last one', () => {
    holds([results, lockedStates, instants], (result, state, at) => {
      const events = settle(result, factsOf(state, at))
      const next = stateAfter(state, events, at)
      expect(next.version).toBe(state.version + events.length)
      const told = parentResponse(next)?.response.finishedVersion
      expect([undefined, next.version]).toContain(told)
    })
  })

  it('neverRetryTerminal: ok, permanent and fatal results are never repeated', () => {
    holds([results, lockedStates, instants], (result, state, at) => {
      const event = verdictOf(settle(result, factsOf(state, at)))
      const isRepeated = event !== undefined && isCounted(event)
      expect(isRepeated && !isRetriable(result, state)).toBe(false)
      expect(event?.type === 'finished' && event.outcome.type === 'ok').toBe(isOk(result))
    })
  })

  it('budget: no failure is counted beyond it, and none within it ends the execution', () => {
    holds([results, lockedStates, instants], (result, state, at) => {
      const event = verdictOf(settle(result, factsOf(state, at)))
      if (event === undefined || !isRetriable(result, state)) return
      expect(isCounted(event)).toBe(hasBudget(state))
      expect(event.type === 'finished').toBe(!hasBudget(state))
    })
  })

  it('futureBackoff: with a backoff the next attempt is strictly later, and not beyond the cap', () => {
    holds([results, lockedStates, instants], (result, state, at) => {
      const event = verdictOf(settle(result, factsOf(state, at)))
      const due = event === undefined ? undefined : dueOf(event)
      if (due === undefined) return
      const { backoff, maxBackoff = backoffLimit } = state.retry
      const wait = due - at
      expect(Number.isSafeInteger(due)).toBe(true)
      expect(wait).toBeLessThanOrEqual(Math.min(maxBackoff, backoffLimit))
      expect(wait > 0).toBe(backoff > 0 && !dueAtOnce.has(result.type))
      expect(wait).toBeGreaterThanOrEqual(0)
    })
  })

  it('backoffDoubles: each wait is twice the last one, until the cap', () => {
    holds([failing, lockedStates, fc.nat(30)], (given, state, failures) => {
      const { jitter: _jitter, ...steady } = state.retry
      const result = given.type === 'activity_trap' ? { ...given, permanent: false } : given
      const waitAfter = (count: number): number | undefined => {
        const retry = { ...steady, maxRetries: null }
        const event = verdictOf(settle(result, factsOf({ ...state, retry, failures: count }, 0)))
        return event === undefined ? undefined : dueOf(event)
      }
      const cap = Math.min(steady.maxBackoff ?? backoffLimit, backoffLimit)
      expect(waitAfter(0)).toBe(Math.min(steady.backoff, cap))
      expect(waitAfter(failures + 1)).toBe(Math.min(2 * (waitAfter(failures) ?? 0), cap))
    })
  })

  it('translation: a later end shifts the next attempt, and nothing else', () => {
    const twoInstants = fc.tuple(instants, instants)
    holds([results, lockedStates, twoInstants], (result, state, [at, other]) => {
      const shifted = (now: number): unknown => {
        return settle(result, factsOf(state, now)).map((event) => {
          const due = dueOf(event)
          if (due === undefined) return event
          return { ...event, backoffExpiresAt: undefined, dueAt: undefined, wait: due - now }
        })
      }
      expect(shifted(at)).toEqual(shifted(other))
    })
  })

  it('json: the events survive storage as they are', () => {
    holds([results, lockedStates, instants], (result, state, at) => {
      const events = settle(result, factsOf(state, at))
      expect(JSON.parse(JSON.stringify(events))).toEqual(events)
      for (const event of events) expect(Object.values(event)).not.toContain(undefined)
    })
  })

  it('eventuallyTerminates: failing again and again ends after maxRetries + 1 runs at most', () => {
    holds([failing, lockedStates, instants], (result, first, at) => {
      fc.pre(first.retry.maxRetries !== null)
      const runs = (first.retry.maxRetries ?? 0) + 1
      let state: ExecutionState = { ...first, failures: 0 }
      for (let run = 1; run <= runs && state.status === 'locked'; run += 1) {
        const next = nextAfter(result, state, at)
        const { version, failures } = next
        state =
          next.status === 'finished' ? next : locked({ retry: first.retry, version, failures })
      }
      expect(state.status).toBe('finished')
    })
  })
})

/** The state after a failing run. */
function nextAfter(result: WorkerResult, state: LockedState, at: number): ExecutionState {
  const events = settle(result, factsOf(state, at))
  if (events.length === 0) throw new TypeError('a failure is always written')
  return stateAfter(state, events, at)
}

describe(`settleExpired (seed ${seed})`, () => {
  it('watcher: frees a lock as its worker would have timed out, unless it made progress', () => {
    holds([lockedStates, instants], (state, at) => {
      const madeProgress = state.retry.maxRetries === null && state.lastLockVersion < state.version
      const timedOut = settle({ type: 'temporary_timeout' }, factsOf(state, at))
      const unlocked = { type: 'unlocked', dueAt: at, reason: 'made progress' }
      expect([settleExpired(state, at)]).toEqual(madeProgress ? [unlocked] : timedOut)
    })
  })

  it('progress: is not counted, and only who retries for ever can make it', () => {
    holds([lockedStates, instants], (state, at) => {
      const event = settleExpired(state, at)
      const next = stateAfter(state, [event], at)
      const isFree = event.type === 'unlocked'
      expect(isFree && state.retry.maxRetries !== null).toBe(false)
      expect(next.failures).toBe(state.failures + (isCounted(event) ? 1 : 0))
      expect(isFree ? next : { scheduledAt: at }).toMatchObject({ scheduledAt: at })
    })
  })
})
