/** One event, with everything that it says. */

import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { EventLine, TraceLine } from '../server/wire.ts'
import { ask, questionOf } from './api.ts'
import { formatInstant, formatTime } from './clock.ts'
import { CodeView } from './code-view.tsx'
import { formatDuration, spaced } from './format.ts'
import { Value } from './parts.tsx'

/** The event at the position. */
export function EventDetail(props: {
  readonly id: string
  readonly event: EventLine | undefined
}): JSX.Element {
  const { id, event } = props
  const [whole, setWhole] = useState<EventLine>()
  useEffect(() => setWhole(undefined), [event])
  if (event === undefined) return <p class="faint">…</p>
  const readAll = (): void => {
    const path = questionOf('event', { id, version: event.version })
    ask<EventLine>(path).then(setWhole, () => undefined)
  }
  const { fields, httpTraces = [] } = whole ?? event
  return (
    <div class="detail">
      <h3>
        <span class="faint">{event.version}</span> {spaced(event.type)}
        <time class="faint"> {formatInstant(event.createdAt)}</time>
      </h3>
      {fields.map((value) => (
        <Value key={value.name} value={value} onMore={readAll} />
      ))}
      {httpTraces.length > 0 && <Traces traces={httpTraces} />}
      {event.source !== undefined && <CodeView place={event.source} />}
    </div>
  )
}

/** HTTP requests of an attempt: what was asked for, never what was carried. */
function Traces({ traces }: { readonly traces: readonly TraceLine[] }): JSX.Element {
  return (
    <table class="lines traces">
      <thead>
        <tr>
          <th scope="col">Sent</th>
          <th scope="col">Method</th>
          <th scope="col" class="wide">
            Address
          </th>
          <th scope="col">Status</th>
          <th scope="col" class="number">
            Took
          </th>
        </tr>
      </thead>
      <tbody>
        {traces.map((trace, index) => (
          <Trace key={index} trace={trace} />
        ))}
      </tbody>
    </table>
  )
}

function Trace({ trace }: { readonly trace: TraceLine }): JSX.Element {
  const { method, origin, path, queryKeys, status, error, startedAt, finishedAt } = trace
  const query = queryKeys.length === 0 ? '' : `?${queryKeys.map((key) => `${key}=…`).join('&')}`
  const address = `${origin}${path}${query}`
  const isBad = status === undefined || status >= 400
  return (
    <tr>
      <td title={formatInstant(startedAt)}>{formatTime(startedAt)}</td>
      <td>{method}</td>
      <td class="wide" title={address}>
        {address}
      </td>
      <td class={isBad ? 'is-bad' : ''}>{status ?? error ?? 'no answer'}</td>
      <td class="number">
        {finishedAt === undefined ? '–' : formatDuration(finishedAt - startedAt)}
      </td>
    </tr>
  )
}
