/** The log of an execution, told as stretches of time: it waited, it ran, its process was killed. */
import type { EventView, LogView, Outcome } from 'stele'

/** What went on during a stretch of time. */
export type Activity =
  /** Submitted for later. */
  | 'scheduled'
  /** Due, and waiting for a free executor. */
  | 'queued'
  | 'running'
  /** Its process is dead, and its lock has not expired yet. */
  | 'orphaned'
  | 'backoff'
  | 'paused'

/** How a run ended. */
export type End = 'ok' | 'err' | 'gave_up' | 'failed' | 'timed_out' | 'killed' | 'cancelled'

/** A stretch of time. */
export interface Stretch {
  readonly what: Activity
  readonly from: number
  readonly to: number
  /** For `running`. */
  readonly end?: End
}

/** An execution as a story. */
export interface Story {
  readonly id: string
  readonly name: string
  readonly stretches: readonly Stretch[]
  readonly events: number
  readonly attempts: number
  readonly retries: number
  readonly timeouts: number
  /** Began in one process and went on in another. */
  readonly takenOver: boolean
  /** How long it was not running, in milliseconds. */
  readonly waited: number
  readonly outcome: string
  readonly end: End | 'open'
}

/** When the first worker process was killed; later is never. */
export interface Killed {
  readonly killedAt: number
}

/** Tells the story of one log. */
export function tellStory(id: string, { events }: LogView, killed: Killed): Story {
  const stretches = stretchesOf(events, killed)
  const last = events.at(-1)
  const runs = new Set(events.flatMap((entry) => (entry.type === 'locked' ? [entry.runId] : [])))
  const created = events.find((entry) => entry.type === 'created')
  return {
    id,
    name: created?.type === 'created' ? created.function.name : '?',
    stretches,
    events: events.length,
    attempts: runs.size,
    retries: Math.max(0, runs.size - 1),
    timeouts: stretches.filter(({ end }) => end === 'timed_out').length,
    takenOver: stretches.some(({ what }) => what === 'orphaned'),
    waited: sum(stretches.filter(({ what }) => what !== 'running')),
    ...endOf(last),
  }
}

function sum(stretches: readonly Stretch[]): number {
  return stretches.reduce((total, { from, to }) => total + to - from, 0)
}

function endOf(last: EventView | undefined): Pick<Story, 'outcome' | 'end'> {
  if (last?.type !== 'finished') return { outcome: 'not finished', end: 'open' }
  const { outcome } = last
  if (outcome.type === 'ok') return { outcome: `ok ${firstText(outcome.value)}`, end: 'ok' }
  if (outcome.type === 'err') return { outcome: `err ${firstText(outcome.value)}`, end: 'err' }
  if (outcome.kind === 'cancelled') return { outcome: 'cancelled', end: 'cancelled' }
  const reason = outcome.reason?.replace('activity trap: ', '') ?? 'timed out'
  return { outcome: reason, end: 'gave_up' }
}

/** The first text in a value: enough to recognise it by. */
function firstText(value: unknown): string {
  const parts = typeof value === 'object' && value !== null ? Object.values(value) : [value]
  return parts.find((part) => typeof part === 'string') ?? ''
}

/** What is known while walking through a log. */
interface Walk {
  readonly done: Stretch[]
  readonly killed: Killed
  /** What goes on, and since when. */
  what: Activity
  since: number
  /** When it becomes due, while it waits for that. */
  dueAt: number
  runId: string
}

function stretchesOf(events: readonly EventView[], killed: Killed): readonly Stretch[] {
  const walk: Walk = { done: [], killed, what: 'queued', since: 0, dueAt: 0, runId: '' }
  for (const entry of events) step(walk, entry)
  return walk.done.filter(({ from, to }) => to > from)
}

function step(walk: Walk, entry: EventView): void {
  const at = entry.createdAt
  if (entry.type === 'created') {
    begin(walk, { what: 'scheduled', since: at, dueAt: entry.scheduledAt })
  } else if (entry.type === 'locked') {
    run(walk, at, entry.runId)
  } else if (entry.type === 'temporarily_failed' || entry.type === 'temporarily_timed_out') {
    close(walk, at, entry.type === 'temporarily_failed' ? 'failed' : 'timed_out')
    begin(walk, { what: 'backoff', since: at, dueAt: entry.backoffExpiresAt })
  } else if (entry.type === 'finished') {
    close(walk, at, finalEnd(entry.outcome))
  } else if (entry.type === 'paused' || entry.type === 'unpaused') {
    close(walk, at)
    begin(walk, { what: entry.type === 'paused' ? 'paused' : 'queued', since: at })
  }
}

function run(walk: Walk, at: number, runId: string): void {
  // The same run again: it has extended its lock.
  if (walk.what === 'running' && walk.runId === runId) return
  close(walk, at)
  begin(walk, { what: 'running', since: at })
  walk.runId = runId
}

function finalEnd(outcome: Outcome): End {
  if (outcome.type !== 'execution_failure') return outcome.type
  return outcome.kind === 'cancelled' ? 'cancelled' : 'gave_up'
}

function begin(walk: Walk, next: Pick<Walk, 'what' | 'since'> & { dueAt?: number }): void {
  walk.what = next.what
  walk.since = next.since
  walk.dueAt = next.dueAt ?? next.since
}

/** Ends what goes on; a wait for an instant is followed by the wait for an executor. */
function close(walk: Walk, at: number, end?: End): void {
  const { done, what, since, dueAt, killed } = walk
  const { killedAt } = killed
  if (what !== 'running') {
    const due = what === 'paused' ? at : Math.min(dueAt, at)
    done.push({ what, from: since, to: due }, { what: 'queued', from: due, to: at })
  } else if (end === 'timed_out' && since < killedAt && killedAt < at) {
    done.push({ what, from: since, to: killedAt, end: 'killed' })
    done.push({ what: 'orphaned', from: killedAt, to: at })
  } else {
    done.push({ what, from: since, to: at, ...(end === undefined ? {} : { end }) })
  }
}
