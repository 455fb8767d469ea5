/** Writes that have to be made: offered again while the storage is away, later and later. */

import type { Result } from '../base/result.ts'
import type { Milliseconds, Scheduler } from '../base/time.ts'
import type { Refusal } from '../model/refusal.ts'
import { isPassing } from './abort.ts'
import type { ProblemLog } from './problem-log.ts'

/** First and longest pause before a write is offered again to a storage that failed. */
export const offerPauseMin: Milliseconds = 50
export const offerPauseMax: Milliseconds = 2_000

/** What offering stands on. */
export interface OfferOptions {
  readonly scheduler: Scheduler
  readonly problems: ProblemLog
  /** Whether it is too late for another try. */
  readonly isGivenUp: () => boolean
}

/** The storage's answer; `undefined` when it failed for good, or nobody wants it any more. */
export async function offer<Value>(
  { scheduler, problems, isGivenUp }: OfferOptions,
  write: () => Promise<Result<Value, Refusal>>,
): Promise<Result<Value, Refusal> | undefined> {
  for (let pause = offerPauseMin; ; pause = Math.min(pause * 2, offerPauseMax)) {
    try {
      const answer = await write()
      problems.worked()
      return answer
    } catch (cause) {
      problems.failed(cause)
      if (!isPassing(cause) || isGivenUp()) return undefined
    }
    await new Promise<void>((resolve) => scheduler.after(pause, resolve))
  }
}
