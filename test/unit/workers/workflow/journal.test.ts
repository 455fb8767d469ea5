import { describe, expect, it } from 'vitest'
import { defaultCodec } from '../../../../src/base/codec.ts'
import type { ExecutionEvent, StepFinishedEvent } from '../../../../src/model/event.ts'
import { Journal } from '../../../../src/workers/workflow/journal.ts'
import { deploymentId, executorId, joinSet, runId } from '../../../support/storage/ids.ts'
import { child, delay } from './test-frame.ts'

const boxes = joinSet('n:boxes')
const act = { kind: 'activity', name: 'act', version: '1' } as const

const create = (seq = 1) => ({ type: 'join_set_create', seq, joinSetId: boxes }) as const
const next = (seq = 2) => ({ type: 'join_next', seq, joinSetId: boxes, closing: false }) as const
const request = {
  type: 'join_set_request',
  seq: 2,
  joinSetId: boxes,
  kind: 'child',
  childExecutionId: child('n:boxes'),
  function: act,
  result: 'ok',
} as const
const stepEnd = (seq: number, name = 'a'): StepFinishedEvent => ({
  type: 'step_finished',
  seq,
  name,
  outcome: { type: 'ok' },
  afterCursor: 0,
})
const stepFailure = (seq: number, attempt: number) =>
  ({ type: 'step_failed', seq, name: 'a', attempt, dueAt: 100, reason: 'no' }) as const
const locked: ExecutionEvent = {
  type: 'locked',
  executorId: executorId(),
  runId: runId(),
  deploymentId: deploymentId(),
  lockExpiresAt: 5,
  retry: { maxRetries: null, backoff: 1 },
  functionVersion: '1',
}
const timedOut = { type: 'temporarily_timed_out', backoffExpiresAt: 5 } as const

const ended = { hasEnded: true, lastSeq: 9 }
const running = { hasEnded: false, lastSeq: 9 }

/** A journal of these events, the first of them at version 1. */
function journalOf(...events: readonly ExecutionEvent[]): Journal {
  const journal = new Journal(defaultCodec)
  journal.add(events.map((event, index) => ({ version: index + 1, createdAt: index, event })))
  return journal
}

describe('calls', () => {
  it('take: gives what is recorded, in order; then nothing', () => {
    const journal = journalOf(locked, { ...create(), concurrency: 3 }, next())
    expect(journal.take(create())).toEqual({ event: { ...create(), concurrency: 3 } })
    expect(journal.take(next())).toEqual({ event: next() })
    expect(journal.take(next(3))).toBeUndefined()
  })

  it('take: another call is a mismatch, and the record stays where it is', () => {
    const journal = journalOf(locked, create())
    const mismatch = {
      version: 2,
      expected: 'call 1 opens join set n:boxes',
      actual: 'call 1 awaits n:boxes',
    }
    expect(journal.take(next(1))).toEqual({ mismatch })
    expect(journal.take(create())).toEqual({ event: create() })
  })

  it('callAt: what the log says next, if it is of that number', () => {
    const journal = journalOf(locked, create(4))
    expect(journal.callAt(4)).toEqual({ version: 2, text: 'call 4 opens join set n:boxes' })
    expect(journal.callAt(3)).toBeUndefined()
    expect(journalOf().callAt(1)).toBeUndefined()
  })

  it('unmatchedRequests: children and delays that the code has not asked for', () => {
    const dueAt = 5
    const intent = { type: 'in', in: 5 } as const
    const place = { type: 'join_set_request', seq: 3, joinSetId: boxes } as const
    const wait = { ...place, kind: 'delay', delayId: delay('n:boxes'), dueAt, intent } as const
    const journal = journalOf(create(), request, wait, next(4))
    journal.take(create())
    expect(journal.unmatchedRequests()).toEqual([request, wait])
    journal.take(request)
    expect(journal.unmatchedRequests()).toEqual([wait])
  })
})

describe('steps', () => {
  it('findStep: failures and end', () => {
    const journal = journalOf(stepFailure(1, 1), stepFailure(1, 2), stepEnd(1))
    expect(journal.findStep(1)).toEqual({
      version: 1,
      name: 'a',
      failures: [stepFailure(1, 1), stepFailure(1, 2)],
      end: { version: 3, createdAt: 2, event: stepEnd(1) },
    })
    expect(journal.findStep(2)).toBeUndefined()
  })

  it('findStep: the wait before the next attempt, until that has failed', () => {
    const joinSetId = joinSet('o:retry-1-1')
    const place = { seq: 1, joinSetId } as const
    const intent = { type: 'at', at: 5 } as const
    const due = { kind: 'delay', delayId: delay('o:retry-1-1'), dueAt: 5, intent } as const
    const wait = [
      stepFailure(1, 1),
      { type: 'join_set_create', ...place },
      { type: 'join_set_request', ...place, ...due },
      { type: 'join_next', ...place, closing: false },
    ] as const
    const journal = journalOf(...wait)
    expect(journal.findStep(1)?.retryDelay).toMatchObject({ delayId: delay('o:retry-1-1') })
    expect(journal.leftover(running)).toBeUndefined()
    expect(journalOf(...wait, stepFailure(1, 2)).findStep(1)).not.toHaveProperty('retryDelay')
  })

  it('ends: in the order of the log, those that are recorded now included', () => {
    const journal = journalOf(stepEnd(2, 'b'), stepEnd(1))
    expect(journal.nextEnd()?.event).toEqual(stepEnd(2, 'b'))
    journal.passEnd()
    journal.addStepEnd({ version: 9, createdAt: 9, event: stepEnd(5) })
    journal.passEnd()
    expect(journal.nextEnd()).toMatchObject({ version: 9 })
    expect(journal.findStep(5)?.end).toMatchObject({ version: 9 })
    journal.passEnd()
    expect(journal.nextEnd()).toBeUndefined()
  })
})

describe('what has happened', () => {
  const wait = { type: 'wait', seenCursor: 3, runExpiresAt: 5 } as const

  it('isPast: an empty log has no past', () => {
    expect(journalOf(locked).isPast({ type: 'start' })).toBe(false)
    expect(journalOf(locked).isPast({ type: 'response', cursor: 1 })).toBe(false)
  })

  it('isPast: whatever begins while calls are left over', () => {
    const journal = journalOf(create())
    expect(journal.isPast({ type: 'start' })).toBe(true)
    journal.take(create())
    expect(journal.isPast({ type: 'response', cursor: 1 })).toBe(false)
  })

  it('isPast: up to where the code had got when it last waited', () => {
    const journal = journalOf(stepEnd(1), wait)
    expect(journal.isPast({ type: 'start' })).toBe(true)
    expect(journal.isPast({ type: 'step', version: 1 })).toBe(true)
    expect(journal.isPast({ type: 'response', cursor: 3 })).toBe(true)
    expect(journal.isPast({ type: 'response', cursor: 4 })).toBe(false)
    expect(journalOf(stepEnd(1), wait).isPast({ type: 'step', version: 3 })).toBe(false)
  })

  it('isPast: after one turn that has not happened, none has', () => {
    const journal = journalOf(stepEnd(1), wait)
    expect(journal.isPast({ type: 'response', cursor: 4 })).toBe(false)
    expect(journal.isPast({ type: 'response', cursor: 3 })).toBe(false)
  })

  it('isPast: an ask that blocks is a wait', () => {
    const asked = { ...next(), seenCursor: 2, runExpiresAt: 5 }
    const [journal, later] = [journalOf(asked), journalOf(asked)]
    for (const one of [journal, later]) one.take(next())
    expect(journal.isPast({ type: 'response', cursor: 2 })).toBe(true)
    expect(later.isPast({ type: 'response', cursor: 3 })).toBe(false)
  })

  it('isPast: calls after a wait are written by turns after it', () => {
    const journal = journalOf(wait, create())
    journal.take(create())
    expect(journal.isPast({ type: 'response', cursor: 3 })).toBe(false)
  })

  it('isPast: what could be delivered before a step ended was; the end itself was not', () => {
    const [journal, later] = [journalOf(stepEnd(1)), journalOf(stepEnd(1))]
    expect(journal.isPast({ type: 'start' })).toBe(true)
    expect(journal.isPast({ type: 'step', version: 1 })).toBe(false)
    expect(later.isPast({ type: 'response', cursor: 1 })).toBe(false)
  })

  it('isPast: of ends that were written together, none was delivered before', () => {
    const journal = new Journal(defaultCodec)
    const events = [stepEnd(1), stepEnd(2)]
    journal.add(events.map((event, index) => ({ version: index + 1, createdAt: 7, event })))
    expect(journal.isPast({ type: 'start' })).toBe(true)
    expect(journal.isPast({ type: 'step', version: 1 })).toBe(false)
  })

  it('hasPatch: those that the code took', () => {
    const journal = journalOf({ type: 'patched', seq: 0, patchId: 'fee' })
    expect(journal.hasPatch('fee')).toBe(true)
    expect(journal.hasPatch('tax')).toBe(false)
    expect(journal.leftover(running)).toBeUndefined()
  })

  it('leftover: whichever comes first in the log, a call or the end of a step', () => {
    const actual = 'does nothing more'
    expect(journalOf().leftover(running)).toBeUndefined()
    expect(journalOf(stepEnd(1), create(2)).leftover(running)).toEqual({
      version: 1,
      expected: 'call 1 is step "a"',
      actual,
    })
    expect(journalOf(create(1), stepEnd(2)).leftover(running)).toEqual({
      version: 1,
      expected: 'call 1 opens join set n:boxes',
      actual,
    })
  })

  it('leftover: the end of a step that a handler which has ended never called', () => {
    const journal = journalOf(stepEnd(5))
    expect(journal.leftover({ hasEnded: true, lastSeq: 4 })).toMatchObject({ version: 1 })
    expect(journal.leftover({ hasEnded: true, lastSeq: 5 })).toBeUndefined()
  })

  it('leftover: ends of steps that a handler has left behind are none', () => {
    expect(journalOf(stepEnd(1)).leftover(ended)).toBeUndefined()
    expect(journalOf(stepEnd(1), create(2)).leftover(ended)).toMatchObject({
      version: 2,
    })
  })

  it('fruitlessRuns: timeouts in a row that recorded nothing', () => {
    expect(journalOf(locked, timedOut, locked, timedOut).fruitlessRuns()).toBe(2)
    expect(journalOf(locked, timedOut, locked, create()).fruitlessRuns()).toBe(0)
    expect(journalOf(timedOut, create(), timedOut).fruitlessRuns()).toBe(1)
  })

  it('fruitlessRuns: somebody who unpauses says that it should go on', () => {
    const paused = { type: 'paused', reason: 'too many' } as const
    expect(journalOf(timedOut, timedOut, paused).fruitlessRuns()).toBe(2)
    expect(journalOf(timedOut, paused, { type: 'unpaused' }, timedOut).fruitlessRuns()).toBe(1)
  })
})
