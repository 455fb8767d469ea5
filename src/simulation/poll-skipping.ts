/**
 * Leaves out polls that would find nothing, so that thirty days of waiting take no time. A poll
 * that looks for what is due is made before the next thing is due; one that looks for commits of
 * others, after a commit.
 */

import { unreachable } from '../base/assert.ts'
import type { Instant, Milliseconds } from '../base/time.ts'
import type { DuePoll, PutOff } from './kernel.ts'

/** What is asked. */
export interface PollSkippingOptions {
  /** False: every poll is made. */
  readonly skips: () => boolean
  readonly now: () => Instant
  /** When the next thing in the store is due. */
  readonly nextDueAt: () => Instant | undefined
  /** How long a transaction may take; zero when none is slow. */
  readonly slowMax: Milliseconds
}

/** Which polls to make. */
export interface PollSkipping {
  readonly onCommit: (process: string) => void
  readonly putOff: (poll: DuePoll) => PutOff
}

/** Polls that only ask the database for its counter are never late. */
const promptInterval: Milliseconds = 50
/** Slow transactions may come one after the other. */
const slowPatience = 10

/** Skips polls from the beginning. */
export function createPollSkipping(options: PollSkippingOptions): PollSkipping {
  const { skips, now, slowMax } = options
  const begun = now()
  const lastCommits = new Map<string, Instant>()
  let nextDue: { readonly at: Instant | undefined } | undefined
  const lastForeignCommit = (process: string): Instant => {
    let last = begun
    for (const [other, at] of lastCommits) if (other !== process) last = Math.max(last, at)
    return last
  }
  /** After a commit everybody looks once: whoever was slow while it was made, too. */
  const graceOf = (interval: Milliseconds): Milliseconds =>
    interval + (interval > promptInterval ? slowPatience * slowMax : 0)
  return {
    onCommit: (process) => {
      lastCommits.set(process, now())
      nextDue = undefined
    },
    putOff: ({ purpose, interval, process }) => {
      if (!skips()) return 'now'
      switch (purpose) {
        case 'watch':
          return now() - lastForeignCommit(process) <= graceOf(interval) ? 'now' : 'until_commit'
        case 'poll':
          nextDue ??= { at: options.nextDueAt() }
          return nextDue.at ?? 'until_commit'
        default:
          return unreachable(purpose)
      }
    },
  }
}
