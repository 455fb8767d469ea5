/** What others told an execution: ends of children and delays, and messages. */

import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { ResponseLine, ResponsesAnswer } from '../server/wire.ts'
import { ask, questionOf } from './api.ts'
import { formatInstant } from './clock.ts'
import { formatDuration, ownPart, spaced } from './format.ts'
import { about, useAnswer } from './hooks.ts'
import { Empty, ExecutionLink, Loading, Problem, Value } from './parts.tsx'

/** The inbox. */
export function InboxView(props: { readonly id: string; readonly createdAt: number }): JSX.Element {
  const { id, createdAt } = props
  const { answer, error } = useAnswer<ResponsesAnswer>(questionOf('responses', { id }), about(id))
  const [more, setMore] = useState<ResponsesAnswer>({ responses: [] })
  if (answer === undefined) return error === undefined ? <Loading /> : <Problem error={error} />
  const next = more.responses.length === 0 ? answer.next : more.next
  const all = [...answer.responses, ...more.responses]
  if (all.length === 0) return <Empty title="Nothing has arrived." />
  const readOn = (after: number): void => {
    ask<ResponsesAnswer>(questionOf('responses', { id, after })).then(
      (page) => setMore({ ...page, responses: [...more.responses, ...page.responses] }),
      () => undefined,
    )
  }
  return (
    <div class="scroll">
      {all.map((response) => (
        <Response key={response.cursor} response={response} id={id} createdAt={createdAt} />
      ))}
      {next !== undefined && (
        <button type="button" onClick={() => readOn(next)}>
          More
        </button>
      )}
    </div>
  )
}

function Response(props: {
  readonly response: ResponseLine
  readonly id: string
  readonly createdAt: number
}): JSX.Element {
  const { response, id, createdAt } = props
  const { about: of, type, joinSetId, summary, fields } = response
  return (
    <details class="entry">
      <summary>
        <span class="event-time" title={formatInstant(response.createdAt)}>
          +{formatDuration(response.createdAt - createdAt)}
        </span>
        <span class="event-type">{spaced(type)}</span>
        <span class="event-summary" title={summary}>
          {summary}
        </span>
        <span class="faint" title={joinSetId}>
          {joinSetId}
        </span>
      </summary>
      {of !== undefined && type === 'child_finished' && (
        <p>
          <ExecutionLink id={of} text={ownPart(of, id)} />
        </p>
      )}
      {fields.map((value) => (
        <Value key={value.name} value={value} />
      ))}
    </details>
  )
}
