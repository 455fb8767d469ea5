/** The events of a log: of thousands only those in view are drawn. */

import type { JSX } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { EventLine } from '../server/wire.ts'
import { formatInstant } from './clock.ts'
import type { EventPages } from './event-pages.ts'
import { formatDuration, spaced } from './format.ts'
import { useSize } from './hooks.ts'
import type { Position } from './position.ts'
import { type RowWindow, rowWindow, scrollTo } from './virtual.ts'

/** Height of a line in pixels; the style sheet has the same. */
const eventRowHeight = 28

/** What the list needs. */
export interface EventListProps {
  readonly position: Position
  readonly createdAt: number
  readonly events: EventPages
  /** Told which events are in view. */
  readonly onWindow: (window: RowWindow) => void
}

/** The list. Arrow keys move through it, and everything else on the page with it. */
export function EventList({ events, position, createdAt, onWindow }: EventListProps): JSX.Element {
  const { version, last, go, step } = position
  const count = last + 1
  const { ref, height } = useSize()
  const [scrollTop, setScrollTop] = useState(0)
  const viewport = { scrollTop, height, rowHeight: eventRowHeight, count }
  const window = rowWindow(viewport)
  useEffect(() => onWindow(window), [window.first, window.end])
  useFollow(ref, { ...viewport, version })
  return (
    <div
      ref={ref}
      class="events"
      role="listbox"
      aria-label="Events"
      aria-activedescendant={`event-${version}`}
      tabIndex={0}
      onScroll={(event) => setScrollTop(event.currentTarget.scrollTop)}
      onKeyDown={(event) => {
        const by = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
        if (by === 0) return
        event.preventDefault()
        step(by)
      }}
    >
      <div class="events-all" style={{ height: `${count * eventRowHeight}px` }}>
        <Rows events={events} window={window} version={version} createdAt={createdAt} go={go} />
      </div>
    </div>
  )
}

/** Brings the event at the position into view whenever it changes. */
function useFollow(
  ref: { readonly current: HTMLElement | null },
  viewport: Parameters<typeof scrollTo>[1] & { readonly version: number },
): void {
  const before = useRef(-1)
  useEffect(() => {
    const list = ref.current
    if (list === null || viewport.height === 0 || before.current === viewport.version) return
    before.current = viewport.version
    list.scrollTop = scrollTo(viewport.version, { ...viewport, scrollTop: list.scrollTop })
  }, [viewport.version, viewport.height])
}

interface RowsProps {
  readonly events: EventPages
  readonly window: { readonly first: number; readonly end: number }
  readonly version: number
  readonly createdAt: number
  readonly go: (version: number) => void
}

function Rows({ events, window, version, createdAt, go }: RowsProps): JSX.Element {
  const versions = Array.from({ length: window.end - window.first }, (_, n) => window.first + n)
  return (
    <>
      {versions.map((at) => {
        const event = events.eventAt(at)
        const kind = at === version ? ' is-current' : at > version ? ' is-future' : ''
        return (
          <div
            key={at}
            id={`event-${at}`}
            role="option"
            aria-selected={at === version}
            class={`event${kind} type-${event?.type ?? 'unknown'}`}
            style={{ top: `${at * eventRowHeight}px` }}
            onClick={() => go(at)}
          >
            <span class="event-version">{at}</span>
            <Row event={event} createdAt={createdAt} />
          </div>
        )
      })}
    </>
  )
}

function Row(props: {
  readonly event: EventLine | undefined
  readonly createdAt: number
}): JSX.Element {
  const { event, createdAt } = props
  if (event === undefined) return <span class="faint">…</span>
  return (
    <>
      <span class="event-time" title={formatInstant(event.createdAt)}>
        +{formatDuration(event.createdAt - createdAt)}
      </span>
      <span class="event-type">{spaced(event.type)}</span>
      <span class="event-summary" title={event.summary}>
        {event.summary}
      </span>
    </>
  )
}
