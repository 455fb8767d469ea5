/** An execution with everything below it: for timelines, viewers, and whoever asks what went on. */

import type { ExecutionId } from '../model/ids.ts'
import type { ListedExecution } from '../storage/list.ts'
import type { ClientContext } from './client-context.ts'
import { notFoundError } from './refusal-error.ts'
import { type ListItem, type LogView, viewListed } from './view.ts'

/** An execution and its children, oldest first. */
export interface ExecutionTree {
  /** The execution itself. */
  readonly execution: ListItem
  /** Its children, as far down as was asked for. */
  readonly children: readonly ExecutionTree[]
  /** Its log and inbox, when they were asked for. */
  readonly log?: LogView
  /** Children that are not shown, because there are too many. */
  readonly hidden?: true
}

/** How much of a tree to read. */
export interface TreeOptions {
  /** Executions in all, the first included. Default and most: `limits.listPage`. */
  readonly limit?: number | undefined
  /** Read the log of each of them as well. Default false. */
  readonly logs?: boolean | undefined
}

/** What to read. */
export interface TreeRequest {
  readonly executionId: ExecutionId
  readonly limit: number
  /** Reads one log, when logs are asked for. */
  readonly readLog: ((id: ExecutionId) => Promise<LogView>) | undefined
}

/** Reads a tree, breadth first, until the limit is reached. */
export async function readTree(
  context: ClientContext,
  { executionId: id, limit, readLog }: TreeRequest,
): Promise<ExecutionTree> {
  const state = await context.storage.findState(id)
  if (state === undefined) throw notFoundError(id)
  const top = grow({ state })
  const queue = [top]
  let left = limit - 1
  for (let node = queue.shift(); node !== undefined; node = queue.shift()) {
    const { executionId } = node.item.state
    node.log = await readLog?.(executionId)
    // One more than is shown tells whether there are more.
    const found = await context.storage.listChildren({ parentId: executionId, limit: left + 1 })
    node.isCut = found.length > left
    node.children.push(...found.slice(0, left).map(grow).toSorted(byBirth))
    left -= node.children.length
    queue.push(...node.children)
  }
  return show(top)
}

interface Growing {
  readonly item: ListedExecution
  readonly children: Growing[]
  log: LogView | undefined
  isCut: boolean
}

function grow(item: ListedExecution): Growing {
  return { item, children: [], log: undefined, isCut: false }
}

/** Oldest first; of one instant, in the order of their numbers: `_2` before `_10`. */
function byBirth(left: Growing, right: Growing): number {
  const { state: a } = left.item
  const { state: b } = right.item
  const byNumber = a.executionId.localeCompare(b.executionId, 'en', { numeric: true })
  return a.createdAt - b.createdAt || byNumber
}

function show({ item, children, log, isCut }: Growing): ExecutionTree {
  const shown = { execution: viewListed(item), children: children.map(show) }
  const withLog = log === undefined ? shown : { ...shown, log }
  return isCut ? { ...withLog, hidden: true } : withLog
}
