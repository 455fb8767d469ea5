/** Logs of workflows, replayed from every point at which a run could have been interrupted. */

import type { AnyFunction } from 'stele'
import { defaultCodec } from '../../src/base/codec.ts'
import { silentLogger } from '../../src/base/logger.ts'
import { systemScheduler } from '../../src/base/time.ts'
import { defaultLimits } from '../../src/client/limits.ts'
import {
  blockingOf,
  type CreatedEvent,
  type ExecutionEvent,
  type LoggedEvent,
} from '../../src/model/event.ts'
import type { DeploymentId, ExecutionId } from '../../src/model/ids.ts'
import type { ListedResponse } from '../../src/storage/read.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { findDefinition, type WorkflowDefinition } from '../../src/workers/definition.ts'
import { Frame } from '../../src/workers/workflow/frame.ts'
import { workflowGuard } from '../../src/workers/workflow/guard.ts'
import { createScope } from '../../src/workers/workflow/scope.ts'
import { isRetrySet } from '../../src/workers/workflow/step-events.ts'

/** An execution of a workflow, as it stands in a storage. */
export interface Recorded {
  readonly executionId: ExecutionId
  readonly events: readonly LoggedEvent[]
  readonly responses: readonly (ListedResponse & { readonly afterVersion: number })[]
}

/** Where a replay and the log part. */
export interface Parting {
  readonly executionId: ExecutionId
  readonly cut: number
  readonly what: string
  readonly expected?: unknown
  readonly actual?: unknown
}

const all = 10_000

/** Reads an execution. */
export async function readRecorded(storage: Storage, executionId: ExecutionId): Promise<Recorded> {
  const record = await storage.findRecord(executionId, all)
  const events = await storage.listEvents({ executionId, from: 0, limit: 1_000 })
  const listed = await storage.listResponses({ executionId, after: 0, limit: 1_000 })
  const places = new Map(record?.responses.map((entry) => [entry.cursor, entry.afterVersion]))
  const responses = listed.map((entry) => ({
    ...entry,
    afterVersion: places.get(entry.cursor) ?? 0,
  }))
  return { executionId, events, responses }
}

/** Replays every prefix that ends at one of the cuts, and the whole; gives where they part. */
export async function findPartings(
  workflow: AnyFunction,
  recorded: Recorded,
  cuts: ReadonlySet<number>,
): Promise<readonly Parting[]> {
  const partings: Parting[] = []
  for (const { version } of recorded.events) {
    if (cuts.has(version)) partings.push(...(await checkCut(workflow, recorded, version)))
  }
  return partings
}

async function checkCut(
  workflow: AnyFunction,
  recorded: Recorded,
  cut: number,
): Promise<readonly Parting[]> {
  const { executionId, events, responses } = recorded
  const prefix = events.slice(1, cut + 1)
  const rest = restAfter(events.slice(cut + 1))
  // What the run had seen when it next came to rest: its calls up to there are foretold.
  const known = responses.filter(({ cursor }) => cursor <= rest.seen)
  const frame = await replay(workflow, recorded, prefix, known)
  const parting = partingOf(frame, rest)
  if (parting !== undefined) return [{ executionId, cut, ...parting }]
  // Whatever else had come by the end, code and log agree.
  const later = await replay(workflow, recorded, prefix, responses)
  const actual = later.fault()
  return actual === undefined ? [] : [{ executionId, cut, what: 'fault with all', actual }]
}

/** What a log says beyond a cut, up to where the run came to rest. */
interface Rest {
  readonly seen: number
  readonly calls: readonly string[]
  readonly end: 'at_rest' | 'finished' | 'open'
}

function restAfter(events: readonly LoggedEvent[]): Rest {
  const barrier = events.findIndex(({ event }) => seenBy(event) !== undefined)
  const upTo = barrier < 0 ? events : events.slice(0, barrier + 1)
  const calls = callsOf(upTo.map(({ event }) => event))
  if (barrier >= 0) return { seen: seenBy(events[barrier]?.event) ?? 0, calls, end: 'at_rest' }
  const last = events.at(-1)?.event
  const isFinished = last?.type === 'finished' && !isCancelledOutcome(last)
  return { seen: Number.POSITIVE_INFINITY, calls, end: isFinished ? 'finished' : 'open' }
}

function partingOf(
  frame: Frame,
  { calls: expected, end }: Rest,
): Omit<Parting, 'executionId' | 'cut'> | undefined {
  const fault = frame.fault()
  if (fault !== undefined) return { what: 'fault', actual: fault }
  const actual = callsOf(frame.takeWrites().events)
  // A look finds what is there by then; a log that is still open says nothing of what comes.
  const isLooking = [...actual, ...expected].some((call) => call.includes('join_next_try'))
  if (isLooking || end === 'open') return undefined
  if (actual.join() !== expected.join()) return { what: 'other calls', expected, actual }
  return end === 'finished' && !frame.isClosed() ? { what: 'not closed' } : undefined
}

function isCancelledOutcome({ outcome }: Extract<ExecutionEvent, { type: 'finished' }>): boolean {
  return outcome.type === 'execution_failure' && outcome.kind === 'cancelled'
}

function seenBy(event: ExecutionEvent | undefined): number | undefined {
  if (event?.type === 'step_finished') return event.afterCursor
  return event === undefined ? undefined : blockingOf(event)?.seenCursor
}

/** Calls, without what was only measured. */
function callsOf(events: readonly ExecutionEvent[]): readonly string[] {
  return events.flatMap((event) => {
    if (!('seq' in event) || event.type === 'step_finished' || event.type === 'step_failed') {
      return []
    }
    if ('joinSetId' in event && isRetrySet(event.joinSetId)) return []
    const {
      dueAt: _due,
      seenCursor: _seen,
      runExpiresAt: _until,
      ...call
    } = { ...event } as Record<string, unknown>
    return [JSON.stringify(call, Object.keys(call).toSorted())]
  })
}

async function replay(
  workflow: AnyFunction,
  { executionId, events }: Recorded,
  prefix: readonly LoggedEvent[],
  responses: readonly ListedResponse[],
): Promise<Frame> {
  const [first] = events
  const frame = new Frame({
    executionId,
    created: first?.event as CreatedEvent,
    createdAt: first?.createdAt ?? 0,
    definition: findDefinition(workflow) as WorkflowDefinition,
    codec: defaultCodec,
    deploymentId: 'Dep_test' as DeploymentId,
    valueBytes: defaultLimits.valueBytes,
    errorDetailBytes: defaultLimits.errorDetailBytes,
    findFunction: () => undefined,
    wallNow: () => first?.createdAt ?? 0,
    enter: (entered, run) => workflowGuard.run(createScope(entered, silentLogger), run),
  })
  frame.add(prefix, responses)
  while (frame.hasNext()) {
    frame.beginTurn()
    await new Promise<void>((resolve) => systemScheduler.onQuiet(resolve))
    frame.endTurn()
  }
  frame.checkAtRest()
  return frame
}
