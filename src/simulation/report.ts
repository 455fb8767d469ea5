/** A failed simulation in words: what does not hold, what led to it, and how to see it again. */

import { countChoices, type Tapes } from './choices.ts'
import type { SimulationFailure } from './simulation-error.ts'
import { formatTrace, type TraceLine } from './trace.ts'

/** What is told. */
export interface FailedRun {
  readonly seed: number
  readonly failure: SimulationFailure
  readonly tapes: Tapes
  readonly steps: number
  readonly faults: Readonly<Record<string, number>>
  readonly lines: readonly TraceLine[]
}

/** Lines of the trace that are shown; the last ones. */
export const reportLinesMax = 60

/** A report for a person. */
export function formatFailure(run: FailedRun): string {
  const { seed, failure, tapes, faults, lines } = run
  const shown = lines.slice(-reportLinesMax)
  const omitted = lines.length - shown.length
  const kinds = Object.entries(faults).map(([kind, count]) => `${kind} ${count}`)
  return [
    `Simulation failed at seed ${seed}, step ${failure.step}: ${failure.invariant}`,
    '',
    failure.message,
    '',
    `Choices: ${countChoices(tapes)}; faults: ${kinds.length === 0 ? 'none' : kinds.join(', ')}.`,
    'Same seed, same options, same code: the same failure.',
    '',
    ...(omitted > 0 ? [`… ${omitted} lines before …`] : []),
    formatTrace(shown),
  ].join('\n')
}
