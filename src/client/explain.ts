/** "Why is it not moving?": what it waits for, since when, who holds it, and what is wrong. */

import { unreachable } from '../base/assert.ts'
import type { Instant, Milliseconds } from '../base/time.ts'
import { beatInterval } from '../engine/beat.ts'
import type { UnfinishedState } from '../model/state.ts'
import type { StateReport, Waits } from '../storage/read.ts'
import type { RegisteredExecutor } from '../storage/registry.ts'

/** An explanation for a person. Instants are milliseconds since 1970. */
export interface Explanation {
  /** One sentence. */
  readonly summary: string
  /** What has to happen before the execution goes on; nothing when it has finished. */
  readonly waitingFor:
    | 'nothing'
    | 'its time'
    | 'an executor'
    | 'its run'
    | 'a response'
    | 'unpause'
    | 'its cancellation'
    | 'completion from outside'
    | 'a repair'
  /** Since when it has been waiting for that. */
  readonly since: Instant
  /** Who holds the lock, and until when. */
  readonly heldBy?: {
    readonly executorId: string
    readonly runId: string
    readonly until: Instant
    readonly host?: string
    readonly pid?: number
    /** Whether the executor has given a sign of life lately. */
    readonly alive: boolean
  }
  /** When something will happen by itself. */
  readonly nextWakeAt?: Instant
  /** What looks wrong, in sentences. */
  readonly problems: readonly string[]
}

/** What an explanation is made of. */
export interface ExplainFacts {
  readonly report: StateReport
  readonly waits: Waits
  readonly executors: readonly RegisteredExecutor[]
  readonly now: Instant
  /** A function without implementation: completed from outside. */
  readonly isStub: boolean
}

/** An executor that has been silent for this long is taken for dead. */
export const silenceMax: Milliseconds = 3 * beatInterval

/** Explains where an execution stands. */
export function explainExecution(facts: ExplainFacts): Explanation {
  const { state, lastEvent, setAside } = facts.report
  const since = lastEvent.createdAt
  if (state.status === 'finished') {
    return { summary: 'It has finished.', waitingFor: 'nothing', since, problems: [] }
  }
  if (setAside !== undefined) {
    const problems = [`The row was set aside: ${setAside}.`]
    return { summary: 'It was set aside.', waitingFor: 'a repair', since, problems }
  }
  if (state.cancelling) {
    const summary = 'Its cancellation is being carried out.'
    return { summary, waitingFor: 'its cancellation', since, problems: [] }
  }
  if (state.paused) {
    return {
      summary: 'It is paused.',
      waitingFor: 'unpause',
      since,
      problems: pauseProblems(facts),
    }
  }
  return explainOpen(state, facts)
}

function explainOpen(state: UnfinishedState, facts: ExplainFacts): Explanation {
  switch (state.status) {
    case 'pending_at':
      return explainPending(state.scheduledAt, facts)
    case 'locked':
      return explainLocked(facts)
    case 'blocked':
      return explainBlocked(facts)
    default:
      return unreachable(state)
  }
}

function explainPending(scheduledAt: Instant, facts: ExplainFacts): Explanation {
  const { report, now } = facts
  const since = report.lastEvent.createdAt
  if (facts.isStub) {
    const summary = 'It is a stub: somebody has to complete it.'
    return { summary, waitingFor: 'completion from outside', since, problems: [] }
  }
  const problems = executorProblems(facts)
  if (scheduledAt > now) {
    const why = describeReason(report)
    const summary = `It is due in ${scheduledAt - now} ms${why}.`
    return { summary, waitingFor: 'its time', since, nextWakeAt: scheduledAt, problems }
  }
  const summary = `It has been due for ${now - scheduledAt} ms and waits for a free executor.`
  return { summary, waitingFor: 'an executor', since: scheduledAt, problems }
}

function explainLocked({ report, executors, now }: ExplainFacts): Explanation {
  const { state, lastEvent } = report
  if (state.status !== 'locked') return unlockedMeanwhile(lastEvent.createdAt)
  const { executorId, runId } = state.lastOwner
  const holder = executors.find((candidate) => candidate.executorId === executorId)
  const alive = holder !== undefined && isAlive(holder, now)
  const until = state.lockExpiresAt
  const place = holder === undefined ? {} : { host: holder.host, pid: holder.pid }
  const problems = alive
    ? []
    : [`Executor ${executorId} has given no sign of life; the lock ends by itself.`]
  return {
    summary: `Attempt ${state.failures + 1} is running.`,
    waitingFor: 'its run',
    since: lastEvent.createdAt,
    heldBy: { executorId, runId, until, ...place, alive },
    nextWakeAt: until,
    problems,
  }
}

function unlockedMeanwhile(since: Instant): Explanation {
  return { summary: 'It is running.', waitingFor: 'its run', since, problems: [] }
}

function explainBlocked({ report, waits }: ExplainFacts): Explanation {
  const sets = waits.asks.map(({ joinSetId }) => joinSetId)
  const next = waits.delays.find(({ paused }) => !paused)
  return {
    summary: `It waits for a response in ${sets.length === 0 ? 'no join set' : sets.join(', ')}.`,
    waitingFor: 'a response',
    since: report.lastEvent.createdAt,
    ...(next === undefined ? {} : { nextWakeAt: next.dueAt }),
    problems: sets.length === 0 ? ['No ask is open, so nothing can wake it.'] : [],
  }
}

function pauseProblems({ report }: ExplainFacts): readonly string[] {
  const { event } = report.lastEvent
  return event.type === 'paused' && event.reason !== undefined ? [event.reason] : []
}

function executorProblems({ report, executors, now }: ExplainFacts): readonly string[] {
  const { kind, name } = report.state.function
  const alive = executors.filter((executor) => isAlive(executor, now))
  if (alive.length === 0) return ['No engine is running on this storage; start one.']
  const { state, lastEvent } = report
  if (state.status !== 'finished' && state.incompatibleVersion !== undefined) {
    const { event } = lastEvent
    const why = event.type === 'unlocked' ? ` It was ${event.reason}.` : ''
    return [
      `It runs under version ${state.function.version} of ${name}; engines with version ` +
        `${state.incompatibleVersion} leave it alone, since their code does not agree with its ` +
        `log.${why} Run an engine with the old version, or repair the new one under another.`,
    ]
  }
  if (alive.some((executor) => executor.functions.includes(name))) return []
  const advice = 'add it to the `functions` of one'
  // Only activities can be stubs; whether this one is, only who defines it knows.
  const other = kind === 'activity' ? ', or complete it if it is a stub' : ''
  return [`No running engine executes the ${kind} ${name}: ${advice}${other}.`]
}

function isAlive(executor: RegisteredExecutor, now: Instant): boolean {
  return executor.stoppedAt === undefined && now - executor.lastBeatAt <= silenceMax
}

function describeReason({ lastEvent }: StateReport): string {
  const { event } = lastEvent
  if (event.type === 'temporarily_timed_out') return ', after a timeout'
  return 'reason' in event && event.reason !== undefined ? `, after: ${event.reason}` : ''
}
