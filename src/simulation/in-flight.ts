/** Attempts of activities that have begun and not ended: who waits outside of the simulation. */

import type { Attempt, AttemptEnd } from './activities.ts'
import type { TraceKind } from './trace.ts'

/** Attempts under way. */
export interface InFlight {
  readonly begin: (attempt: Attempt) => void
  readonly end: (attempt: Attempt, how: AttemptEnd) => void
  /** A sentence for each that has not ended and is not meant to hang. */
  readonly describe: () => readonly string[]
  /** The same for those alone whose time is up: another attempt has begun. */
  readonly describeOutlived: () => readonly string[]
}

/** More sentences say no more. */
const sentencesMax = 5

/** Nothing under way. `note` writes a line of the trace; the dead have no attempts. */
export function createInFlight(
  note: (process: string, kind: TraceKind, text: string) => void,
): InFlight {
  const attempts = new Set<Attempt>()
  const latest = new Map<string, number>()
  const say = (attempt: Attempt, what: string): void => {
    const { activity, executionId, process } = attempt
    note(process, 'attempt', `${activity} ${executionId} #${attempt.attempt} ${what}`)
  }
  return {
    begin: (attempt) => {
      attempts.add(attempt)
      latest.set(attempt.executionId, attempt.attempt)
      say(attempt, 'begins')
    },
    end: (attempt, how) => {
      attempts.delete(attempt)
      say(attempt, how)
    },
    describe: () => sentencesOf([...attempts]),
    describeOutlived: () =>
      sentencesOf(
        [...attempts].filter(({ executionId, attempt }) => {
          return (latest.get(executionId) ?? 0) > attempt
        }),
      ),
  }
}

function sentencesOf(attempts: readonly Attempt[]): readonly string[] {
  return attempts
    .filter(({ isAlive }) => isAlive())
    .slice(0, sentencesMax)
    .map(
      ({ activity, executionId, attempt }) =>
        `the activity ${activity} of ${executionId}, attempt ${attempt}, waits for something ` +
        'outside of the simulation. Give it a simulated handler: `activities: { … }`',
    )
}
