/** What an execution and its children did, over time and to scale. */

import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { TimelineAnswer, TimelineRow } from '../server/wire.ts'
import { questionOf } from './api.ts'
import { formatDuration, ownPart, spaced } from './format.ts'
import { about, useAnswer, useSize } from './hooks.ts'
import { ExecutionLink, Loading, Problem } from './parts.tsx'
import { pan, piecesOf, placeOf, type Span, thinMarks, ticksOf, zoom } from './time-scale.ts'

/** Height of a row in pixels; the style sheet has the same. */
const rowHeight = 26
/** Pixels before and behind the time that is drawn, so that marks at its ends are seen whole. */
const beforeRoom = 8
const behindRoom = 10
/** Rows that are drawn before one asks for the rest. */
const rowsShown = 12

/** The timeline. `cursor`: the moment that the rest of the page shows. */
export function TimelineView(props: {
  readonly id: string
  readonly cursor: number | undefined
}): JSX.Element {
  const { id, cursor } = props
  const { answer, error } = useAnswer<TimelineAnswer>(questionOf('timeline', { id }), about(id))
  const [zoomed, setZoomed] = useState<Span>()
  const [isWhole, setIsWhole] = useState(false)
  if (answer === undefined) return error === undefined ? <Loading /> : <Problem error={error} />
  const whole = { from: answer.from, to: Math.max(answer.to, answer.from + 1) }
  const span = zoomed ?? whole
  const rows = isWhole ? answer.rows : answer.rows.slice(0, rowsShown)
  const rest = answer.rows.length - rows.length
  const view = { span, whole, origin: answer.from, cursor, onSpan: setZoomed }
  return (
    <section class="timeline" aria-label="Timeline">
      <div class="timeline-head">
        <h2>Timeline</h2>
        <Legend rows={rows} />
        <Zoom view={view} isZoomed={zoomed !== undefined} busy={busyPart(answer)} />
      </div>
      <Picture rows={rows} top={id} view={view} />
      {rest > 0 && (
        <button type="button" class="link" onClick={() => setIsWhole(true)}>
          {rest} more
        </button>
      )}
      {answer.rows.some(({ hidden }) => hidden) && (
        <p class="faint">More children than are drawn here; open one to see what is below it.</p>
      )}
    </section>
  )
}

interface View {
  readonly span: Span
  readonly whole: Span
  /** From here the scale counts. */
  readonly origin: number
  readonly cursor: number | undefined
  readonly onSpan: (span: Span | undefined) => void
}

/** The part in which something happened, when most of the rest is a wait. */
function busyPart({ from, to, lastAt }: TimelineAnswer): Span | undefined {
  const length = Math.max(1, lastAt - from) * 1.04
  return to - from > 1.5 * length ? { from, to: from + length } : undefined
}

function Zoom(props: {
  readonly view: View
  readonly isZoomed: boolean
  readonly busy: Span | undefined
}): JSX.Element {
  const { view, isZoomed, busy } = props
  const { span, whole, cursor, onSpan } = view
  const at = cursor ?? (span.from + span.to) / 2
  const isIn = at >= span.from && at <= span.to
  const middle = isIn ? at : (span.from + span.to) / 2
  const by = (factor: number) => () => onSpan(zoom(span, factor, { at: middle, whole }))
  return (
    <div class="zoom">
      <button type="button" aria-label="Earlier" onClick={() => onSpan(pan(span, -0.5, whole))}>
        ←
      </button>
      <button type="button" aria-label="Later" onClick={() => onSpan(pan(span, 0.5, whole))}>
        →
      </button>
      <button type="button" aria-label="Zoom in" onClick={by(0.5)}>
        +
      </button>
      <button type="button" aria-label="Zoom out" onClick={by(2)}>
        −
      </button>
      {busy !== undefined && (
        <button type="button" title="Up to the last event" onClick={() => onSpan(busy)}>
          events
        </button>
      )}
      <button type="button" disabled={!isZoomed} onClick={() => onSpan(undefined)}>
        whole
      </button>
    </div>
  )
}

function Picture(props: {
  readonly rows: readonly TimelineRow[]
  readonly top: string
  readonly view: View
}): JSX.Element {
  const { rows, top, view } = props
  const { ref, width: outer } = useSize()
  const width = Math.max(0, outer - beforeRoom - behindRoom)
  const height = rows.length * rowHeight
  return (
    <div class="timeline-body">
      <div class="timeline-names">
        <div class="timeline-scale" />
        {rows.map((row) => (
          <Name key={row.id} row={row} top={top} />
        ))}
      </div>
      <div ref={ref} class="timeline-track" onWheel={(event) => wheel(event, width, view)}>
        <Scale width={width} view={view} />
        <svg
          width={outer}
          height={height}
          viewBox={`${-beforeRoom} 0 ${Math.max(1, outer)} ${Math.max(1, height)}`}
          role="img"
          aria-label={describe(rows)}
        >
          {ticksOf(view.span, view.origin, width).map((offset) => {
            const x = placeOf(view.origin + offset, view.span, width)
            return <line key={offset} class="grid" x1={x} x2={x} y1={0} y2={height} />
          })}
          {rows.map((row, index) => (
            <Track key={row.id} row={row} y={index * rowHeight} width={width} span={view.span} />
          ))}
          <Cursor width={width} height={height} view={view} />
        </svg>
      </div>
    </div>
  )
}

/** With Ctrl it zooms at the pointer, with Shift it moves; otherwise the page scrolls. */
function wheel(event: WheelEvent, width: number, { span, whole, onSpan }: View): void {
  if (event.ctrlKey || event.metaKey) {
    event.preventDefault()
    const at =
      span.from + ((event.offsetX - beforeRoom) / Math.max(1, width)) * (span.to - span.from)
    onSpan(zoom(span, event.deltaY > 0 ? 1.25 : 0.8, { at, whole }))
  } else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
    event.preventDefault()
    const by = event.deltaX === 0 ? event.deltaY : event.deltaX
    onSpan(pan(span, by / Math.max(1, width), whole))
  }
}

function describe(rows: readonly TimelineRow[]): string {
  return rows.map(({ name, outcome }) => `${name}: ${outcome}`).join('; ')
}

function Name({ row, top }: { readonly row: TimelineRow; readonly top: string }): JSX.Element {
  const { id, name, depth } = row
  const text = id === top ? name : `${name} ${ownPart(id, top)}`
  return (
    <div class="timeline-name" style={{ paddingLeft: `${depth * 14}px` }}>
      {id === top ? <span title={id}>{text}</span> : <ExecutionLink id={id} text={text} />}
      <span class={`outcome is-${row.end}`} title={row.outcome}>
        {row.outcome}
      </span>
    </div>
  )
}

function Scale({ width, view }: { readonly width: number; readonly view: View }): JSX.Element {
  const { span, origin } = view
  return (
    <div class="timeline-scale">
      {ticksOf(span, origin, width).map((offset) => {
        const x = placeOf(origin + offset, span, width)
        if (x > width - 50) return null
        return (
          <span key={offset} style={{ left: `${x}px` }}>
            {formatDuration(offset)}
          </span>
        )
      })}
    </div>
  )
}

function Track(props: {
  readonly row: TimelineRow
  readonly y: number
  readonly width: number
  readonly span: Span
}): JSX.Element {
  const { row, y, width, span } = props
  const middle = y + rowHeight / 2
  return (
    <g class="track">
      {piecesOf(row.stretches, span, width).map((piece) => (
        <rect
          key={`${piece.doing}-${piece.x}`}
          class={`doing-${piece.doing}`}
          x={piece.x}
          width={piece.width}
          y={middle - 6}
          height={12}
        >
          <title>{wordsFor[piece.doing] ?? spaced(piece.doing)}</title>
        </rect>
      ))}
      {thinMarks(row.marks, span, width).map((mark, index) => (
        <Mark key={index} kind={mark.kind} x={placeOf(mark.at, span, width)} y={middle} />
      ))}
    </g>
  )
}

const markPaths: Readonly<Record<string, string>> = {
  step: 'M0-4 4 0 0 4-4 0z',
  step_failed: 'M0-4 4 0 0 4-4 0z',
  message: 'M-5-4H5L0 4z',
  failed: 'M-4-4 4 4M4-4-4 4',
  timed_out: 'M4-5V5M4 0H-4',
  ok: 'M-4 0-1 4 5-4',
  err: 'M-4-4 4 4M4-4-4 4',
  cancelled: 'M-4 0H4',
}

function Mark(props: {
  readonly kind: string
  readonly x: number
  readonly y: number
}): JSX.Element {
  const { kind, x, y } = props
  const isEnd = kind === 'ok' || kind === 'err' || kind === 'cancelled'
  return (
    <g class={`mark-${kind}`} transform={`translate(${x} ${y})`}>
      {isEnd && <circle class="mark-back" r={7} />}
      <path d={markPaths[kind] ?? markPaths['step']} />
      <title>{spaced(kind)}</title>
    </g>
  )
}

function Cursor(props: {
  readonly width: number
  readonly height: number
  readonly view: View
}): JSX.Element | null {
  const { width, height, view } = props
  const { cursor, span } = view
  if (cursor === undefined || cursor < span.from || cursor > span.to) return null
  const x = placeOf(cursor, span, width)
  return <line class="cursor" x1={x} x2={x} y1={0} y2={height} />
}

const wordsFor: Readonly<Record<string, string>> = {
  running: 'runs',
  queued: 'due',
  scheduled: 'later',
  backoff: 'backoff',
  silent: 'no sign of life',
  sleep: 'sleeps',
  message: 'waits for a message',
  children: 'waits for children',
  paused: 'paused',
  cancelling: 'being cancelled',
  unknown: 'not known',
}

function Legend({ rows }: { readonly rows: readonly TimelineRow[] }): JSX.Element {
  const present = new Set(rows.flatMap(({ stretches }) => stretches.map(({ doing }) => doing)))
  return (
    <ul class="legend">
      {Object.entries(wordsFor)
        .filter(([doing]) => present.has(doing))
        .map(([doing, words]) => (
          <li key={doing}>
            <svg width="14" height="10" aria-hidden="true">
              <rect class={`doing-${doing}`} width="14" height="10" />
            </svg>
            {words}
          </li>
        ))}
    </ul>
  )
}
