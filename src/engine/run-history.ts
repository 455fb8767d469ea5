/** Log and inbox of an execution whose lock is held: read in pages, written through its holder. */

import type { Milliseconds } from '../base/time.ts'
import type { Cursor, LoggedEvent, Version } from '../model/event.ts'
import type { ExecutionId } from '../model/ids.ts'
import type { ExecutionState } from '../model/state.ts'
import type { ListedResponse } from '../storage/read.ts'
import type { Storage } from '../storage/storage.ts'
import type { LogBatch } from './log-writer.ts'
import type { RunHistory } from './worker.ts'

/** What a history stands on. */
export interface RunHistoryOptions {
  readonly storage: Pick<Storage, 'listEvents' | 'listResponses'>
  readonly executionId: ExecutionId
  /** Writes through the holder of the lock. */
  readonly append: (batch: LogBatch) => Promise<ExecutionState | undefined>
  readonly expectSilence: (duration: Milliseconds) => void
  readonly onResponse: (listener: () => void) => void
}

/** Events, and responses, read at once. */
export const historyPage = 1_000

/** The history of one execution. */
export function createRunHistory(options: RunHistoryOptions): RunHistory {
  return {
    readEvents: (from) => collectEvents(options, from),
    readResponses: (after) => collectResponses(options, after),
    append: ({ events, creations, cancelledChildren, cancelledDelays }, createdAt) => {
      const hasCancelled = cancelledChildren.length + cancelledDelays.length > 0
      const cancellations = { children: cancelledChildren, delays: cancelledDelays }
      const effects = hasCancelled ? { creations, cancellations } : { creations }
      return options.append({ events, createdAt, ...effects })
    },
    expectSilence: options.expectSilence,
    onResponse: options.onResponse,
  }
}

async function collectEvents(
  { storage, executionId }: RunHistoryOptions,
  from: Version,
): Promise<readonly LoggedEvent[]> {
  const events: LoggedEvent[] = []
  for (;;) {
    const next = from + events.length
    const page = await storage.listEvents({ executionId, from: next, limit: historyPage })
    events.push(...page)
    if (page.length < historyPage) return events
  }
}

async function collectResponses(
  { storage, executionId }: RunHistoryOptions,
  after: Cursor,
): Promise<readonly ListedResponse[]> {
  const responses: ListedResponse[] = []
  for (;;) {
    const last = responses.at(-1)?.cursor ?? after
    const page = await storage.listResponses({ executionId, after: last, limit: historyPage })
    responses.push(...page)
    if (page.length < historyPage) return responses
  }
}
