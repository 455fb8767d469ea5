/** What holds in every world of the engine's own, whatever its workflows are. */

import type { Invariant } from 'stele/simulation'

/** What an activity of these worlds returns: which attempt it was, and under which key. */
export interface Receipt {
  readonly input: number
  readonly attempt: number
  readonly key: string
}

/** Whether a stored value is a receipt. */
function isReceipt(value: unknown): value is Receipt {
  return typeof value === 'object' && value !== null && 'attempt' in value && 'key' in value
}

const ownAttempt: Invariant = {
  name: 'a result is that of the attempt that held the lock',
  check: ({ changes }) => {
    for (const { executionId, steps } of changes) {
      for (const { entry, after } of steps) {
        const { event } = entry
        if (event.type !== 'finished' || event.outcome.type !== 'ok') continue
        const { value } = event.outcome
        if (!isReceipt(value) || value.attempt === after.failures + 1) continue
        return `${executionId} keeps attempt ${value.attempt} after ${after.failures} failures`
      }
    }
    return undefined
  },
}

const effectsHappened: Invariant = {
  name: 'whoever says that it was done has done it',
  every: 'end',
  check: ({ executions, ledger }) => {
    const done = new Set(ledger.map(({ key }) => key))
    for (const [executionId, { events }] of executions) {
      const last = events.at(-1)?.event
      if (last?.type !== 'finished' || last.outcome.type !== 'ok') continue
      const { value } = last.outcome
      if (isReceipt(value) && !done.has(value.key)) return `${executionId} did nothing`
    }
    return undefined
  },
}

/** Workflows of these worlds are deterministic, so whoever says otherwise has replayed wrongly. */
const agreesWithItsLog: Invariant = {
  name: 'code agrees with the log that it wrote',
  check: ({ changes }) => {
    for (const { executionId, steps } of changes) {
      for (const { entry } of steps) {
        const { event } = entry
        const reason = event.type === 'paused' ? event.reason : undefined
        if (reason !== undefined && !reason.includes('runs in a row')) {
          return `${executionId} was paused: ${reason}`
        }
        const isParting =
          event.type === 'finished' &&
          event.outcome.type === 'execution_failure' &&
          event.outcome.kind === 'nondeterminism_detected'
        if (isParting) return `${executionId} ended: ${JSON.stringify(event.outcome)}`
      }
    }
    return undefined
  },
}

/** Invariants of every world. */
export const worldInvariants: readonly Invariant[] = [ownAttempt, effectsHappened, agreesWithItsLog]
