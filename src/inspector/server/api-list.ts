/** The list of executions, filtered and a page at a time. */

import { invalidOption } from '../../base/options.ts'
import { viewListed } from '../../client/view.ts'
import { executionStatuses } from '../../model/state.ts'
import type { ListCursor, ListFilter } from '../../storage/list.ts'
import type { Query } from './query.ts'
import type { ViewerSource } from './source.ts'
import type { ListAnswer } from './wire.ts'

/** Lines of a page when nothing else is said, and at most. */
const pageDefault = 100
const pageMax = 500
/**
 * Rows that one page looks at: a filter that nearly nothing passes must not hold up the engine,
 * whose thread this is. 3 ms of it, measured.
 */
const searchMax = 10_000

/** A page of the list. */
export async function answerList(source: ViewerSource, query: Query): Promise<ListAnswer> {
  const { storage, clock } = source.context
  const after = query.text('after')
  const { items, next, searchedTo } = await storage.listExecutions({
    filter: filterOf(query),
    after: after === undefined ? undefined : parseCursor(after),
    limit: Math.max(1, Math.min(query.integer('limit', pageDefault), pageMax)),
    searchMax,
  })
  return {
    items: items.map(viewListed),
    now: clock.now(),
    ...(next === undefined ? {} : { next: `${next.createdAt}:${next.executionId}` }),
    ...(searchedTo === undefined ? {} : { searchedTo }),
  }
}

const outcomeTypes = ['ok', 'err', 'execution_failure'] as const

function filterOf(query: Query): ListFilter {
  return {
    functionName: query.text('function'),
    status: query.word('status', executionStatuses),
    outcome: query.word('outcome', outcomeTypes),
    paused: query.flag('paused'),
    idPrefix: query.text('prefix'),
    createdFrom: instantOf(query, 'from'),
    createdBefore: instantOf(query, 'before'),
    children: query.flag('children') ?? false,
  }
}

function instantOf(query: Query, name: string): number | undefined {
  return query.text(name) === undefined ? undefined : query.integer(name, 0)
}

function parseCursor(text: string): ListCursor {
  const [, createdAt, executionId] = /^(\d{1,16}):(.*)$/.exec(text) ?? []
  if (createdAt === undefined || executionId === undefined) {
    throw invalidOption('after', 'must be the `next` of a page')
  }
  return { createdAt: Number(createdAt), executionId }
}
