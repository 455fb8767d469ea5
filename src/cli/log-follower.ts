/** Follows the logs of a database: what is appended, in the order in which it is found. */

import type { Instant, Milliseconds } from '../base/time.ts'
import { type EventView, viewEvent } from '../client/view.ts'
import type { Version } from '../model/event.ts'
import type { ExecutionId } from '../model/ids.ts'
import type { Driver } from '../storage/driver.ts'
import { findLogs, type LogPlace, listCreatedLogs, listOpenLogs } from '../storage/follow.ts'
import { listEvents } from '../storage/read.ts'
import { readableCodec, storedCodec } from './codecs.ts'

/** An event, and whose it is. */
export interface FollowedEvent {
  readonly executionId: ExecutionId
  readonly event: EventView
}

/** Follows logs. */
export interface LogFollower {
  /** What was appended since the last time, oldest first. */
  readonly read: () => Promise<readonly FollowedEvent[]>
  /** Whether everything that is followed has finished; never when all executions are followed. */
  readonly isOver: () => boolean
  /** Executions that were open at the start and are too many to be followed. */
  readonly isCut: boolean
}

/** What it follows. */
export interface FollowOptions {
  readonly driver: Driver
  /** Only this execution; otherwise all, those to come included. */
  readonly executionId?: ExecutionId | undefined
  /** Events of that execution that have been there before, to begin with. */
  readonly lines?: number | undefined
  /** Values as they are stored. */
  readonly isStored: boolean
  readonly now: Instant
}

/** Executions followed at once. */
export const followedMax = 100_000
/** Places asked for by one transaction. */
const askedAtOnce = 1_000
/** Events of one log read at once. */
const eventsAtOnce = 1_000
/** How far the clock of a submitter may lag, for its execution to be seen as new. */
const clockSlack: Milliseconds = 5_000

/** Begins to follow. What is there already counts as seen. */
export async function followLogs(options: FollowOptions): Promise<LogFollower> {
  const { executionId } = options
  return executionId === undefined ? followAll(options) : followOne(options, executionId)
}

async function followOne(
  { driver, lines = 0, isStored }: FollowOptions,
  executionId: ExecutionId,
): Promise<LogFollower> {
  const [place] = await driver.read(() => findLogs([executionId]))
  const last = place?.version ?? -1
  let seen = Math.max(-1, last - lines)
  const [end] = await readEvents(driver, { executionId, after: last - 1, isStored })
  let isOver = end?.event.type === 'finished'
  return {
    isCut: false,
    isOver: () => isOver,
    read: async () => {
      const events = await readEvents(driver, { executionId, after: seen, isStored })
      seen = events.at(-1)?.event.version ?? seen
      isOver ||= events.at(-1)?.event.type === 'finished'
      return events
    },
  }
}

/** What is known of all executions. */
interface Followed {
  readonly driver: Driver
  /** Those that have not finished, and the last event that was seen of each. */
  readonly open: Map<ExecutionId, Version>
  /** Those created lately, seen or there at the start: they are not new. */
  readonly recent: Map<ExecutionId, Instant>
  /** New ones are created after this instant. */
  createdAfter: Instant
}

async function followAll({ driver, isStored, now }: FollowOptions): Promise<LogFollower> {
  const followed: Followed = {
    driver,
    open: new Map<ExecutionId, Version>(),
    recent: new Map<ExecutionId, Instant>(),
    createdAfter: now - clockSlack,
  }
  const { open } = followed
  const begun = await driver.read(() => listOpenLogs(followedMax))
  for (const { executionId, version } of begun) open.set(executionId, version)
  await findNew(followed)
  const read = async (): Promise<readonly FollowedEvent[]> => {
    const events: FollowedEvent[] = []
    for (const { executionId } of [...(await findMoved(followed)), ...(await findNew(followed))]) {
      const after = open.get(executionId) ?? -1
      const appended = await readEvents(driver, { executionId, after, isStored })
      events.push(...appended)
      const last = appended.at(-1)?.event
      if (last?.type === 'finished') open.delete(executionId)
      else open.set(executionId, last?.version ?? after)
    }
    return events.toSorted((left, right) => left.event.createdAt - right.event.createdAt)
  }
  return { isCut: begun.length >= followedMax, isOver: () => false, read }
}

/** Executions whose logs have grown. */
async function findMoved({ driver, open }: Followed): Promise<readonly LogPlace[]> {
  const ids = [...open.keys()]
  const moved: LogPlace[] = []
  for (let start = 0; start < ids.length; start += askedAtOnce) {
    const batch = ids.slice(start, start + askedAtOnce)
    const places = await driver.read(() => findLogs(batch))
    moved.push(...places.filter((place) => place.version !== open.get(place.executionId)))
  }
  return moved
}

/** Executions that nobody has seen before. */
async function findNew(followed: Followed): Promise<readonly LogPlace[]> {
  const { driver, open, recent } = followed
  const found: LogPlace[] = []
  let place = { createdAt: followed.createdAfter, executionId: '' }
  for (;;) {
    const page = { ...place, limit: askedAtOnce }
    const created = await driver.read(() => listCreatedLogs(page))
    found.push(...created.filter(({ executionId: id }) => !recent.has(id) && !open.has(id)))
    const last = created.at(-1)
    if (last === undefined || created.length < askedAtOnce) break
    place = last
  }
  for (const { executionId, createdAt } of found) recent.set(executionId, createdAt)
  for (const createdAt of recent.values()) {
    followed.createdAfter = Math.max(followed.createdAfter, createdAt - clockSlack)
  }
  for (const [id, createdAt] of recent) if (createdAt <= followed.createdAfter) recent.delete(id)
  return found
}

interface EventsAfter {
  readonly executionId: ExecutionId
  readonly after: Version
  readonly isStored: boolean
}

async function readEvents(
  driver: Driver,
  { executionId, after, isStored }: EventsAfter,
): Promise<readonly FollowedEvent[]> {
  const codec = isStored ? storedCodec : readableCodec
  const events: FollowedEvent[] = []
  for (let from = after + 1; ; from += eventsAtOnce) {
    const page = await driver.read(() => listEvents({ executionId, from, limit: eventsAtOnce }))
    events.push(...page.map((entry) => ({ executionId, event: viewEvent(codec, entry) })))
    if (page.length < eventsAtOnce) return events
  }
}
