/** A log, told as stretches of time and marks, with its end in a few words. Knows no drawing. */

import type { Instant, Milliseconds } from '../base/time.ts'
import { askOf, blockingOf, type Cursor } from '../model/event.ts'
import { type JoinSetId, readJoinSetId } from '../model/join-set.ts'
import type { Outcome } from '../model/outcome.ts'
import type { ExecutionTree } from './tree.ts'
import type { EventView, ListItem, LogView, ResponseView } from './view.ts'

/** What an execution did during a stretch of time. */
export type Doing =
  | 'running'
  /** Due, and waiting for a free executor. */
  | 'queued'
  /** Submitted or put off for later. */
  | 'scheduled'
  | 'backoff'
  /** Its process gave no sign of life any more, and its lock had to expire. */
  | 'silent'
  | 'sleep'
  | 'message'
  | 'children'
  | 'paused'
  | 'cancelling'
  /** Its log was not read. */
  | 'unknown'

/** Something that happened at an instant. */
export type MarkKind =
  | 'step'
  | 'step_failed'
  | 'message'
  | 'failed'
  | 'timed_out'
  | 'ok'
  | 'err'
  | 'cancelled'

/** A stretch of time. */
interface Stretch {
  readonly doing: Doing
  readonly from: Instant
  readonly to: Instant
}

/** A mark. */
interface Mark {
  readonly kind: MarkKind
  readonly at: Instant
}

/** An execution as a story. */
export interface Story {
  readonly stretches: readonly Stretch[]
  readonly marks: readonly Mark[]
  /** Where it ended, or what it does at the end of the story. */
  readonly outcome: string
  readonly end: 'ok' | 'err' | 'cancelled' | 'open'
}

/** An owner that lives settles an attempt that has timed out so soon after its lock has expired. */
const settleMax: Milliseconds = 100

/** What a story needs to know of the rest of the picture. */
export interface Surroundings {
  /** Where what has not finished ends. */
  readonly until: Instant
  /** When each executor locked anything last. */
  readonly lastLocks: ReadonlyMap<string, Instant>
}

/** Tells the story of one execution, its children apart. */
export function tellStory({ execution, log }: ExecutionTree, around: Surroundings): Story {
  const { until } = around
  if (log === undefined || log.events.length === 0) return tellItem(execution, until)
  const walk = beginWalk(log, around)
  for (const entry of log.events) take(walk, entry)
  const { type } = log.events.at(-1) ?? {}
  if (type !== 'finished') close(walk, Math.max(until, walk.since))
  for (const { type: kind, createdAt: at } of log.responses) {
    if (kind === 'message') walk.marks.push({ kind, at })
  }
  return { stretches: walk.stretches, marks: walk.marks, ...endOf(log.events, walk, until) }
}

/** Without a log only the beginning and the end are known. */
function tellItem(item: ListItem, until: Instant): Story {
  const { createdAt: from, finishedAt: to = until, outcomeType, failureKind, status } = item
  const stretches = [{ doing: 'unknown', from, to: Math.max(from, to) } as const]
  if (outcomeType === undefined) return { stretches, marks: [], outcome: status, end: 'open' }
  const isCancelled = failureKind === 'cancelled'
  const failed = isCancelled ? ('cancelled' as const) : ('err' as const)
  const end = outcomeType === 'ok' ? 'ok' : failed
  const outcome = (failureKind ?? outcomeType).replaceAll('_', ' ')
  return { stretches, marks: [{ kind: end, at: to }], outcome, end }
}

// ── walking through a log ───────────────────────────────────────────────────────────────────────

interface Placed {
  readonly response: ResponseView
  /** Position within its join set, from 1. */
  readonly ordinal: number
}

/** What is known while walking through a log. */
interface Walk {
  readonly stretches: Stretch[]
  readonly marks: Mark[]
  readonly responses: readonly Placed[]
  readonly asks: Map<JoinSetId, number>
  readonly setsWithChildren: Set<JoinSetId>
  readonly locks: readonly EventOf<'locked'>[]
  readonly lastLocks: ReadonlyMap<string, Instant>
  doing: Doing
  since: Instant
  /** When what goes on is over by itself, and it is due. */
  dueAt: Instant
  runId: string | undefined
  executorId: string
  lockExpiresAt: Instant
  /** The lock was extended by its whole length: an owner that lives would have done so again. */
  isExtendedInFull: boolean
  /** How long the run's first lock was to hold. */
  lockLength: Milliseconds
  /** When the run wrote something last. */
  lastSignAt: Instant
  /** What a pause interrupted. */
  interrupted: { readonly doing: Doing; readonly dueAt: Instant } | undefined
}

function beginWalk({ events, responses }: LogView, { lastLocks }: Surroundings): Walk {
  const counts = new Map<JoinSetId, number>()
  const placed = responses.map((response): Placed => {
    const ordinal = (counts.get(response.joinSetId) ?? 0) + 1
    counts.set(response.joinSetId, ordinal)
    return { response, ordinal }
  })
  return {
    stretches: [],
    marks: [],
    responses: placed,
    asks: new Map(),
    setsWithChildren: new Set(),
    locks: events.filter((entry) => entry.type === 'locked'),
    lastLocks,
    doing: 'queued',
    since: 0,
    dueAt: 0,
    runId: undefined,
    executorId: '',
    lockExpiresAt: 0,
    isExtendedInFull: false,
    lockLength: 0,
    lastSignAt: 0,
    interrupted: undefined,
  }
}

/** One event further. Events that change nothing of the picture are passed over. */
function take(walk: Walk, entry: EventView): void {
  const { type, createdAt: at } = entry
  if (type === 'created') begin(walk, { doing: 'scheduled', since: at, dueAt: entry.scheduledAt })
  else if (type === 'locked') takeLock(walk, entry)
  else if (type === 'temporarily_failed' || type === 'temporarily_timed_out') {
    takeFailure(walk, entry)
  } else if (type === 'unlocked' || type === 'finished') takeEnd(walk, entry)
  else if (type === 'paused' || type === 'unpaused' || type === 'cancel_requested') {
    takeCommand(walk, entry)
  } else takeHistory(walk, entry)
}

type EventOf<Type extends EventView['type']> = Extract<EventView, { readonly type: Type }>

function takeEnd(walk: Walk, entry: EventOf<'unlocked' | 'finished'>): void {
  const { createdAt: at } = entry
  close(walk, at)
  if (entry.type === 'finished') walk.marks.push({ kind: kindOf(entry.outcome), at })
  else begin(walk, { doing: 'scheduled', since: at, dueAt: entry.dueAt })
}

/** What somebody outside has asked for. */
function takeCommand(
  walk: Walk,
  { type, createdAt: since }: EventOf<'paused' | 'unpaused' | 'cancel_requested'>,
): void {
  const { doing, dueAt } = walk
  close(walk, since)
  if (type === 'paused') walk.interrupted = { doing, dueAt }
  if (type === 'unpaused') begin(walk, { doing: 'queued', ...walk.interrupted, since })
  else begin(walk, { doing: type === 'paused' ? 'paused' : 'cancelling', since })
}

function takeLock(walk: Walk, entry: EventOf<'locked'>): void {
  const { createdAt, runId, executorId, lockExpiresAt } = entry
  const length = lockExpiresAt - createdAt
  if (walk.doing === 'running' && walk.runId === runId) {
    walk.isExtendedInFull = length >= walk.lockLength
  } else {
    close(walk, createdAt)
    begin(walk, { doing: 'running', since: createdAt })
    walk.isExtendedInFull = false
    walk.lockLength = length
  }
  walk.runId = runId
  walk.executorId = executorId
  walk.lockExpiresAt = lockExpiresAt
  walk.lastSignAt = createdAt
}

function takeFailure(
  walk: Walk,
  entry: EventOf<'temporarily_failed' | 'temporarily_timed_out'>,
): void {
  const { type, createdAt: at, backoffExpiresAt: dueAt } = entry
  const isSilent = isLost(walk, at)
  close(walk, at)
  const kind = type === 'temporarily_failed' ? 'failed' : 'timed_out'
  if (!isSilent) walk.marks.push({ kind, at })
  begin(walk, { doing: 'backoff', since: at, dueAt })
}

/** What the code did. */
function takeHistory(walk: Walk, entry: EventView): void {
  const { type, createdAt: at } = entry
  walk.lastSignAt = at
  if (type === 'step_finished') walk.marks.push({ kind: 'step', at })
  if (type === 'step_failed') walk.marks.push({ kind: 'step_failed', at })
  if (type === 'join_set_request' && entry.kind === 'child') {
    walk.setsWithChildren.add(entry.joinSetId)
  }
  const isAsk = type === 'join_next' || type === 'join_next_try' || type === 'join_next_withdraw'
  if (isAsk || type === 'wait') takeAsk(walk, entry)
}

type AskEvent = EventOf<'join_next' | 'join_next_try' | 'join_next_withdraw' | 'wait'>

/** An ask more or less; and where the code stopped to wait. */
function takeAsk(walk: Walk, entry: AskEvent): void {
  const ask = askOf(entry)
  if (ask !== undefined) {
    walk.asks.set(ask.joinSetId, (walk.asks.get(ask.joinSetId) ?? 0) + ask.change)
  }
  const blocking = blockingOf(entry)
  if (blocking === undefined) return
  const since = entry.createdAt
  close(walk, since)
  const { seenCursor } = blocking
  begin(walk, { doing: waitOf(walk, seenCursor), since, dueAt: wokenAt(walk, seenCursor) })
}

/** What a parked execution waits for: the most telling of its open asks. */
function waitOf(walk: Walk, seenCursor: Cursor): Doing {
  const open = openSets(walk, seenCursor)
  const isOf = (kind: string) => (id: JoinSetId) => readJoinSetId(id).kind === kind
  if (open.some(isOf('messages'))) return 'message'
  if (open.some((id) => walk.setsWithChildren.has(id))) return 'children'
  const isRetry = (id: JoinSetId): boolean => id.startsWith('o:retry-')
  return open.length > 0 && open.every(isRetry) ? 'backoff' : 'sleep'
}

/** Sets that owe an answer. */
function openSets({ asks, responses }: Walk, seenCursor: Cursor): readonly JoinSetId[] {
  const answered = new Map<JoinSetId, number>()
  for (const { response, ordinal } of responses) {
    if (response.cursor <= seenCursor) answered.set(response.joinSetId, ordinal)
  }
  return [...asks].flatMap(([id, count]) => (count > (answered.get(id) ?? 0) ? [id] : []))
}

/** When a response came that answers an ask. */
function wokenAt({ asks, responses }: Walk, seenCursor: Cursor): Instant {
  const waking = responses.find(
    ({ response, ordinal }) =>
      response.cursor > seenCursor && ordinal <= (asks.get(response.joinSetId) ?? 0),
  )
  return waking?.response.createdAt ?? Number.POSITIVE_INFINITY
}

/** Begins what goes on next; without a due time it lasts until the next event. */
function begin(
  walk: Walk,
  next: { readonly doing: Doing; readonly since: Instant; readonly dueAt?: Instant },
): void {
  walk.doing = next.doing
  walk.since = next.since
  walk.dueAt = next.dueAt ?? Number.POSITIVE_INFINITY
}

/** Ends what goes on; a wait that is over is followed by the wait for an executor. */
function close(walk: Walk, at: Instant): void {
  const { doing, since, dueAt, stretches, lastSignAt } = walk
  if (doing === 'running') {
    const end = isLost(walk, at) ? lastSignAt : at
    stretches.push({ doing, from: since, to: end })
    add(stretches, { doing: 'silent', from: end, to: at })
    return
  }
  const due = Math.max(since, Math.min(dueAt, at))
  add(stretches, { doing, from: since, to: due })
  add(stretches, { doing: 'queued', from: due, to: at })
}

function add(stretches: Stretch[], stretch: Stretch): void {
  if (stretch.to > stretch.from) stretches.push(stretch)
}

/** Whether the run ended because its lock had expired: by somebody else's hand. */
function isLost(walk: Walk, at: Instant): boolean {
  const late = at - walk.lockExpiresAt
  if (walk.doing !== 'running' || late < 0) return false
  return late > settleMax || walk.isExtendedInFull || isTakenOver(walk, at)
}

/** Whether somebody else went on, and the owner has not been heard of since. */
function isTakenOver({ locks, lastLocks, executorId }: Walk, at: Instant): boolean {
  const next = locks.find(({ createdAt }) => createdAt >= at)
  if (next === undefined || next.executorId === executorId) return false
  return (lastLocks.get(executorId) ?? at) < at
}

// ── the end, in a few words ─────────────────────────────────────────────────────────────────────

function kindOf(outcome: Outcome): 'ok' | 'err' | 'cancelled' {
  if (outcome.type !== 'execution_failure') return outcome.type
  return outcome.kind === 'cancelled' ? 'cancelled' : 'err'
}

function endOf(
  events: readonly EventView[],
  { doing, dueAt }: Walk,
  until: Instant,
): Pick<Story, 'outcome' | 'end'> {
  const last = events.at(-1)
  if (last?.type === 'finished') {
    return { outcome: describeOutcome(last.outcome), end: kindOf(last.outcome) }
  }
  const reason = last?.type === 'paused' ? last.reason : undefined
  const what = nowDoing[dueAt <= until ? 'queued' : doing]
  return { outcome: reason === undefined ? what : `${what}: ${reason}`, end: 'open' }
}

function describeOutcome(outcome: Outcome): string {
  if (outcome.type !== 'execution_failure') {
    const word = outcome.type
    return `${word} ${firstWord('value' in outcome ? outcome.value : undefined)}`.trimEnd()
  }
  const reason = outcome.reason?.replace(/^(?:activity|workflow) trap: /, '')
  if (outcome.kind === 'uncategorized') return reason ?? 'failed'
  const kind = outcome.kind.replaceAll('_', ' ')
  return reason === undefined ? kind : `${kind}: ${reason}`
}

/** The first text or number in a value: enough to recognise it by. */
function firstWord(value: unknown): string {
  const isList = typeof value === 'object' && value !== null
  const parts: readonly unknown[] = isList ? Object.values(value) : [value]
  const found = parts.find((part) => typeof part === 'string' || typeof part === 'number')
  return found === undefined ? '' : String(found)
}

/** What it does when the story breaks off. */
const nowDoing: Readonly<Record<Doing, string>> = {
  running: 'is running',
  queued: 'is due',
  scheduled: 'is to come',
  backoff: 'will be tried again',
  silent: 'is not known',
  sleep: 'sleeps',
  message: 'waits for a message',
  children: 'waits for children',
  paused: 'is paused',
  cancelling: 'is being cancelled',
  unknown: 'is not known',
}
