/**
 * Faults that repeat, told once: the first of a kind is logged, the rest are counted, and the end
 * is logged with the count. A database that is away for an hour makes two lines, not 30,000; one
 * that comes and goes, two lines a minute.
 */

import { isSteleError } from '../base/error.ts'
import type { Logger } from '../base/logger.ts'
import type { Clock, Instant, Milliseconds } from '../base/time.ts'

/** Reports the faults of one loop. */
export interface ProblemLog {
  /** Something failed. */
  readonly failed: (cause: unknown) => void
  /** It works (again). */
  readonly worked: () => void
  /** Failures in a row. */
  readonly streak: () => number
}

/** What a log of problems stands on. */
export interface ProblemLogOptions {
  readonly logger: Logger
  readonly clock: Clock
}

/** A kind of fault that has ended and comes back is told again after this time. */
export const retellAfter: Milliseconds = 60_000
/** Kinds of which it is known when they were told. */
const kindsMax = 100

/** Longest pause between looks at a storage that fails. */
const failurePauseMax: Milliseconds = 5_000
/** Failures in a row after which the pause grows no more, whatever it began with. */
const doublingsMax = 10

/** While something fails, it is tried more and more rarely; otherwise after its usual pause. */
export function pauseAfter(streak: number, usual: Milliseconds): Milliseconds {
  const longest = Math.max(failurePauseMax, usual)
  return Math.min(usual * 2 ** Math.min(streak, doublingsMax), longest)
}

/** `what` names the loop in the log: "polling", "the timers watcher". */
export function createProblemLog({ logger, clock }: ProblemLogOptions, what: string): ProblemLog {
  const toldAt = new Map<string, Instant>()
  /** Kinds that were told since it last worked. */
  const told = new Set<string>()
  let count = 0
  let untold = 0
  const isNews = (kind: string, now: Instant): boolean =>
    !told.has(kind) && now - (toldAt.get(kind) ?? Number.NEGATIVE_INFINITY) >= retellAfter
  return {
    failed: (cause) => {
      const kind = kindOf(cause)
      const now = clock.now()
      count += 1
      untold += 1
      if (!isNews(kind, now)) return
      if (toldAt.size >= kindsMax) toldAt.clear()
      toldAt.set(kind, now)
      told.add(kind)
      logger.error({ err: cause, failures: untold }, `${what} failed: ${kind}`)
    },
    worked: () => {
      if (count === 0) return
      count = 0
      // What was not told to have begun is not told to have ended.
      if (told.size === 0) return
      logger.info({ failures: untold }, `${what} works again`)
      told.clear()
      untold = 0
    },
    streak: () => count,
  }
}

function kindOf(cause: unknown): string {
  if (isSteleError(cause)) return cause.code
  return cause instanceof Error ? `${cause.name}: ${cause.message}` : 'unknown fault'
}
