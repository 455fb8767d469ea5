/** Trees of executions for tests, from events and responses at their instants. */

import { defaultCodec } from '../../src/base/codec.ts'
import type { ExecutionTree } from '../../src/client/tree.ts'
import { type ListItem, type LogView, viewLog } from '../../src/client/view.ts'
import type { ExecutionEvent } from '../../src/model/event.ts'
import type { ExecutionResponse } from '../../src/model/response.ts'

/** An event, and when it happened. */
export type At<Thing> = readonly [at: number, thing: Thing]

/** What a tree is made of. */
export interface TreeParts {
  readonly events?: readonly At<ExecutionEvent>[]
  readonly responses?: readonly At<ExecutionResponse>[]
  readonly children?: readonly ExecutionTree[]
  readonly item?: Partial<ListItem>
  readonly hidden?: true
}

/** An execution with what is below it; without events it has no log. */
export function treeOf(id: string, parts: TreeParts = {}): ExecutionTree {
  const { events, responses = [], children = [], item, hidden } = parts
  const tree = { execution: { ...itemOf(id, events ?? []), ...item }, children }
  return {
    ...tree,
    ...(events === undefined ? {} : { log: logOf(id, events, responses) }),
    ...(hidden === undefined ? {} : { hidden }),
  }
}

function itemOf(id: string, events: readonly At<ExecutionEvent>[]): ListItem {
  const [first = [0]] = events
  const [last = 0, event] = events.at(-1) ?? []
  const isFinished = event?.type === 'finished'
  const dot = id.lastIndexOf('.')
  return {
    id,
    kind: 'workflow',
    functionName: dot < 0 ? 'checkout' : 'charge',
    functionVersion: '1',
    status: isFinished ? 'finished' : 'locked',
    paused: false,
    cancelling: false,
    version: events.length - 1,
    attempt: 1,
    createdAt: first[0],
    ...(isFinished ? { finishedAt: last } : {}),
    ...(dot < 0 ? {} : { parentId: id.slice(0, dot) }),
  }
}

function logOf(
  id: string,
  events: readonly At<ExecutionEvent>[],
  responses: readonly At<ExecutionResponse>[],
): LogView {
  return viewLog(defaultCodec, {
    id,
    events: events.map(([createdAt, event], version) => ({ version, createdAt, event })),
    responses: responses.map(([createdAt, response], index) => ({
      cursor: index + 1,
      createdAt,
      ordinal: 1,
      afterVersion: Math.max(0, events.filter(([at]) => at <= createdAt).length - 1),
      response,
    })),
  })
}
