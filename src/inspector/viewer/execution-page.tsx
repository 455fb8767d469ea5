/** One execution: why it is where it is, what it did when, and any moment of its past. */

import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { ExecutionAnswer } from '../server/wire.ts'
import { Actions } from './actions.tsx'
import { questionOf } from './api.ts'
import { ChartView } from './chart-view.tsx'
import { EventDetail } from './event-detail.tsx'
import { useEvents } from './event-pages.ts'
import { EventList } from './events-view.tsx'
import { formatAge, formatDuration } from './format.ts'
import { about, replaceHash, useAnswer, useNow } from './hooks.ts'
import { InboxView } from './inbox-view.tsx'
import { LogsView } from './logs-view.tsx'
import { Age, ExecutionLink, Loading, Problem, Status, Value } from './parts.tsx'
import { usePosition } from './position.ts'
import { formatRoute, type Route } from './route.ts'
import { Scrubber } from './scrubber.tsx'
import { Tabs } from './tabs.tsx'
import { TimelineView } from './timeline-view.tsx'
import { TreeView } from './tree-view.tsx'
import type { RowWindow } from './virtual.ts'

/** The page. */
export function ExecutionPage(props: {
  readonly route: Route
  readonly canAct: boolean
}): JSX.Element {
  const { route, canAct } = props
  const { id } = route
  const path = questionOf('execution', { id })
  const { answer, error, reload } = useAnswer<ExecutionAnswer>(path, about(id))
  return (
    <main class="page execution">
      <Problem error={error} />
      {answer === undefined ? (
        error === undefined && <Loading />
      ) : (
        <>
          <Head execution={answer} />
          {canAct && <Actions execution={answer} onDone={reload} />}
          <Standing execution={answer} />
          <History execution={answer} route={route} />
        </>
      )}
    </main>
  )
}

function Head({ execution }: { readonly execution: ExecutionAnswer }): JSX.Element {
  const { line, scheduledBy } = execution
  const { id, kind, functionName, functionVersion, attempt, createdAt, finishedAt } = line
  return (
    <header class="execution-head">
      <h1 title={id}>{id}</h1>
      <p class="facts-line">
        <Status line={line} />
        <span title={`${kind} ${functionName}, version ${functionVersion}`}>
          <span class="faint">{kind}</span> {functionName}
          {functionVersion !== '1' && <span class="faint"> v{functionVersion}</span>}
        </span>
        <span>
          <span class="faint">attempt</span> {attempt}
        </span>
        <span>
          <span class="faint">created</span> <Age at={createdAt} />
        </span>
        {finishedAt !== undefined && (
          <span>
            <span class="faint">took</span> {formatDuration(finishedAt - createdAt)}
          </span>
        )}
        {line.parentId !== undefined && (
          <span class="related">
            <span class="faint">child of</span> <ExecutionLink id={line.parentId} />
          </span>
        )}
        <a href={`/stately?id=${encodeURIComponent(id)}`} target="_blank" rel="noopener noreferrer">
          in Stately’s inspector ↗
        </a>
        {scheduledBy !== undefined && (
          <span class="related">
            <span class="faint">scheduled by</span> <ExecutionLink id={scheduledBy} />
          </span>
        )}
      </p>
    </header>
  )
}

/** Why it is where it is. */
function Standing({ execution }: { readonly execution: ExecutionAnswer }): JSX.Element | null {
  const { explanation, line } = execution
  const { summary, waitingFor, since, heldBy, nextWakeAt, problems } = explanation
  const now = useNow()
  if (line.status === 'finished') return null
  return (
    <section class={problems.length > 0 ? 'standing has-problems' : 'standing'} aria-label="Now">
      <p class="summary">{summary}</p>
      <p class="faint">
        waiting for {waitingFor} since {formatAge(since, now)}
        {nextWakeAt !== undefined && `; next wake ${formatAge(nextWakeAt, now)}`}
        {heldBy !== undefined && `; ${describeHolder(heldBy, now)}`}
      </p>
      {problems.map((problem) => (
        <p key={problem} class="problem">
          {problem}
        </p>
      ))}
    </section>
  )
}

function describeHolder(
  { executorId, host = executorId, pid, alive, until }: Holder,
  now: number,
): string {
  const process = pid === undefined ? host : `${host}, pid ${pid}`
  const silence = alive ? '' : ', which gives no sign of life'
  return `held by ${process}${silence}, lock ends ${formatAge(until, now)}`
}

type Holder = NonNullable<ExecutionAnswer['explanation']['heldBy']>

/** Any moment of its past: slider, timeline, events and chart move together. */
function History(props: {
  readonly execution: ExecutionAnswer
  readonly route: Route
}): JSX.Element {
  const { execution, route } = props
  const { id, version, createdAt } = execution.line
  const position = usePosition(route, version)
  const [window, setWindow] = useState<RowWindow>({ first: 0, end: 1 })
  const events = useEvents(id, version + 1, { window, also: position.version })
  const current = events.eventAt(position.version)
  const cursor = position.isLatest ? undefined : current?.createdAt
  const setTab = (tab: string): void => {
    replaceHash(formatRoute('execution', { id, query: { ...route.query, tab } }))
  }
  const list = (): JSX.Element => (
    <EventList events={events} position={position} createdAt={createdAt} onWindow={setWindow} />
  )
  return (
    <>
      <Scrubber position={position} event={current} createdAt={createdAt} />
      <TimelineView id={id} cursor={cursor} />
      <div class="columns">
        <Tabs
          label="About this execution"
          open={route.query['tab'] ?? 'events'}
          onOpen={setTab}
          tabs={[
            { key: 'events', label: 'Events', body: list },
            { key: 'values', label: 'Values', body: () => <Values execution={execution} /> },
            { key: 'children', label: 'Children', body: () => <TreeView id={id} /> },
            {
              key: 'inbox',
              label: 'Inbox',
              body: () => <InboxView id={id} createdAt={createdAt} />,
            },
            { key: 'logs', label: 'Logs', body: () => <LogsView id={id} /> },
          ]}
        />
        <div class="side">
          <section class="card" aria-label="Statechart">
            <ChartView id={id} version={position.version} />
          </section>
          <section class="card" aria-label="Event">
            <EventDetail id={id} event={current} />
          </section>
        </div>
      </div>
    </>
  )
}

/** What went in, what came out, and what travels with it. */
function Values({ execution }: { readonly execution: ExecutionAnswer }): JSX.Element {
  const { input, outcome = [], metadata, deploymentId } = execution
  return (
    <div class="scroll">
      <h3>Input</h3>
      <Value value={input} />
      {outcome.length > 0 && <h3>Outcome</h3>}
      {outcome.map((value) => (
        <Value key={value.name} value={value} />
      ))}
      {metadata.length > 0 && <h3>Metadata</h3>}
      {metadata.map((value) => (
        <Value key={value.name} value={value} />
      ))}
      <h3>Created by</h3>
      <Value value={{ name: 'deployment', text: deploymentId }} />
    </div>
  )
}
