/** What of a log is the same in every life of an execution: without instants, owners and waits. */

import type { Recorded } from './workflow-replay.ts'

const passing = new Set([
  'createdAt',
  'at',
  'dueAt',
  'scheduledAt',
  'deploymentId',
  'executorId',
  'runId',
  'lockExpiresAt',
  'seenCursor',
  'runExpiresAt',
  'afterCursor',
  'cursor',
  'finishedVersion',
  'afterVersion',
  'version',
  'stack',
  'detail',
])
const managing = new Set([
  'locked',
  'unlocked',
  'temporarily_timed_out',
  'temporarily_failed',
  'wait',
])

/** A value without what passes. */
function lasting(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (key, inner: unknown) => (passing.has(key) ? undefined : inner)),
  )
}

/** Log and inbox without what passes; the inbox in the order of what it is about. */
export function lastingLog({ events, responses }: Recorded): unknown {
  const kept = events.map(({ event }) => event).filter(({ type }) => !managing.has(type))
  const told = responses.map((response) => JSON.stringify(lasting(response))).toSorted()
  const text = JSON.stringify([lasting(kept), told])
  return JSON.parse(text.replaceAll(/E_[0-9A-Z]{26}/g, 'E_scheduled'))
}
