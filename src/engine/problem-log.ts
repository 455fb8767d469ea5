/**
 * Faults that repeat, told once: the first of a kind is logged, the rest are counted, and the end
 * is logged with the count. A database that is away for an hour makes two lines, not 30,000.
 */

import { isSteleError } from '../base/error.ts'
import type { Logger } from '../base/logger.ts'

/** Reports the faults of one loop. */
export interface ProblemLog {
  /** Something failed. */
  readonly failed: (cause: unknown) => void
  /** It works (again). */
  readonly worked: () => void
  /** Failures in a row. */
  readonly streak: () => number
}

/** `what` names the loop in the log: "polling", "the timers watcher". */
export function createProblemLog(logger: Logger, what: string): ProblemLog {
  let last: string | undefined
  let count = 0
  return {
    failed: (cause) => {
      const kind = kindOf(cause)
      count += 1
      if (kind !== last) logger.error({ err: cause, failures: count }, `${what} failed: ${kind}`)
      last = kind
    },
    worked: () => {
      if (count > 0) logger.info({ failures: count }, `${what} works again`)
      last = undefined
      count = 0
    },
    streak: () => count,
  }
}

function kindOf(cause: unknown): string {
  if (isSteleError(cause)) return cause.code
  return cause instanceof Error ? `${cause.name}: ${cause.message}` : 'unknown fault'
}
