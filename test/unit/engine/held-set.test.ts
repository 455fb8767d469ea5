/** One timer and one listener for everything that is held. */

import { describe, expect, it } from 'vitest'
import { SteleError } from '../../../src/base/error.ts'
import type { HeldExecution } from '../../../src/engine/held-execution.ts'
import { createHeldSet, foreignCheckDelay } from '../../../src/engine/held-set.ts'
import type { AbortReason } from '../../../src/engine/worker.ts'
import type { ExecutionState } from '../../../src/model/state.ts'
import { foreignPollInterval } from '../../../src/storage/notifications.ts'
import { executionId } from '../../support/storage/ids.ts'
import { locked } from '../model/builders.ts'
import { idleParent } from './held.ts'
import { loud, openSurroundings } from './surroundings.ts'

/** Something held, that notes when it is attended and what it is told. */
interface FakeHeld extends HeldExecution {
  readonly attended: number[]
  readonly told: AbortReason[]
  readonly noticed: ExecutionState[]
  readonly end: () => void
  readonly fault: (error: Error) => void
  readonly ended: Promise<void>
}

function fakeHeld(id: string, every: number): FakeHeld {
  const attended: number[] = []
  const told: AbortReason[] = []
  const noticed: ExecutionState[] = []
  let end = (): void => undefined
  let fault = (_error: Error): void => undefined
  const ended = new Promise<void>((resolve, reject) => {
    end = resolve
    fault = reject
  })
  return {
    executionId: executionId(id),
    functionName: 'charge',
    actor: idleParent(),
    run: () => ended,
    release: () => ended,
    known: () => locked(),
    attend: (now) => {
      attended.push(now)
      return now + every
    },
    abort: (reason) => told.push(reason),
    notice: (state) => noticed.push(state),
    attended,
    told,
    noticed,
    end,
    fault,
    ended,
  }
}

async function open() {
  const surroundings = await openSurroundings()
  let empties = 0
  const set = createHeldSet({
    context: surroundings.context,
    onEmpty: () => {
      empties += 1
    },
  })
  return { ...surroundings, set, empties: () => empties }
}

describe('held set', () => {
  it('attend: each is attended when it is held, and when the first of all is due', async () => {
    const { set, scheduler } = await open()
    const quick = fakeHeld('a', 30)
    const slow = fakeHeld('b', 100)
    void set.add(slow, slow.ended)
    void set.add(quick, quick.ended)
    await scheduler.advance(65)
    expect(quick.attended).toEqual([0, 30, 60])
    expect(slow.attended.at(0)).toBe(0)
    expect(set.size()).toBe(2)
  })

  it('attend: what never needs it again sets no timer', async () => {
    const { set, scheduler } = await open()
    const one = fakeHeld('a', Number.POSITIVE_INFINITY)
    void set.add(one, one.ended)
    await scheduler.advance(1000)
    expect(one.attended).toEqual([0])
  })

  it('end: is let go, and the last one says that nothing is held', async () => {
    const { set, scheduler, empties } = await open()
    const one = fakeHeld('a', 50)
    const other = fakeHeld('b', 50)
    const adds = [set.add(one, one.ended), set.add(other, other.ended)]
    one.end()
    await scheduler.settle()
    expect([set.size(), empties()]).toEqual([1, 0])
    other.end()
    await Promise.all(adds)
    expect([set.size(), empties()]).toEqual([0, 1])
  })

  it('end: with nothing held there is no timer left', async () => {
    const { set, scheduler } = await open()
    const one = fakeHeld('a', 50)
    const added = set.add(one, one.ended)
    one.end()
    await added
    await scheduler.advance(foreignPollInterval)
    expect(scheduler.dueTimes()).toEqual([])
  })

  it('fault: a run that rejects is let go all the same, and it is said', async () => {
    const { set, log } = await open()
    const one = fakeHeld('a', 50)
    const added = set.add(one, one.ended)
    one.fault(new TypeError('bug'))
    await added
    expect(set.size()).toBe(0)
    expect(loud(log)).toEqual(['A run ended in a fault'])
  })

  it('abort: tells everyone', async () => {
    const { set } = await open()
    const all = [fakeHeld('a', 50), fakeHeld('b', 50)]
    for (const one of all) void set.add(one, one.ended)
    set.abortAll('stopping')
    expect(all.map(({ told }) => told)).toEqual([['stopping'], ['stopping']])
  })
})

describe('held set: other processes', () => {
  async function openForeign() {
    const surroundings = await openSurroundings({ deaf: true })
    const heard: (() => void)[] = []
    let states: readonly ExecutionState[] = []
    let asked: (readonly string[])[] = []
    let failure: Error | undefined
    const { storage } = surroundings.context
    const notifications = {
      ...storage.notifications,
      onForeign: (listener: () => void) => {
        heard.push(listener)
        return () => heard.splice(0)
      },
    }
    const findStates = (ids: readonly string[]): Promise<readonly ExecutionState[]> => {
      asked = [...asked, ids]
      return failure === undefined ? Promise.resolve(states) : Promise.reject(failure)
    }
    const set = createHeldSet({
      context: { ...surroundings.context, storage: { ...storage, notifications, findStates } },
      onEmpty: () => undefined,
    })
    return {
      ...surroundings,
      set,
      heard,
      commit: (next: readonly ExecutionState[], error?: Error): void => {
        states = next
        failure = error
        for (const listen of heard) listen()
      },
      asked: () => asked,
    }
  }

  it('foreign: one question for many commits, and each holder is told of its own', async () => {
    const { set, scheduler, commit, asked } = await openForeign()
    const one = fakeHeld('a', 1000)
    const other = fakeHeld('b', 1000)
    void set.add(one, one.ended)
    void set.add(other, other.ended)
    const state = locked({ executionId: executionId('b'), version: 9 })
    commit([state])
    commit([state])
    await scheduler.advance(foreignCheckDelay - 1)
    expect(asked()).toEqual([])
    await scheduler.advance(1)
    expect(asked()).toEqual([['a', 'b']])
    expect([one.noticed, other.noticed]).toEqual([[], [state]])
    commit([state])
    await scheduler.advance(foreignCheckDelay)
    expect(asked()).toHaveLength(2)
  })

  it('foreign: a fault is left to the next commit, and loud to nobody', async () => {
    const { set, scheduler, commit, asked, log } = await openForeign()
    const one = fakeHeld('a', 1000)
    void set.add(one, one.ended)
    commit([], new SteleError('storage_unavailable', 'away'))
    await scheduler.advance(foreignCheckDelay)
    commit([])
    await scheduler.advance(foreignCheckDelay)
    expect([asked().length, loud(log)]).toEqual([2, []])
  })

  it('foreign: who holds nothing does not listen', async () => {
    const { set, heard } = await openForeign()
    expect(heard).toEqual([])
    const one = fakeHeld('a', 1000)
    const added = set.add(one, one.ended)
    expect(heard).toHaveLength(1)
    one.end()
    await added
    expect(heard).toEqual([])
  })
})
