/** Where an execution stands, in the word that a person would use. Pure. */

import type { ExecutionLine } from '../server/wire.ts'

/** How an execution is shown. */
export interface ShownStatus {
  /** Names the colour. */
  readonly key:
    | 'ok'
    | 'err'
    | 'failed'
    | 'cancelled'
    | 'running'
    | 'waiting'
    | 'due'
    | 'scheduled'
    | 'paused'
    | 'cancelling'
    | 'set_aside'
  readonly label: string
}

/** Where an execution stands. */
export function statusOf(line: ExecutionLine, now: number): ShownStatus {
  if (line.status === 'finished') return endOf(line)
  if (line.setAside !== undefined) return { key: 'set_aside', label: 'set aside' }
  if (line.cancelling) return { key: 'cancelling', label: 'cancelling' }
  if (line.paused) return { key: 'paused', label: 'paused' }
  if (line.status === 'locked') return { key: 'running', label: 'running' }
  if (line.status === 'blocked') return { key: 'waiting', label: 'waiting' }
  const isDue = (line.scheduledAt ?? 0) <= now
  return isDue ? { key: 'due', label: 'due' } : { key: 'scheduled', label: 'scheduled' }
}

function endOf({ outcomeType, failureKind }: ExecutionLine): ShownStatus {
  if (outcomeType === 'ok') return { key: 'ok', label: 'ok' }
  if (outcomeType === 'err') return { key: 'err', label: 'err' }
  if (failureKind === 'cancelled') return { key: 'cancelled', label: 'cancelled' }
  if (failureKind === 'timed_out') return { key: 'failed', label: 'timed out' }
  const isNondeterminism = failureKind === 'nondeterminism_detected'
  return { key: 'failed', label: isNondeterminism ? 'nondeterminism' : 'failed' }
}

/** States that the list can be filtered by, with what the server is asked for. */
export const stateFilters: readonly {
  readonly key: string
  readonly label: string
  readonly query: Readonly<Record<string, string>>
}[] = [
  { key: '', label: 'Any state', query: {} },
  { key: 'pending', label: 'Due or scheduled', query: { status: 'pending_at', paused: 'false' } },
  { key: 'running', label: 'Running', query: { status: 'locked' } },
  { key: 'waiting', label: 'Waiting', query: { status: 'blocked', paused: 'false' } },
  { key: 'paused', label: 'Paused', query: { paused: 'true' } },
  { key: 'finished', label: 'Finished', query: { status: 'finished' } },
  { key: 'ok', label: 'Finished: ok', query: { outcome: 'ok' } },
  { key: 'err', label: 'Finished: err', query: { outcome: 'err' } },
  {
    key: 'failed',
    label: 'Finished: failed or cancelled',
    query: { outcome: 'execution_failure' },
  },
]
