/** What a function logged while it ran. */

import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { LogLine, LogsAnswer } from '../server/wire.ts'
import { ask, questionOf } from './api.ts'
import { formatInstant, formatTime } from './clock.ts'
import { everything, useAnswer } from './hooks.ts'
import { Empty, Loading, Problem, Value } from './parts.tsx'

/** The lines. They arrive without a sign of their own, so every change asks again. */
export function LogsView({ id }: { readonly id: string }): JSX.Element {
  const { answer, error } = useAnswer<LogsAnswer>(questionOf('logs', { id }), everything)
  const [more, setMore] = useState<LogsAnswer>({ lines: [] })
  if (answer === undefined) return error === undefined ? <Loading /> : <Problem error={error} />
  const lines = [...answer.lines, ...more.lines]
  const next = more.lines.length === 0 ? answer.next : more.next
  if (lines.length === 0) {
    return (
      <Empty title="Nothing was logged.">
        <p>
          What a function says with <code>log</code> of its context stands here.
        </p>
      </Empty>
    )
  }
  const readOn = (after: number): void => {
    ask<LogsAnswer>(questionOf('logs', { id, after })).then(
      (page) => setMore({ ...page, lines: [...more.lines, ...page.lines] }),
      () => undefined,
    )
  }
  return (
    <div class="scroll">
      {lines.map((line) => (
        <Line key={line.lineId} line={line} />
      ))}
      {next !== undefined && (
        <button type="button" onClick={() => readOn(next)}>
          More
        </button>
      )}
    </div>
  )
}

function Line({ line }: { readonly line: LogLine }): JSX.Element {
  const { level, message, createdAt, runId, fields } = line
  const summary = (
    <>
      <time class="event-time" title={`${formatInstant(createdAt)}, ${runId}`}>
        {formatTime(createdAt)}
      </time>
      <span class={`level is-${level}`}>{level}</span>
      <span class="event-summary" title={message}>
        {message}
      </span>
    </>
  )
  if (fields === undefined) return <div class="entry is-flat">{summary}</div>
  return (
    <details class="entry">
      <summary>{summary}</summary>
      <Value value={fields} />
    </details>
  )
}
