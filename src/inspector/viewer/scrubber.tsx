/** Goes through the history of an execution: everything on the page shows that moment. */

import type { JSX } from 'preact'
import type { EventLine } from '../server/wire.ts'
import { formatInstant } from './clock.ts'
import { formatCount, formatDuration, spaced } from './format.ts'
import type { Position } from './position.ts'

/** The slider, and buttons for single steps. */
export function Scrubber(props: {
  readonly position: Position
  readonly event: EventLine | undefined
  readonly createdAt: number
}): JSX.Element {
  const { position, event, createdAt } = props
  const { version, last, isLatest, go, step } = position
  const type = event === undefined ? '' : spaced(event.type)
  return (
    <section class="scrubber" aria-label="History">
      <div class="steps">
        <Step label="First event" sign="«" isOff={version === 0} onClick={() => go(0)} />
        <Step label="Event before" sign="‹" isOff={version === 0} onClick={() => step(-1)} />
        <Step label="Event after" sign="›" isOff={version === last} onClick={() => step(1)} />
        <Step label="Last event" sign="»" isOff={isLatest} onClick={() => go(last)} />
      </div>
      <input
        type="range"
        aria-label="Event"
        aria-valuetext={`event ${version} of ${last}: ${type}`}
        min={0}
        max={last}
        value={version}
        onInput={(input) => go(Number(input.currentTarget.value))}
      />
      <div class="where">
        <strong>{formatCount(version)}</strong>
        <span class="faint"> of {formatCount(last)}</span>
        <span class="where-type">{type}</span>
        {event !== undefined && (
          <span class="faint" title={formatInstant(event.createdAt)}>
            +{formatDuration(event.createdAt - createdAt)}
          </span>
        )}
        {!isLatest && (
          <button type="button" class="link" onClick={() => go(last)}>
            back to now
          </button>
        )}
      </div>
    </section>
  )
}

interface StepProps {
  readonly label: string
  readonly sign: string
  readonly isOff: boolean
  readonly onClick: () => void
}

function Step({ label, sign, isOff, onClick }: StepProps): JSX.Element {
  return (
    <button type="button" title={label} aria-label={label} disabled={isOff} onClick={onClick}>
      {sign}
    </button>
  )
}
