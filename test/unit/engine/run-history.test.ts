/** A run reads its log and inbox whole, however many pages that takes, and writes through its holder. */

import { describe, expect, it } from 'vitest'
import { SteleError } from '../../../src/base/error.ts'
import { createHeldSet } from '../../../src/engine/held-set.ts'
import type { LogBatch } from '../../../src/engine/log-writer.ts'
import {
  createRunHistory,
  historyPage,
  type RunHistoryOptions,
} from '../../../src/engine/run-history.ts'
import type { RunWrites } from '../../../src/engine/worker.ts'
import type { ExecutionEvent, LoggedEvent } from '../../../src/model/event.ts'
import type { EventsPage, ListedResponse, ResponsesPage } from '../../../src/storage/read.ts'
import {
  blockingAskEvent,
  childEvent,
  delayEvent,
  joinSetEvent,
  pausedEvent,
  unlockedEvent,
  upgradeEvent,
} from '../../support/storage/events.ts'
import { childOf, delayOf, deploymentId, executionId } from '../../support/storage/ids.ts'
import {
  activityRequest,
  childResponse,
  createRequest,
  message,
  responseCommand,
} from '../../support/storage/requests.ts'
import { accepted, present } from '../../support/storage/results.ts'
import { append } from '../../support/storage/steps.ts'
import { locked } from '../model/builders.ts'
import { lockExpiry, okResult, timeout, workflowFunction } from './builders.ts'
import { attendFor, type HeldPart, openHeld } from './held.ts'
import { loud } from './surroundings.ts'

const a = executionId('a')

/** A log of `events` events and an inbox of `responses` responses, whose cursors have gaps. */
function openHistory({ events = 0, responses = 0 } = {}) {
  const log = Array.from(
    { length: events },
    (_, version): LoggedEvent => ({ version, createdAt: 5, event: pausedEvent }),
  )
  const inbox = Array.from({ length: responses }, (_, index): ListedResponse => {
    const place = { cursor: 10 * (index + 1), ordinal: index + 1, afterVersion: 0, createdAt: 5 }
    return { ...place, response: message('go') }
  })
  const eventPages: EventsPage[] = []
  const responsePages: ResponsesPage[] = []
  const batches: LogBatch[] = []
  const silences: number[] = []
  const listeners: (() => void)[] = []
  const state = locked()
  const options: RunHistoryOptions = {
    executionId: a,
    storage: {
      listEvents: (page) => {
        eventPages.push(page)
        return Promise.resolve(
          log.filter(({ version }) => version >= page.from).slice(0, page.limit),
        )
      },
      listResponses: (page) => {
        responsePages.push(page)
        return Promise.resolve(
          inbox.filter(({ cursor }) => cursor > page.after).slice(0, page.limit),
        )
      },
    },
    append: (batch) => {
      batches.push(batch)
      return Promise.resolve(state)
    },
    expectSilence: (duration) => silences.push(duration),
    onResponse: (listener) => listeners.push(listener),
  }
  const history = createRunHistory(options)
  return { history, log, inbox, eventPages, responsePages, batches, silences, listeners, state }
}

const writes: RunWrites = {
  events: [pausedEvent],
  creations: [],
  cancelledChildren: [],
  cancelledDelays: [],
}

describe('run history: reading', () => {
  it('events: from a version on, in one question when they fit into a page', async () => {
    const { history, log, eventPages } = openHistory({ events: 5 })
    expect(await history.readEvents(2)).toEqual(log.slice(2))
    expect(eventPages).toEqual([{ executionId: a, from: 2, limit: historyPage }])
  })

  it.each([
    ['none', 0, 1],
    ['less than a page', historyPage - 1, 1],
    ['exactly a page', historyPage, 2],
    ['more than two pages', 2 * historyPage + 1, 3],
  ])('events: %s are all read, each once', async (_, events, questions) => {
    const { history, log, eventPages } = openHistory({ events })
    expect(await history.readEvents(0)).toEqual(log)
    expect(eventPages).toHaveLength(questions)
  })

  it.each([
    ['none', 0, 1],
    ['exactly a page', historyPage, 2],
    ['more than two pages', 2 * historyPage + 1, 3],
  ])('responses: %s are all read, each once', async (_, responses, questions) => {
    const { history, inbox, responsePages } = openHistory({ responses })
    expect(await history.readResponses(0)).toEqual(inbox)
    expect(responsePages).toHaveLength(questions)
  })

  it('responses: those beyond a cursor, whatever its gaps', async () => {
    const { history, inbox, responsePages } = openHistory({ responses: 3 })
    expect(await history.readResponses(10)).toEqual(inbox.slice(1))
    expect(await history.readResponses(30)).toEqual([])
    expect(responsePages.map(({ after }) => after)).toEqual([10, 30])
  })
})

describe('run history: writing', () => {
  it('append: goes to the holder, and its answer is the holder’s', async () => {
    const { history, batches, state } = openHistory()
    expect(await history.append(writes, 70)).toBe(state)
    expect(batches).toEqual([{ events: [pausedEvent], createdAt: 70, creations: [] }])
    expect(batches[0]).not.toHaveProperty('cancellations')
  })

  it('append: what it creates goes with it', async () => {
    const { history, batches } = openHistory()
    const creations = [createRequest('b')]
    await history.append({ ...writes, creations }, 70)
    expect(batches[0]).toMatchObject({ creations })
  })

  it.each([
    ['children', { cancelledChildren: [executionId('b')] }, { children: ['b'], delays: [] }],
    ['delays', { cancelledDelays: [delayOf('a')] }, { children: [], delays: [delayOf('a')] }],
  ])('append: what it cancels goes with it, %s', async (_, part, cancellations) => {
    const { history, batches } = openHistory()
    await history.append({ ...writes, ...part }, 70)
    expect(batches[0]).toMatchObject({ creations: [], cancellations })
  })

  it('silence and responses: are the holder’s business', () => {
    const { history, silences, listeners } = openHistory()
    const listener = (): void => undefined
    history.expectSilence(500)
    history.onResponse(listener)
    expect([silences, listeners]).toEqual([[500], [listener]])
  })
})

const away = new SteleError('storage_unavailable', 'away')
const third = lockExpiry / 3

/** What a run writes, when it writes only events. */
function writesOf(...events: readonly ExecutionEvent[]): RunWrites {
  return { events, creations: [], cancelledChildren: [], cancelledDelays: [] }
}

/** The workflow `a`, running. */
async function openRunning(part: HeldPart = {}) {
  const open = await openHeld({ settings: workflowFunction(), ...part })
  const run = open.held.run()
  const { history } = open.worker.of('a').run
  const write = (...events: readonly ExecutionEvent[]) =>
    open.done(history.append(writesOf(...events), open.clock.now()))
  return { ...open, run, history, write }
}

describe('held: history', () => {
  it('append: goes to the log at the present version, and gives the state after it', async () => {
    const { write, written, value, held, clock } = await openRunning()
    clock.set(20)
    expect(await write(joinSetEvent(), delayEvent('a', 500))).toMatchObject({
      status: 'locked',
      version: 3,
    })
    expect(await written()).toEqual([
      ['join_set_create', 20],
      ['join_set_request', 20],
    ])
    expect([value(), held.known().version]).toEqual(['running', 3])
  })

  it('append: what it creates and cancels happens with it', async () => {
    const { history, done, store } = await openRunning()
    const children = [childOf('a'), childOf('a', 'n:boxes', 2)] as const
    const events = [joinSetEvent(), childEvent('a'), childEvent('a', { index: 2, seq: 3 })]
    const creations = children.map((id) => activityRequest(id))
    await done(history.append({ ...writesOf(...events), creations }, 10))
    expect(await store.findState(children[0])).toMatchObject({ status: 'pending_at' })
    await done(history.append({ ...writesOf(), cancelledChildren: [children[0]] }, 20))
    expect(await store.findState(children[0])).toMatchObject({ failureKind: 'cancelled' })
    expect(await store.findState(children[1])).toMatchObject({ status: 'pending_at' })
  })

  it('read: sees log and inbox as they are stored', async () => {
    const { history, write, done, store } = await openRunning()
    await write(joinSetEvent())
    await done(accepted(store.respond(responseCommand('a', message('go')))))
    const events = await done(history.readEvents(1))
    expect(events.map(({ event }) => event.type)).toEqual(['locked', 'join_set_create'])
    expect(await done(history.readResponses(0))).toHaveLength(1)
    expect(await done(history.readResponses(1))).toEqual([])
  })

  it('history: is one object for the whole run', async () => {
    const { worker, history } = await openRunning()
    expect(worker.of('a').run.history).toBe(history)
  })

  it('append: its own commit is no news to its holder, told while or after it is written', async () => {
    const { write, worker, value, held, store } = await openRunning()
    await write(joinSetEvent())
    const state = await store.findState(a)
    held.notice(present(state, 'the state'))
    expect([worker.of('a').told, value()]).toEqual([[], 'running'])
  })

  it('append: after the lock is lost writes nothing, and the run was told', async () => {
    const { write, worker, value, done, store, counts } = await openRunning({ deaf: true })
    await done(append(store, ['a', 2], [unlockedEvent(500)]))
    expect(await write(joinSetEvent())).toBeUndefined()
    expect([worker.of('a').told, value()]).toEqual([['superseded'], 'superseded'])
    const before = counts.get('append')
    expect(await write(joinSetEvent())).toBeUndefined()
    expect(counts.get('append')).toBe(before)
  })

  it('append: a cancellation committed meanwhile is told as one', async () => {
    const { worker, value, done, store, history, scheduler, hold } = await openRunning()
    const letGo = hold('append')
    const writing = history.append(writesOf(joinSetEvent()), 0)
    await done(store.cancel({ executionId: a, createdAt: 5 }))
    expect(worker.of('a').told).toEqual([])
    letGo()
    expect(await done(writing)).toBeUndefined()
    await scheduler.settle()
    expect([worker.of('a').told, value()]).toEqual([['cancelled'], 'superseded'])
  })

  it('append: is offered again while the storage is away, and written once', async () => {
    const { history, scheduler, fail, written, log, value } = await openRunning()
    fail('append', away)
    const writing = history.append(writesOf(joinSetEvent()), 0)
    await scheduler.advance(300)
    expect(await written()).toEqual([])
    fail('append', undefined)
    await scheduler.advance(1000)
    expect(await writing).toMatchObject({ version: 2 })
    expect([await written(), value()]).toEqual([[['join_set_create', 0]], 'running'])
    expect(loud(log)).toEqual(['Results failed: storage_unavailable', 'Results works again'])
  })

  it('append: a lasting fault loses the lock, and the run is told', async () => {
    const { write, fail, value, worker } = await openRunning()
    fail('append', new TypeError('bug'))
    expect(await write(joinSetEvent())).toBeUndefined()
    expect([worker.of('a').told, value()]).toEqual([['superseded'], 'superseded'])
  })

  it('result: takes the version after what was appended', async () => {
    const { write, worker, done, run, written, value } = await openRunning()
    await write(joinSetEvent())
    worker.of('a').end(okResult)
    await done(run)
    expect([await written(), value()]).toEqual([
      [
        ['join_set_create', 0],
        ['finished', 0],
      ],
      'finished',
    ])
  })

  it('response: whoever waits for one is told of whatever happens to the execution', async () => {
    const { history, done, store, worker, value } = await openRunning()
    let heard = 0
    history.onResponse(() => {
      heard += 1
    })
    await done(accepted(store.respond(responseCommand('a', message('go')))))
    expect(heard).toBe(1)
    expect([worker.of('a').told, value()]).toEqual([[], 'running'])
  })
})

describe('held: parking', () => {
  const block = () => [joinSetEvent(), delayEvent('a', 5000), blockingAskEvent('n:timers')] as const

  it('park: a blocking event gives the lock up, and the run ends without another write', async () => {
    const { write, worker, done, run, written, value, counts, store } = await openRunning()
    expect(await write(...block())).toMatchObject({ status: 'blocked' })
    worker.of('a').end({ type: 'already_written' })
    await done(run)
    expect(value()).toBe('parked')
    expect((await written()).map(([type]) => type)).toEqual([
      'join_set_create',
      'join_set_request',
      'join_next',
    ])
    expect(counts.get('append')).toBe(1)
    expect(await store.findState(a)).toMatchObject({ status: 'blocked' })
  })

  it('park: afterwards nothing is renewed, and no time is up', async () => {
    const open = await openRunning()
    await open.write(...block())
    expect(open.held.attend(third)).toBe(Number.POSITIVE_INFINITY)
    expect(open.held.attend(10 * timeout)).toBe(Number.POSITIVE_INFINITY)
    open.clock.set(third)
    await open.done(open.worker.of('a').run.heartbeat())
    expect(open.counts.get('append')).toBe(1)
    expect([open.worker.of('a').told, open.value()]).toEqual([[], 'running'])
  })

  it('park: while the blocking event is on its way nothing is renewed either', async () => {
    const { held, history, hold, clock, done, written, worker, value } = await openRunning()
    const letGo = hold('append')
    const parking = history.append(writesOf(...block()), 0)
    clock.set(third)
    held.attend(third)
    const beat = worker.of('a').run.heartbeat()
    letGo()
    await done(Promise.all([parking, beat]))
    expect((await written()).map(([type]) => type)).not.toContain('locked')
    expect([worker.of('a').told, value()]).toEqual([[], 'running'])
  })

  it('park: a renewal that lost against somebody leaves the verdict to the blocking event', async () => {
    const open = await openRunning({ deaf: true })
    const { held, history, hold, clock, done, store, worker, value } = open
    await done(append(store, ['a', 2], [unlockedEvent(500)]))
    const letGo = hold('append')
    clock.set(third)
    held.attend(third)
    const parking = history.append(writesOf(...block()), third)
    letGo()
    expect(await done(parking)).toBeUndefined()
    expect([worker.of('a').told, value()]).toEqual([['superseded'], 'superseded'])
  })

  it('park: refused, the run is told that the lock is lost', async () => {
    const { write, done, store, worker, value } = await openRunning({ deaf: true })
    await done(append(store, ['a', 2], [unlockedEvent(500)]))
    expect(await write(...block())).toBeUndefined()
    expect([worker.of('a').told, value()]).toEqual([['superseded'], 'superseded'])
  })

  it('wake: an answer that is there already makes it due at once, and the lock is given up too', async () => {
    const { write, done, store, worker, run, value } = await openRunning()
    await write(joinSetEvent(), childEvent('a'))
    await done(accepted(store.respond(responseCommand('a', childResponse('a')))))
    expect(await write(blockingAskEvent())).toMatchObject({ status: 'pending_at' })
    worker.of('a').end({ type: 'already_written' })
    await done(run)
    expect([worker.of('a').told, value()]).toEqual([[], 'parked'])
  })
})

describe('held: the deadline of a run with a history', () => {
  it('progress: begins the time of the attempt anew, and the lock goes on with it', async () => {
    const open = await openRunning()
    await attendFor(open, timeout - 100)
    await open.write(joinSetEvent())
    expect(open.worker.of('a').run.deadline).toBe(timeout - 100 + timeout)
    await attendFor(open, timeout - 1)
    expect([open.worker.of('a').told, open.value()]).toEqual([[], 'running'])
    await attendFor(open, 1)
    expect(open.worker.of('a').told).toEqual(['timed_out'])
  })

  it('silence: that was announced is no reason to end the run, and never shortens its time', async () => {
    const open = await openRunning()
    open.history.expectSilence(3 * timeout)
    open.history.expectSilence(10)
    expect(open.worker.of('a').run.deadline).toBe(3 * timeout)
    await attendFor(open, 3 * timeout - 1)
    expect([open.worker.of('a').told, open.value()]).toEqual([[], 'running'])
    await attendFor(open, 1)
    expect(open.worker.of('a').told).toEqual(['timed_out'])
  })

  it.each([0.1, 0.5, 0.9])(
    'short: a lock that was to last as long as the attempt does not end before its progress (%d)',
    async (share) => {
      const settings = workflowFunction({ lockExpiry: 30 * timeout })
      const { held, run, context, scheduler, write, clock } = await openRunning({ settings })
      void createHeldSet({ context, onEmpty: () => undefined }).add(held, run)
      await scheduler.advance(share * timeout)
      const { lockExpiresAt } = held.known()
      await write(joinSetEvent())
      await scheduler.advance(lockExpiresAt - clock.now() - 1)
      expect(held.known().lockExpiresAt).toBeGreaterThan(lockExpiresAt)
    },
  )

  it('upgrade: a renewal leaves the version to which the execution was brought', async () => {
    const open = await openRunning()
    await open.write(upgradeEvent())
    await attendFor(open, third)
    expect((await open.written()).map(([type]) => type)).toEqual(['upgrade_finished', 'locked'])
    expect(await open.store.findState(a)).toMatchObject({ function: { version: '2' } })
    expect(await open.store.findState(a)).toMatchObject({ deploymentId: deploymentId(2) })
  })
})
