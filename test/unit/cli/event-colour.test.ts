/** Colours of events. */
import { expect, test } from 'vitest'
import { eventColour } from '../../../src/cli/event-colour.ts'
import type { EventView } from '../../../src/client/view.ts'

test.each([
  [{ type: 'finished', outcome: { type: 'ok' } }, 'green'],
  [{ type: 'finished', outcome: { type: 'err' } }, 'red'],
  [{ type: 'step_failed' }, 'red'],
  [{ type: 'paused' }, 'blue'],
  [{ type: 'locked' }, 'dim'],
  [{ type: 'join_next' }, 'cyan'],
])('%j is %s', (event, colour) => {
  expect(eventColour(event as EventView)).toBe(colour)
})
