/** The executions, newest first: filtered by what stands in the hash, and a page at a time. */

import type { JSX } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import type { ExecutionLine, ListAnswer } from '../server/wire.ts'
import { questionOf } from './api.ts'
import { formatInstant, parseLocal } from './clock.ts'
import { Filters } from './filters.tsx'
import { formatDuration } from './format.ts'
import { useAnswer, useNow } from './hooks.ts'
import { Age, Empty, ExecutionLink, Loading, Problem, Status } from './parts.tsx'
import { formatRoute, type Route } from './route.ts'
import { stateFilters } from './status-of.ts'

/** Lines of a page. */
const pageSize = 100

/** The page. */
export function ListPage({ route }: { readonly route: Route }): JSX.Element {
  const { query } = route
  const { answer, error } = useAnswer<ListAnswer>(questionOf('executions', askedFor(query)))
  const isFiltered = Object.keys(query).some((key) => key !== 'after' && key !== 'children')
  return (
    <main class="page">
      <h1 class="visually-hidden">Executions</h1>
      <Filters query={query} />
      <Problem error={error} />
      {answer === undefined ? error === undefined && <Loading /> : <Lines answer={answer} />}
      {answer?.items.length === 0 && <Nothing answer={answer} isFiltered={isFiltered} />}
      {answer !== undefined && <Pages answer={answer} query={query} />}
    </main>
  )
}

/** What the server is asked, for what stands in the hash. */
function askedFor(query: Route['query']): Readonly<Record<string, string | number>> {
  const filter = stateFilters.find(({ key }) => key === query['state'])?.query
  const asked: Record<string, string | number> = { ...filter, limit: pageSize }
  for (const name of ['function', 'prefix', 'children', 'after']) asked[name] = query[name] ?? ''
  for (const name of ['from', 'before']) asked[name] = parseLocal(query[name] ?? '') ?? ''
  return asked
}

function Lines({ answer }: { readonly answer: ListAnswer }): JSX.Element | null {
  const body = useRef<HTMLTableSectionElement>(null)
  const { items } = answer
  if (items.length === 0) return null
  return (
    <div class="table-frame">
      <table class="lines">
        <thead>
          <tr>
            <th scope="col">State</th>
            <th scope="col">Function</th>
            <th scope="col" class="wide">
              Execution
            </th>
            <th scope="col" class="number">
              Attempt
            </th>
            <th scope="col" class="number">
              Events
            </th>
            <th scope="col">Created</th>
            <th scope="col" class="number">
              Took
            </th>
          </tr>
        </thead>
        <tbody ref={body} onKeyDown={(event) => moveFocus(event, body.current)}>
          {items.map((line) => (
            <Line key={line.id} line={line} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** Arrows go from line to line. */
function moveFocus(event: KeyboardEvent, body: HTMLElement | null): void {
  const by = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
  if (by === 0 || body === null) return
  const links = [...body.querySelectorAll<HTMLElement>('a.id')]
  const index = links.findIndex((link) => link === document.activeElement)
  const next = links[index + by]
  if (next === undefined) return
  event.preventDefault()
  next.focus()
}

function Line({ line }: { readonly line: ExecutionLine }): JSX.Element {
  const { id, kind, functionName, attempt, version, createdAt } = line
  return (
    <tr>
      <td>
        <Status line={line} />
      </td>
      <td class="name" title={`${kind} ${functionName}`}>
        {functionName}
      </td>
      <td class="wide">
        <ExecutionLink id={id} />
      </td>
      <td class={attempt > 1 ? 'number is-notable' : 'number'}>{attempt}</td>
      <td class="number">{version + 1}</td>
      <td>
        <Age at={createdAt} />
      </td>
      <td class="number">
        <Took line={line} />
      </td>
    </tr>
  )
}

function Took({ line }: { readonly line: ExecutionLine }): JSX.Element {
  const now = useNow()
  const { createdAt, finishedAt, status, scheduledAt = 0 } = line
  if (status === 'pending_at' && scheduledAt > now) return <span class="faint">–</span>
  const length = formatDuration((finishedAt ?? now) - createdAt)
  return <span class={finishedAt === undefined ? 'faint' : ''}>{length}</span>
}

interface NothingProps {
  readonly answer: ListAnswer
  readonly isFiltered: boolean
}

function Nothing({ answer, isFiltered }: NothingProps): JSX.Element {
  if (answer.next !== undefined) {
    return <Empty title="Nothing yet among those that were searched." />
  }
  if (isFiltered) {
    return (
      <Empty title="No execution is like this.">
        <a href={formatRoute('executions')}>Show all of them</a>
      </Empty>
    )
  }
  return (
    <Empty title="No execution yet.">
      <p>
        As soon as an engine on this storage is given one by <code>engine.submit</code>, it stands
        here.
      </p>
    </Empty>
  )
}

interface PagesProps {
  readonly answer: ListAnswer
  readonly query: Route['query']
}

function Pages({ answer, query }: PagesProps): JSX.Element | null {
  const { next, searchedTo, items } = answer
  const older = next === undefined ? undefined : { ...query, after: next }
  const isSparse = searchedTo !== undefined && items.length === 0
  // A search that has found nothing goes on by itself; each step leaves the engine its turn.
  useEffect(() => {
    if (isSparse && older !== undefined) {
      location.replace(formatRoute('executions', { query: older }))
    }
  }, [isSparse, next])
  if (query['after'] === undefined && older === undefined) return null
  return (
    <nav class="pages" aria-label="Pages">
      {query['after'] !== undefined && (
        <a href={formatRoute('executions', { query: { ...query, after: '' } })}>Newest</a>
      )}
      {older !== undefined && (
        <a href={formatRoute('executions', { query: older })}>
          {searchedTo === undefined ? 'Older' : `Search before ${formatInstant(searchedTo)}`}
        </a>
      )}
    </nav>
  )
}
