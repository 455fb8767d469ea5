/** Reading transactions: a page of executions, newest first, and the children of one. */

import { SteleError } from '../base/error.ts'
import type { Instant } from '../base/time.ts'
import type { FunctionKind } from '../model/function-id.ts'
import type { ExecutionId } from '../model/ids.ts'
import type { ExecutionState, ExecutionStatus } from '../model/state.ts'
import { integerOf, textOf, textOrNone } from './column.ts'
import { type Protocol, query, type Row, type SqlValue, statement } from './protocol.ts'
import { parseState, stateColumns } from './state-row.ts'

/** Which executions to list. Everything given must hold. */
export interface ListFilter {
  readonly functionKind?: FunctionKind | undefined
  readonly functionName?: string | undefined
  readonly status?: ExecutionStatus | undefined
  /** Paused ones only, or only those that are not. */
  readonly paused?: boolean | undefined
  /** How finished ones ended. */
  readonly outcome?: 'ok' | 'err' | 'execution_failure' | undefined
  readonly idPrefix?: string | undefined
  /** Created at or after this instant. */
  readonly createdFrom?: Instant | undefined
  /** Created before this instant. */
  readonly createdBefore?: Instant | undefined
  /** Children too; otherwise only executions that were submitted or scheduled. */
  readonly children?: boolean | undefined
}

/** A place in the list: what comes after it is older. */
export interface ListCursor {
  readonly createdAt: Instant
  readonly executionId: string
}

/** A page to list. */
export interface ListRequest {
  readonly filter: ListFilter
  readonly after?: ListCursor | undefined
  readonly limit: number
  /**
   * Rows to look at; beyond that the page ends before it is full. Default: as many as it takes.
   * For whoever must not hold up the thread over a filter that nearly nothing passes.
   */
  readonly searchMax?: number | undefined
}

/** One line of the list. */
export interface ListedExecution {
  readonly state: ExecutionState
  readonly setAside?: string
}

/** A page. It may hold fewer than asked for, and yet not be the last. */
export interface ListedPage {
  readonly items: readonly ListedExecution[]
  /** Where the next page begins; absent on the last one. */
  readonly next?: ListCursor
  /** The search ended here, before the page was full. */
  readonly searchedTo?: Instant
}

const listPage = statement(
  'list-executions',
  `SELECT ${stateColumns}
   FROM executions e
   WHERE e.created_at_ms <= $1 AND (e.created_at_ms < $1 OR e.execution_id < $2)
     AND e.created_at_ms >= $3
     AND ($4 IS NULL OR e.function_kind = $4)
     AND ($5 IS NULL OR e.function_name = $5)
     AND ($6 IS NULL OR e.status = $6)
     AND ($7 IS NULL OR e.paused = $7)
     AND ($8 IS NULL OR e.outcome_type = $8)
     AND ($9 IS NULL OR substr(e.execution_id, 1, length($9)) = $9)
     AND ($10 = 1 OR e.parent_execution_id IS NULL)
   ORDER BY e.created_at_ms DESC, e.execution_id DESC
   LIMIT $11`,
)

/** The row after so many; from its instant on, all of the rows between are seen. */
const searchEnd = statement(
  'search-end',
  `SELECT e.created_at_ms
   FROM executions e
   WHERE e.created_at_ms <= $1 AND (e.created_at_ms < $1 OR e.execution_id < $2)
   ORDER BY e.created_at_ms DESC, e.execution_id DESC
   LIMIT 1 OFFSET $3`,
)

const selectLocked = statement(
  'select-locked',
  `SELECT ${stateColumns}
   FROM executions e
   WHERE e.status = 'locked' AND e.cancelling = 0 AND e.set_aside_reason IS NULL
     AND e.lock_expires_at_ms >= $1
   ORDER BY e.lock_expires_at_ms
   LIMIT $2`,
)

/** Children to list. */
export interface ChildrenPage {
  readonly parentId: ExecutionId
  /** Beyond this child, exclusive; absent: from the first. */
  readonly after?: ExecutionId | undefined
  readonly limit: number
}

const selectChildren = statement(
  'select-children',
  `SELECT ${stateColumns}
   FROM executions e
   WHERE e.parent_execution_id = $1 AND e.execution_id > $2
   ORDER BY e.execution_id
   LIMIT $3`,
)

/** Sorts after every id. */
const afterEveryId = '~'

/** A page of executions, newest first; rows that cannot be read are left out. */
export function* listExecutions(request: ListRequest): Protocol<ListedPage> {
  const { limit } = request
  const after = startOf(request)
  const end = yield* findSearchEnd(request, after)
  const from = Math.max(end ?? 0, request.filter.createdFrom ?? Number.MIN_SAFE_INTEGER)
  const filters = filterValues({
    ...request.filter,
    ...(end === undefined ? {} : { createdFrom: from }),
  })
  // One more than asked for says whether there is a next page.
  const rows = yield* query(listPage, after.createdAt, after.executionId, ...filters, limit + 1)
  const last = rows.length > limit ? rows[limit - 1] : undefined
  const items = rows.slice(0, limit).flatMap(parseListed)
  if (last !== undefined) return { items, next: placeOf(last) }
  if (end === undefined || end < from) return { items }
  return { items, next: { createdAt: end, executionId: '' }, searchedTo: end }
}

/** Where a search has to end; `undefined` when it may go on to the oldest. */
function* findSearchEnd(
  { searchMax }: ListRequest,
  after: ListCursor,
): Protocol<Instant | undefined> {
  if (searchMax === undefined) return undefined
  const [row] = yield* query(searchEnd, after.createdAt, after.executionId, searchMax)
  return row === undefined ? undefined : integerOf(row, 'created_at_ms')
}

/** Locked executions, the one first whose lock ends first; unreadable rows are left out. */
export function* listLocked(limit: number): Protocol<readonly ExecutionState[]> {
  const rows = yield* query(selectLocked, Number.MIN_SAFE_INTEGER, limit)
  return rows.flatMap(parseListed).map(({ state }) => state)
}

/** Children of an execution, ascending by the text of their ids; unreadable rows are left out. */
export function* listChildren(page: ChildrenPage): Protocol<readonly ListedExecution[]> {
  const rows = yield* query(selectChildren, page.parentId, page.after ?? '', page.limit)
  return rows.flatMap(parseListed)
}

function filterValues(filter: ListFilter): readonly SqlValue[] {
  return [
    filter.createdFrom ?? Number.MIN_SAFE_INTEGER,
    filter.functionKind ?? null,
    filter.functionName ?? null,
    filter.status ?? null,
    filter.paused === undefined ? null : Number(filter.paused),
    filter.outcome ?? null,
    filter.idPrefix ?? null,
    filter.children === true ? 1 : 0,
  ]
}

/** Read from the columns alone, so that an unreadable row does not end the list. */
function placeOf(row: Row): ListCursor {
  return {
    createdAt: integerOf(row, 'created_at_ms'),
    executionId: textOf(row, 'execution_id'),
  }
}

/** Where the page begins: the filter holds even for a cursor that points to a newer place. */
function startOf({ filter, after }: ListRequest): ListCursor {
  const newest = (filter.createdBefore ?? Number.MAX_SAFE_INTEGER) - 1
  if (after !== undefined && after.createdAt <= newest) return after
  return { createdAt: newest, executionId: afterEveryId }
}

function parseListed(row: Row): readonly ListedExecution[] {
  try {
    const setAside = textOrNone(row, 'set_aside_reason')
    return [{ state: parseState(row), ...(setAside === undefined ? {} : { setAside }) }]
  } catch (cause) {
    if (cause instanceof SteleError) return []
    throw cause
  }
}
