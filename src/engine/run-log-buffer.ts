/** What functions log, gathered and written in batches: bounded, late, and never in the way. */

import type { Cancel, Milliseconds, Scheduler } from '../base/time.ts'
import type { RunLogLine } from '../storage/run-log.ts'
import type { ExecutorStorage } from '../storage/storage.ts'
import type { ProblemLog } from './problem-log.ts'

/** Lines that wait to be written; beyond that the newest are dropped, and reported in number. */
export const bufferedLinesMax = 10_000
/** How long a line may wait. */
export const flushInterval: Milliseconds = 100
/** Lines in one transaction. */
export const linesPerFlush = 500

/** Gathers lines. */
export interface RunLogBuffer {
  readonly add: (line: RunLogLine) => void
  /** Writes what is there; resolves when it is stored, or given up. */
  readonly flush: () => Promise<void>
}

/** What a buffer stands on. */
export interface RunLogBufferOptions {
  readonly storage: Pick<ExecutorStorage, 'appendRunLogs'>
  readonly scheduler: Scheduler
  readonly problems: ProblemLog
  /** Told with each flush that follows dropped lines. */
  readonly onDropped: (count: number) => void
}

/** An empty buffer. */
export function createRunLogBuffer(options: RunLogBufferOptions): RunLogBuffer {
  const { storage, scheduler, problems, onDropped } = options
  const lines: RunLogLine[] = []
  let dropped = 0
  let timer: Cancel | undefined
  let writing: Promise<void> | undefined

  const writeAll = async (): Promise<void> => {
    while (lines.length > 0) {
      const batch = lines.splice(0, linesPerFlush)
      try {
        await storage.appendRunLogs(batch)
        problems.worked()
      } catch (cause) {
        // Lines are best effort: work goes on without them.
        problems.failed(cause)
        dropped += batch.length + lines.length
        lines.length = 0
      }
    }
    if (dropped > 0) onDropped(dropped)
    dropped = 0
  }
  const flush = (): Promise<void> => {
    timer?.()
    timer = undefined
    writing ??= writeAll().finally(() => {
      writing = undefined
    })
    return writing
  }
  return {
    add: (line) => {
      if (lines.length < bufferedLinesMax) lines.push(line)
      else dropped += 1
      timer ??= scheduler.after(flushInterval, () => void flush())
    },
    flush,
  }
}
