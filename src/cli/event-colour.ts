/** Colours of events. */

import type { Colour } from '../client/timeline-canvas.ts'
import type { EventView } from '../client/view.ts'

const colours: Partial<Readonly<Record<EventView['type'], Colour>>> = {
  temporarily_failed: 'red',
  temporarily_timed_out: 'red',
  step_failed: 'red',
  paused: 'blue',
  unpaused: 'blue',
  cancel_requested: 'blue',
  locked: 'dim',
  unlocked: 'dim',
}

/** The colour of an event: what went wrong, what ended it, what was said from outside. */
export function eventColour(event: EventView): Colour {
  if (event.type === 'finished') return event.outcome.type === 'ok' ? 'green' : 'red'
  return colours[event.type] ?? 'cyan'
}
