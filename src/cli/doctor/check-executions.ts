/** Which executions are stuck, and why: from their rows, and who is there to execute them. */

import type { Instant, Milliseconds } from '../../base/time.ts'
import { silenceMax } from '../../client/explain.ts'
import type { LoggedEvent } from '../../model/event.ts'
import type { PendingState, UnfinishedState } from '../../model/state.ts'
import type { OverdueDelay } from '../../storage/checkup.ts'
import type { ListedExecution } from '../../storage/list.ts'
import type { RegisteredExecutor, RegisteredFunction } from '../../storage/registry.ts'
import { formatDistance, formatDuration } from '../format-time.ts'
import { countIs, countOf, examplesMax, type Finding } from './finding.ts'
import { createTally, type Tally } from './tally.ts'

/** Why an execution does not move, or seems not to. */
export type Complaint =
  | 'unreadable'
  | 'set_aside'
  | 'lock_expired'
  | 'incompatible'
  | 'unknown_function'
  | 'nobody_executes'
  | 'no_engine'
  | 'backlog'
  | 'stub'
  | 'paused'
  | 'paused_by_engine'
  | 'cancelling'
  | 'cancelling_long'

/** Who could execute something. */
export interface Surroundings {
  readonly now: Instant
  readonly executors: readonly RegisteredExecutor[]
  readonly functions: readonly RegisteredFunction[]
}

/** How long something may be late before it is worth a word. */
export const patience: Milliseconds = 60_000

/** Whether an executor has given a sign of life lately. */
export function isAlive({ stoppedAt, lastBeatAt }: RegisteredExecutor, now: Instant): boolean {
  return stoppedAt === undefined && now - lastBeatAt <= silenceMax
}

/** What is wrong with an execution, if anything, and a word about it. */
export function complaintOf(
  { state, setAside }: ListedExecution,
  around: Surroundings,
): { readonly complaint: Complaint; readonly why: string } | undefined {
  if (state.status === 'finished') return undefined
  if (setAside !== undefined) return { complaint: 'set_aside', why: setAside }
  if (state.cancelling) return { complaint: 'cancelling', why: state.function.name }
  if (state.paused) return { complaint: 'paused', why: state.function.name }
  return complaintOfOpen(state, around)
}

function complaintOfOpen(
  state: UnfinishedState,
  around: Surroundings,
): ReturnType<typeof complaintOf> {
  const { now } = around
  if (state.status === 'locked') {
    const late = now - state.lockExpiresAt
    const why = `expired ${formatDuration(late)} ago`
    return late > patience ? { complaint: 'lock_expired', why } : undefined
  }
  if (state.status === 'blocked' || now - state.scheduledAt <= patience) return undefined
  const why = `${state.function.name}, due ${formatDistance(state.scheduledAt, now)}`
  return { complaint: complaintOfDue(state, around), why }
}

function complaintOfDue(state: PendingState, around: Surroundings): Complaint {
  const { now, executors, functions } = around
  const { name, kind } = state.function
  if (state.incompatibleVersion !== undefined) return 'incompatible'
  const isRegistered = functions.some(({ function: fn }) => fn.name === name && fn.kind === kind)
  if (!isRegistered) return 'unknown_function'
  const executing = executors.filter((executor) => executor.functions.includes(name))
  if (executing.length === 0) return kind === 'activity' ? 'stub' : 'nobody_executes'
  if (executing.some((executor) => isAlive(executor, now))) return 'backlog'
  return executors.some((executor) => isAlive(executor, now)) ? 'nobody_executes' : 'no_engine'
}

/** What the last event adds to a complaint that the row alone cannot settle. */
export function secondLook(
  complaint: 'paused' | 'cancelling',
  { event, createdAt }: LoggedEvent,
  now: Instant,
): { readonly complaint: Complaint; readonly why: string } {
  if (complaint === 'cancelling') {
    const why = `since ${formatDistance(createdAt, now)}`
    return { complaint: now - createdAt > patience ? 'cancelling_long' : 'cancelling', why }
  }
  const reason = event.type === 'paused' ? event.reason : undefined
  if (reason === undefined) return { complaint, why: 'by hand' }
  return { complaint: 'paused_by_engine', why: reason }
}

/** A tally of complaints. */
export type Complaints = Tally<Complaint>

/** A tally in which nothing is wrong yet. */
export function createComplaints(): Complaints {
  return createTally<Complaint>()
}

type Say = (count: number) => Omit<Finding, 'topic' | 'examples'>

const texts: Readonly<Record<Complaint, Say>> = {
  unreadable: (count) => ({
    level: 'problem',
    summary: `${countOf(count, 'row')} of executions cannot be read.`,
    advice: 'Something other than Stele wrote to the database; restore it from a backup.',
  }),
  set_aside: (count) => ({
    level: 'problem',
    summary: `${countOf(count, 'execution')} set aside: nobody will execute them.`,
    advice: 'The reason says which column; repair the row, and clear set_aside_reason.',
  }),
  lock_expired: (count) => ({
    level: 'problem',
    summary: `${countOf(count, 'lock')} expired, and nobody frees them.`,
    advice: 'The timers watcher of any engine does: start one, or see why those that run do not.',
  }),
  incompatible: (count) => ({
    level: 'problem',
    summary: `${countOf(count, 'execution')} left alone: today's code does not agree with the log.`,
    advice: 'Run an engine with the old version beside the new one; `stele explain` says which.',
  }),
  unknown_function: (count) => ({
    level: 'problem',
    summary: `${countOf(count, 'execution')} of functions that no engine has ever registered.`,
    advice: 'Check the name and kind that they were submitted with, or start an engine with it.',
  }),
  nobody_executes: (count) => ({
    level: 'problem',
    summary: `${countIs(count, 'execution')} due, and no running engine executes the function.`,
    advice: 'Add the function to the `functions` of an engine that runs.',
  }),
  no_engine: (count) => ({
    level: 'problem',
    summary: `${countIs(count, 'execution')} due, and no engine is running.`,
    advice: 'Start the application: it goes on where it was.',
  }),
  backlog: (count) => ({
    level: 'warning',
    summary: `${countIs(count, 'execution')} due for more than a minute, though engines run.`,
    advice: 'They come as fast as the engines can; more concurrency or more processes help.',
  }),
  stub: (count) => ({
    level: 'note',
    summary: `${countOf(count, 'execution')} of stubs: somebody has to complete them.`,
  }),
  paused: (count) => ({ level: 'note', summary: `${countIs(count, 'execution')} paused.` }),
  paused_by_engine: (count) => ({
    level: 'problem',
    summary: `${countOf(count, 'execution')} paused by an engine: a person has to look.`,
    advice: 'The reason says what to mend; `stele unpause` lets them go on after that.',
  }),
  cancelling: (count) => ({
    level: 'note',
    summary: `${countIs(count, 'execution')} being cancelled.`,
  }),
  cancelling_long: (count) => ({
    level: 'problem',
    summary: `${countOf(count, 'execution')} should have been cancelled by now.`,
    advice: 'The timers watcher of any engine carries it out: start one.',
  }),
}

/** Executions that wait for what will not come, found by other ways than by their rows. */
export interface Late {
  /** Executions that have asked for nothing. */
  readonly neverWoken: readonly string[]
  readonly delays: readonly OverdueDelay[]
}

/** The findings about executions. */
export function executionFindings(
  complaints: Complaints,
  late: Late,
  now: Instant,
): readonly Finding[] {
  const findings = [
    ...complaints.keys().map((complaint): Finding => {
      const { count, examples } = complaints.get(complaint)
      return { topic: 'executions', ...texts[complaint](count), examples }
    }),
    ...lateFindings(late, now),
  ]
  const isFine = findings.every(({ level }) => level === 'note')
  const fine: Finding = { level: 'ok', topic: 'executions', summary: 'No execution is stuck.' }
  return isFine ? [fine, ...findings] : findings
}

function lateFindings({ neverWoken, delays }: Late, now: Instant): readonly Finding[] {
  const findings: Finding[] = []
  if (neverWoken.length > 0) {
    findings.push({
      level: 'problem',
      topic: 'executions',
      summary: `${countOf(neverWoken.length, 'execution')} wait, and nothing can wake them.`,
      examples: neverWoken.slice(0, examplesMax),
      advice: 'Please report it, with the log: `stele show ID --json`.',
    })
  }
  if (delays.length > 0) {
    findings.push({
      level: 'problem',
      topic: 'executions',
      summary: `${countOf(delays.length, 'delay')} should have fired by now.`,
      examples: delays
        .slice(0, examplesMax)
        .map(({ delayId, dueAt }) => `${delayId}: due ${formatDistance(dueAt, now)}`),
      advice: 'The timers watcher of any engine fires them: start one.',
    })
  }
  return findings
}
