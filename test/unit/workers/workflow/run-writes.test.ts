import { describe, expect, it } from 'vitest'
import type { RunHistory, RunWrites } from '../../../../src/engine/worker.ts'
import type { CreatedEvent, ExecutionEvent } from '../../../../src/model/event.ts'
import type { ExecutionState } from '../../../../src/model/state.ts'
import {
  appendWrites,
  cancellationsPerAppend,
  recordStepEnds,
  withWait,
} from '../../../../src/workers/workflow/run-writes.ts'
import { joinSet } from '../../../support/storage/ids.ts'
import { begun, child, delay } from './test-frame.ts'

const patched = { type: 'patched', seq: 0, patchId: 'x' } as const
const next = { type: 'join_next', seq: 1, joinSetId: joinSet('n:s'), closing: false } as const
const state = { version: 9 } as ExecutionState

/** A history that keeps what is appended, and loses its lock at some append. */
function historyOf(lostAt = 0): { history: RunHistory; appended: RunWrites[] } {
  const appended: RunWrites[] = []
  const append = (writes: RunWrites): Promise<ExecutionState | undefined> => {
    appended.push(writes)
    return Promise.resolve(appended.length === lostAt ? undefined : state)
  }
  return { history: { append } as never, appended }
}

function writesOf(children: number, delays: number): RunWrites {
  return {
    events: [patched],
    creations: [],
    cancelledChildren: Array.from({ length: children }, (_, n) => child('n:s', n + 1)),
    cancelledDelays: Array.from({ length: delays }, (_, n) => delay('n:s', n + 1)),
  }
}

describe('appendWrites', () => {
  it('append: few cancellations go with the events', async () => {
    const { history, appended } = historyOf()
    const writes = writesOf(60, 40)
    expect(await appendWrites(history, writes, 5)).toBe(state)
    expect(appended).toEqual([writes])
  })

  it('append: many go ahead in batches; none is lost, and the events come last', async () => {
    const { history, appended } = historyOf()
    const writes = writesOf(150, 170)
    await appendWrites(history, writes, 5)
    for (const batch of appended) {
      const size = batch.cancelledChildren.length + batch.cancelledDelays.length
      expect(size).toBeLessThanOrEqual(cancellationsPerAppend)
    }
    expect(appended.flatMap(({ cancelledChildren }) => cancelledChildren)).toEqual(
      writes.cancelledChildren,
    )
    expect(appended.flatMap(({ cancelledDelays }) => cancelledDelays)).toEqual(
      writes.cancelledDelays,
    )
    expect(appended.map(({ events }) => events.length)).toEqual([0, 0, 0, 0, 1])
  })

  it('append: what is only now brought into being is cancelled with it, and not before', async () => {
    const { history, appended } = historyOf()
    const writes = writesOf(150, 2)
    const event = { type: 'created' } as CreatedEvent
    const creations = [{ executionId: child('n:s', 7), createdAt: 5, event }]
    const [bornDelay] = writes.cancelledDelays
    const request = {
      type: 'join_set_request',
      kind: 'delay',
      delayId: bornDelay,
    } as ExecutionEvent
    await appendWrites(history, { ...writes, creations, events: [request] }, 5)
    const last = appended.at(-1)
    expect(last).toMatchObject({
      events: [request],
      creations,
      cancelledChildren: [child('n:s', 7)],
      cancelledDelays: [delay('n:s', 1)],
    })
    expect(appended.slice(0, -1).flatMap((batch) => batch.cancelledChildren)).toHaveLength(149)
  })

  it('append: once the lock is lost, nothing more is written', async () => {
    const { history, appended } = historyOf(1)
    expect(await appendWrites(history, writesOf(150, 0), 5)).toBeUndefined()
    expect(appended).toHaveLength(1)
  })
})

describe('withWait', () => {
  const blocking = { seenCursor: 3, runExpiresAt: 7 }

  it('wait: is part of the last ask, where that comes last', () => {
    expect(withWait([patched, next], 3, 7)).toEqual([patched, { ...next, ...blocking }])
  })

  it.each([
    ['nothing', []],
    ['another event', [next, patched]],
  ] as readonly (readonly [string, readonly ExecutionEvent[]])[])(
    'wait: after %s is an event of its own',
    (_, events) => {
      expect(withWait(events, 3, 7)).toEqual([...events, { type: 'wait', ...blocking }])
    },
  )
})

describe('recordStepEnds', () => {
  it('ends: are delivered as they stand in the log', async () => {
    const { frame } = await begun(({ step }) => step('a', () => 1))
    const outcome = { type: 'ok' } as const
    const end = { type: 'step_finished', seq: 1, name: 'a', outcome, afterCursor: 0 } as const
    recordStepEnds(frame, { events: [patched, end, patched], createdAt: 5, version: 9 })
    expect(frame.journal.nextEnd()).toEqual({ version: 8, createdAt: 5, event: end })
    frame.journal.passEnd()
    expect(frame.journal.nextEnd()).toBeUndefined()
  })
})
