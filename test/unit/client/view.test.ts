import { describe, expect, it } from 'vitest'
import type { Codec } from '../../../src/base/codec.ts'
import { viewEvent, viewListed, viewLog, viewState } from '../../../src/client/view.ts'
import type { ExecutionEvent } from '../../../src/model/event.ts'
import type { ExecutionState } from '../../../src/model/state.ts'
import { sampleEvents } from '../../support/storage/events.ts'
import { childResponse, message } from '../../support/storage/requests.ts'
import { blocked, executionId, finished, locked, me, pending } from '../model/builders.ts'

/** Shows what has been decoded. */
const codec: Codec = { encode: () => null, decode: (stored) => ({ decoded: stored }) }

function state(value: ExecutionState, event: ExecutionEvent = { type: 'unpaused' }) {
  return viewState(codec, { state: value, lastEvent: { version: 3, createdAt: 5, event } })
}

describe('viewState', () => {
  it('pending: has a time, and no lock', () => {
    const shown = state(pending({ scheduledAt: 7, failures: 2, paused: true }))
    expect(shown).toMatchObject({ status: 'pending_at', scheduledAt: 7, attempt: 3, paused: true })
    expect(shown).not.toHaveProperty('lockExpiresAt')
    expect(shown).not.toHaveProperty('executorId')
  })

  it('locked: has an owner', () => {
    const shown = state(locked({ lockExpiresAt: 9 }))
    expect(shown).toMatchObject({ status: 'locked', lockExpiresAt: 9, ...me })
    expect(shown).not.toHaveProperty('scheduledAt')
  })

  it('blocked: keeps the last owner and the reason', () => {
    const event = { type: 'paused', reason: 'why' } as const
    expect(state(blocked({ lastOwner: me }), event)).toMatchObject({
      status: 'blocked',
      reason: 'why',
      executorId: me.executorId,
    })
  })

  it.each<[string, Parameters<typeof finished>[0], number]>([
    ['ok', { outcomeType: 'ok', failures: 2 }, 3],
    ['err', { outcomeType: 'err', failures: 0 }, 1],
    ['failure', { outcomeType: 'execution_failure', failures: 5 }, 6],
  ])('finished: with %s, the attempt is the last one', (_, fields, attempt) => {
    const event = { type: 'finished', outcome: { type: 'ok', value: 1 } } as const
    expect(state(finished(fields), event)).toMatchObject({
      status: 'finished',
      paused: false,
      cancelling: false,
      attempt,
      outcome: { type: 'ok', value: { decoded: 1 } },
    })
  })
})

describe('viewEvent', () => {
  it.each(sampleEvents.map((event) => [event.type, event] as const))('event: %s', (type, event) => {
    const shown = viewEvent(codec, { version: 1, createdAt: 2, event })
    expect(shown).toMatchObject({ version: 1, createdAt: 2, type })
    for (const field of ['input', 'value'] as const) {
      if (field in event) {
        // oxlint-disable-next-line vitest/no-conditional-expect -- not every event has every field
        expect(shown).toMatchObject({ [field]: { decoded: Reflect.get(event, field) } })
      }
    }
  })
})

describe('viewLog', () => {
  it('responses: with the outcome of a child, and the payload of a message', () => {
    const parent = 'a'
    const { id, responses } = viewLog(codec, {
      id: 'order-1',
      events: [],
      responses: [
        {
          cursor: 1,
          ordinal: 1,
          afterVersion: 0,
          createdAt: 5,
          response: childResponse(parent),
          outcome: { type: 'ok', value: 4 },
        },
        {
          cursor: 2,
          ordinal: 1,
          afterVersion: 0,
          createdAt: 6,
          response: message('go', { payload: 7 }),
        },
        { cursor: 3, ordinal: 2, afterVersion: 0, createdAt: 7, response: message('go') },
      ],
    })
    expect(id).toBe('order-1')
    expect(responses).toMatchObject([
      { cursor: 1, type: 'child_finished', outcome: { type: 'ok', value: { decoded: 4 } } },
      { cursor: 2, type: 'message', payload: { decoded: 7 } },
      { cursor: 3, type: 'message' },
    ])
    expect(responses[2]).not.toHaveProperty('payload')
  })
})

describe('viewListed', () => {
  it('line: of a finished one, and of one that was set aside', () => {
    const done = finished({
      finishedAt: 8,
      outcomeType: 'execution_failure',
      failureKind: 'timed_out',
    })
    expect(viewListed({ state: done })).toMatchObject({
      id: executionId,
      status: 'finished',
      paused: false,
      finishedAt: 8,
      outcomeType: 'execution_failure',
      failureKind: 'timed_out',
    })
    const aside = viewListed({ state: pending({ scheduledAt: 3 }), setAside: 'why' })
    expect(aside).toMatchObject({ status: 'pending_at', scheduledAt: 3, setAside: 'why' })
  })
})
