/** The notice board by itself: who is told what, and when it asks for commits of others. */

import { describe, expect, test } from 'vitest'
import type { ExecutionState } from '../../../src/model/state.ts'
import type { Notice } from '../../../src/storage/notice.ts'
import { createNotifications, foreignPollInterval } from '../../../src/storage/notifications.ts'
import { checkout } from '../../support/storage/events.ts'
import { deploymentId, executionId } from '../../support/storage/ids.ts'
import { createTestClock, createTestScheduler } from '../../support/test-time.ts'

/** A board whose storage was changed by others as often as the test says. */
function openBoard() {
  const scheduler = createTestScheduler(createTestClock())
  const foreign = { changed: false, asked: 0, fault: undefined as Error | undefined }
  const board = createNotifications({
    scheduler,
    hasForeignChanges: () => {
      foreign.asked += 1
      if (foreign.fault !== undefined) throw foreign.fault
      return foreign.changed
    },
  })
  const told: string[] = []
  const tell = (name: string) => (value?: number | ExecutionState) => {
    told.push(typeof value === 'object' ? `${name} state` : `${name} ${value}`)
  }
  return { scheduler, foreign, board, told, tell }
}

const pending = (name: string, dueAt: number): Notice => ({
  topic: 'pending',
  kind: 'workflow',
  name,
  dueAt,
})

const state: ExecutionState = {
  status: 'pending_at',
  executionId: executionId('a'),
  function: checkout,
  version: 0,
  createdAt: 0,
  firstScheduledAt: 0,
  deploymentId: deploymentId(),
  failures: 0,
  paused: false,
  cancelling: false,
  scheduledAt: 0,
}

describe('publish()', () => {
  test('tells those who listen to just that', () => {
    const { board, told, tell } = openBoard()
    board.onPending('workflow', 'a', tell('workflow a'))
    board.onPending('activity', 'a', tell('activity a'))
    board.onPending('workflow', 'b', tell('workflow b'))
    board.onExecution(executionId('a'), tell('execution a'))
    board.onExecution(executionId('b'), tell('execution b'))
    board.onTimer(tell('timer'))
    board.onForeign(tell('foreign'))
    const timer: Notice = { topic: 'timer', dueAt: 9 }
    board.publish([pending('a', 7), { topic: 'execution', state }, timer])
    expect(told).toEqual(['workflow a 7', 'execution a state', 'timer 9'])
  })

  test('tells everybody who listens to the same, in the order in which they came', () => {
    const { board, told, tell } = openBoard()
    for (const name of ['one', 'two', 'three']) board.onTimer(tell(name))
    board.publish([{ topic: 'timer', dueAt: 1 }])
    expect(told).toEqual(['one 1', 'two 1', 'three 1'])
  })

  test('a listener that throws hurts nobody', () => {
    const { board, told, tell } = openBoard()
    board.onTimer(tell('before'))
    board.onTimer(() => {
      throw new TypeError('a bug of a listener')
    })
    board.onTimer(tell('after'))
    board.publish([
      { topic: 'timer', dueAt: 1 },
      { topic: 'timer', dueAt: 2 },
    ])
    expect(told).toEqual(['before 1', 'after 1', 'before 2', 'after 2'])
  })

  test('who begins to listen while others are told hears the next notice first', () => {
    const { board, told, tell } = openBoard()
    const stop = board.onTimer(() => {
      board.onTimer(tell('new'))
      stop()
    })
    board.publish([
      { topic: 'timer', dueAt: 1 },
      { topic: 'timer', dueAt: 2 },
    ])
    expect(told).toEqual(['new 2'])
  })

  test('who stops hears nothing more; stopping twice stops nobody else', () => {
    const { board, told, tell } = openBoard()
    const stop = board.onTimer(tell('old'))
    stop()
    board.onTimer(tell('new'))
    stop()
    board.publish([{ topic: 'timer', dueAt: 1 }])
    expect(told).toEqual(['new 1'])
  })

  test('one function may listen twice; each stop ends one', () => {
    const { board, told, tell } = openBoard()
    const listener = tell('twice')
    const stop = board.onTimer(listener)
    board.onTimer(listener)
    board.publish([{ topic: 'timer', dueAt: 1 }])
    stop()
    board.publish([{ topic: 'timer', dueAt: 2 }])
    expect(told).toEqual(['twice 1', 'twice 1', 'twice 2'])
  })

  test('nobody listens, nothing happens', () => {
    const { board, scheduler } = openBoard()
    board.publish([pending('a', 7), { topic: 'execution', state }])
    expect(scheduler.dueTimes()).toEqual([])
  })
})

describe('commits of others', () => {
  test('nobody asks for them while nobody listens', async () => {
    const { foreign, scheduler } = openBoard()
    await scheduler.advance(1000)
    expect(foreign.asked).toBe(0)
  })

  test('while somebody listens they are asked for at every interval, by one timer', async () => {
    const { board, foreign, scheduler, tell } = openBoard()
    board.onTimer(tell('one'))
    board.onForeign(tell('two'))
    expect(scheduler.dueTimes()).toEqual([foreignPollInterval])
    await scheduler.advance(5 * foreignPollInterval)
    expect(foreign.asked).toBe(5)
  })

  test('the last one to stop ends it; the next one to listen begins again', async () => {
    const { board, foreign, scheduler, tell } = openBoard()
    const stops = [board.onTimer(tell('one')), board.onForeign(tell('two'))]
    await scheduler.advance(foreignPollInterval)
    for (const stop of stops) stop()
    await scheduler.advance(10 * foreignPollInterval)
    expect(foreign.asked).toBe(1)
    expect(scheduler.dueTimes()).toEqual([])
    board.onTimer(tell('three'))
    await scheduler.advance(foreignPollInterval)
    expect(foreign.asked).toBe(2)
  })

  test('a change is told to everybody, as something unknown', async () => {
    const { board, foreign, scheduler, told, tell } = openBoard()
    board.onPending('workflow', 'a', tell('pending'))
    board.onExecution(executionId('a'), tell('execution'))
    board.onTimer(tell('timer'))
    board.onForeign(tell('foreign'))
    await scheduler.advance(foreignPollInterval)
    expect(told).toEqual([])
    foreign.changed = true
    await scheduler.advance(foreignPollInterval)
    expect(told.toSorted()).toEqual([
      'execution undefined',
      'foreign undefined',
      'pending undefined',
      'timer undefined',
    ])
  })

  test('a listener that throws does not end the watch', async () => {
    const { board, foreign, scheduler, told, tell } = openBoard()
    board.onTimer(() => {
      throw new TypeError('a bug of a listener')
    })
    board.onTimer(tell('timer'))
    foreign.changed = true
    await scheduler.advance(2 * foreignPollInterval)
    expect(told).toEqual(['timer undefined', 'timer undefined'])
  })

  test('a storage that cannot be asked does not end the watch', async () => {
    const { board, foreign, scheduler, told, tell } = openBoard()
    board.onTimer(tell('timer'))
    foreign.fault = new TypeError('the disk is gone')
    await scheduler.advance(foreignPollInterval)
    foreign.fault = undefined
    foreign.changed = true
    await scheduler.advance(foreignPollInterval)
    expect(told).toEqual(['timer undefined'])
  })

  test('closing ends it for good', async () => {
    const { board, foreign, scheduler, tell } = openBoard()
    board.onTimer(tell('one'))
    board.close()
    board.close()
    expect(scheduler.dueTimes()).toEqual([])
    board.onTimer(tell('two'))
    await scheduler.advance(1000)
    expect(foreign.asked).toBe(0)
  })
})

describe('announce()', () => {
  test('tells only those who wait for work, who are not told again', () => {
    const { board } = openBoard()
    const told: string[] = []
    board.onPending('workflow', 'a', (dueAt) => told.push(`a due ${dueAt}`))
    board.onTimer((dueAt) => told.push(`timer ${dueAt}`))
    board.onCommit(() => told.push('commit'))
    const notices = [pending('a', 7), { topic: 'timer', dueAt: 9 }] as const
    board.announce(notices)
    expect(told).toEqual(['a due 7'])
    board.publish(notices, { isAnnounced: true })
    expect(told).toEqual(['a due 7', 'timer 9', 'commit'])
    board.publish(notices, { isAnnounced: false })
    expect(told).toEqual(['a due 7', 'timer 9', 'commit', 'a due 7', 'timer 9', 'commit'])
  })
})

describe('onCommit()', () => {
  test('hears of every commit of this process, with what it has to tell', () => {
    const { board } = openBoard()
    const heard: unknown[] = []
    const stop = board.onCommit((notices) => heard.push(notices))
    const notices = [pending('a', 1)]
    board.publish(notices)
    board.publish([])
    stop()
    board.publish(notices)
    expect(heard).toEqual([notices, []])
  })

  test('hears that others have committed, and nothing of what', async () => {
    const { board, scheduler, foreign } = openBoard()
    const heard: unknown[] = []
    board.onCommit((notices) => heard.push(notices))
    foreign.changed = true
    await scheduler.advance(foreignPollInterval)
    expect(heard).toEqual([undefined])
  })
})
