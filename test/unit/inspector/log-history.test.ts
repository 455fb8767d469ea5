/** A log as it is shown, and the history that it was made of. */

import { describe, expect, it } from 'vitest'
import { defaultCodec } from '../../../src/base/codec.ts'
import { viewLog } from '../../../src/client/view.ts'
import { historyOf } from '../../../src/inspector/log-history.ts'
import type { LoggedEvent } from '../../../src/model/event.ts'
import type { LoggedResponse } from '../../../src/model/response.ts'
import { sampleEvents } from '../../support/storage/events.ts'
import { childResponse, message } from '../../support/storage/requests.ts'

const events = sampleEvents.map((event, version): LoggedEvent => ({ version, createdAt: 7, event }))
const responses = [message('go'), childResponse('order-1'), message('go')].map(
  (response, index): LoggedResponse => ({
    cursor: index + 1,
    createdAt: 8,
    ordinal: index === 2 ? 2 : 1,
    afterVersion: index,
    response,
  }),
)

describe('history of a log', () => {
  const shown = viewLog(defaultCodec, { id: 'order-1', events, responses })
  const history = historyOf(shown)

  it('responses come back as they were, with their place in their join set', () => {
    expect(history.responses).toEqual(responses)
  })

  it('events come back with all that a fold looks at', () => {
    expect(history.events.map(({ version, event }) => [version, event.type])).toEqual(
      events.map(({ version, event }) => [version, event.type]),
    )
  })

  it('of an outcome its kind is kept', () => {
    const outcomes = history.events.flatMap(({ event }) =>
      event.type === 'finished' ? [event.outcome.type] : [],
    )
    const given = events.flatMap(({ event }) =>
      event.type === 'finished' ? [event.outcome.type] : [],
    )
    expect(outcomes).toEqual(given)
  })

  it('an id that is none is refused', () => {
    expect(() => historyOf({ ...shown, id: ' ' })).toThrow(
      expect.objectContaining({ code: 'invalid_execution_id' }),
    )
  })
})
