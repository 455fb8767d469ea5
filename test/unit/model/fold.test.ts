import { describe, expect, it } from 'vitest'
import { isSteleError } from '../../../src/base/error.ts'
import type { ExecutionEvent } from '../../../src/model/event.ts'
import { foldHistory } from '../../../src/model/fold.ts'
import type { LoggedResponse } from '../../../src/model/response.ts'
import { thrownBy } from '../base/thrown-by.ts'
import { boxes, events, executionId, lock, named } from './builders.ts'

function logOf(...list: readonly ExecutionEvent[]) {
  return list.map((event, version) => ({ version, createdAt: 100 * version, event }))
}

function message(fields: Partial<LoggedResponse> & { joinSetId?: typeof boxes }): LoggedResponse {
  const { joinSetId = boxes, ...place } = fields
  return {
    cursor: 9,
    createdAt: 5000,
    ordinal: 1,
    afterVersion: 3,
    response: { type: 'message', joinSetId },
    ...place,
  }
}

function fold(log: ReturnType<typeof logOf>, responses: readonly LoggedResponse[] = []) {
  return foldHistory({ executionId, events: log, responses })
}

const ask = events.join_next
const wait = { ...events.wait, seenCursor: 5, runExpiresAt: 400 }
const waiting = logOf(events.created, lock(), ask, wait)

describe('foldHistory', () => {
  it('created: alone is pending', () => {
    expect(fold(logOf({ ...events.created, scheduledAt: 70 }))).toMatchObject({
      status: 'pending_at',
      version: 0,
      scheduledAt: 70,
    })
  })

  it('wait: an ask without a response blocks', () => {
    expect(fold(waiting)).toMatchObject({ status: 'blocked', version: 3, seenCursor: 5 })
  })

  it('response: after the wait wakes, at its own time', () => {
    expect(fold(waiting, [message({})])).toMatchObject({ status: 'pending_at', scheduledAt: 5000 })
  })

  it('response: before the wait makes it pending at once', () => {
    const early = message({ afterVersion: 2, createdAt: 150 })
    expect(fold(waiting, [early])).toMatchObject({ status: 'pending_at', scheduledAt: 400 })
  })

  it('response: already seen does not answer', () => {
    expect(fold(waiting, [message({ afterVersion: 2, cursor: 5 })])).toMatchObject({
      status: 'blocked',
    })
  })

  it('response: of another join set does not answer', () => {
    const foreign = message({ joinSetId: named('others') })
    expect(fold(waiting, [foreign])).toMatchObject({ status: 'blocked' })
    expect(fold(waiting, [{ ...foreign, afterVersion: 2 }])).toMatchObject({ status: 'blocked' })
  })

  it('response: beyond the asks does not answer; the k-th answers the k-th', () => {
    expect(fold(waiting, [message({ ordinal: 2 })])).toMatchObject({ status: 'blocked' })
    const twice = logOf(events.created, lock(), ask, ask, wait)
    expect(fold(twice, [message({ ordinal: 2, afterVersion: 4 })])).toMatchObject({
      status: 'pending_at',
    })
  })

  it('response: the first one that answers sets the time', () => {
    const responses = [
      message({ cursor: 6, createdAt: 9000, ordinal: 2, afterVersion: 2 }),
      message({ cursor: 7, createdAt: 700, afterVersion: 2 }),
      message({ cursor: 8, createdAt: 800, afterVersion: 2 }),
    ]
    expect(fold(waiting, responses)).toMatchObject({ scheduledAt: 700 })
  })

  it('ask: withdrawn, its response answers nothing', () => {
    const withdrawn = logOf(events.created, lock(), ask, events.join_next_withdraw, wait)
    expect(fold(withdrawn, [message({ afterVersion: 4 })])).toMatchObject({ status: 'blocked' })
  })

  it('ask: a look that found counts', () => {
    const found = logOf(events.created, lock(), events.join_next_try, ask, wait)
    expect(fold(found, [message({ ordinal: 2, afterVersion: 4 })])).toMatchObject({
      status: 'pending_at',
    })
  })

  it('response: after the end changes nothing', () => {
    const log = logOf(events.created, lock(), events.finished_ok)
    expect(fold(log, [message({ afterVersion: 2 })])).toEqual(fold(log))
  })

  it('pure: the history is left as it was', () => {
    const responses = Object.freeze([Object.freeze(message({}))])
    expect(fold(waiting, responses)).toEqual(fold(waiting, responses))
  })
})

describe('foldHistory: what no log can be', () => {
  it.each([
    ['an empty log', [], 0],
    ['a log that does not begin with created', logOf(lock()), 0],
    ['a second created', logOf(events.created, events.created), 1],
    ['an event after the end', logOf(events.created, events.finished_ok, events.paused), 2],
    ['an event that the table refuses', logOf(events.created, lock(), events.paused), 2],
    ['a gap', [...logOf(events.created), { version: 2, createdAt: 0, event: events.paused }], 2],
  ])('corrupt: %s, and the error says where', (_, log, version) => {
    const error = thrownBy(() => fold(log))
    expect(isSteleError(error, 'storage_corrupt')).toBe(true)
    expect(error).toMatchObject({ fields: { executionId, version } })
  })
})
