/** Answers about one execution as a whole: where it stands, what is below it, what it did when. */

import type { ClientContext } from '../../client/client-context.ts'
import { createHandle } from '../../client/handle.ts'
import { notFoundError } from '../../client/refusal-error.ts'
import { lastInstant, lastLocksOf } from '../../client/timeline.ts'
import { tellStory } from '../../client/timeline-story.ts'
import { type ExecutionTree, readTree } from '../../client/tree.ts'
import { type LogView, viewListed, viewLog } from '../../client/view.ts'
import type { CreatedEvent } from '../../model/event.ts'
import type { ExecutionId } from '../../model/ids.ts'
import type { StateReport } from '../../storage/read.ts'
import type { Query } from './query.ts'
import { shownMax, showText, showValue } from './show.ts'
import { showOutcome } from './show-event.ts'
import type { ViewerSource } from './source.ts'
import type { ExecutionAnswer, TimelineAnswer, TimelineRow, TreeAnswer, TreeNode } from './wire.ts'

/** Executions in one tree. */
const treeMax = 500
/** Executions in one timeline; of each the log is read. */
const timelineMax = 60
/** Events, and responses, that are read of each execution in a timeline. */
const timelineEventsMax = 20_000

/** Where an execution stands. */
export async function answerExecution(
  { context }: ViewerSource,
  query: Query,
): Promise<ExecutionAnswer> {
  const id = query.executionId()
  const report = await context.storage.findReport(id)
  const first = await context.storage.findEvent(id, 0)
  if (report === undefined || first?.event.type !== 'created') throw notFoundError(id)
  const explanation = await createHandle(context, id).explain()
  const { setAside, state } = report
  const definition = context.definitions.get(state.function.name)
  return {
    line: viewListed({ state, ...(setAside === undefined ? {} : { setAside }) }),
    explanation,
    ...standing(report),
    ...beginning(context, first.event),
    ...ending(context, report),
    isStub: definition === undefined ? false : definition.handler === undefined,
    now: context.clock.now(),
  }
}

function standing({ state, lastEvent: { event } }: StateReport): Partial<ExecutionAnswer> {
  const reason = 'reason' in event ? event.reason : undefined
  return {
    ...(reason === undefined ? {} : { reason }),
    ...(state.status === 'locked' ? { lockExpiresAt: state.lockExpiresAt } : {}),
    ...(state.status === 'finished' ? {} : state.lastOwner),
  }
}

function beginning(
  { codec }: ClientContext,
  { input, metadata = {}, deploymentId, scheduledBy }: CreatedEvent,
): Pick<ExecutionAnswer, 'input' | 'metadata' | 'deploymentId' | 'scheduledBy'> {
  return {
    input: showValue('input', input, { codec, max: shownMax }),
    metadata: Object.entries(metadata).map(([key, text]) => showText(key, text, shownMax)),
    deploymentId,
    ...(scheduledBy === undefined ? {} : { scheduledBy }),
  }
}

function ending(
  { codec }: ClientContext,
  { lastEvent: { event } }: StateReport,
): Pick<ExecutionAnswer, 'outcome'> {
  if (event.type !== 'finished') return {}
  return { outcome: showOutcome(event.outcome, { codec, max: shownMax }) }
}

/** What is below an execution. */
export async function answerTree({ context }: ViewerSource, query: Query): Promise<TreeAnswer> {
  const executionId = query.executionId()
  const tree = await readTree(context, { executionId, limit: treeMax, readLog: undefined })
  const { delays } = await context.storage.findWaits(executionId)
  return {
    tree: nodeOf(tree),
    delays: delays.map(({ delayId, dueAt, paused }) => ({ id: delayId, dueAt, paused })),
    now: context.clock.now(),
  }
}

function nodeOf({ execution, children, hidden }: ExecutionTree): TreeNode {
  return { line: execution, children: children.map(nodeOf), hidden: hidden === true }
}

/** What an execution and its children did, and when. */
export async function answerTimeline(
  { context }: ViewerSource,
  query: Query,
): Promise<TimelineAnswer> {
  const executionId = query.executionId()
  const readLog = (id: ExecutionId): Promise<LogView> => readBoundedLog(context, id)
  const tree = await readTree(context, { executionId, limit: timelineMax, readLog })
  const now = context.clock.now()
  const isOpen = tree.execution.finishedAt === undefined
  const lastAt = lastInstant(tree)
  const until = isOpen ? Math.max(now, lastAt) : lastAt
  const around = { until, lastLocks: lastLocksOf([tree]) }
  const grow = (node: ExecutionTree, depth: number): readonly TimelineRow[] => [
    rowOf(node, depth, tellStory(node, around)),
    ...node.children.flatMap((child) => grow(child, depth + 1)),
  ]
  return { rows: grow(tree, 0), from: tree.execution.createdAt, to: until, lastAt, now }
}

function rowOf(
  { execution, hidden }: ExecutionTree,
  depth: number,
  story: ReturnType<typeof tellStory>,
): TimelineRow {
  const { id, functionName: name, attempt } = execution
  return { id, name, depth, attempt, ...story, hidden: hidden === true }
}

/** A log, up to what a picture can show of it. Rejects with `execution_not_found`. */
export async function readBoundedLog(
  { storage, codec }: ClientContext,
  executionId: ExecutionId,
): Promise<LogView> {
  const record = await storage.findRecord(executionId, timelineEventsMax)
  if (record === undefined) throw notFoundError(executionId)
  return viewLog(codec, { id: executionId, ...record })
}
