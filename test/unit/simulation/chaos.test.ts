import { describe, expect, it } from 'vitest'
import { createChaos } from '../../../src/simulation/chaos.ts'
import type { FaultKind, FaultOptions } from '../../../src/simulation/faults.ts'
import { createKernel } from '../../../src/simulation/kernel.ts'
import type { Processes } from '../../../src/simulation/processes.ts'
import type { Store } from '../../../src/simulation/store.ts'
import { scriptedFaults } from './scripted-faults.ts'

function open(
  times: Partial<Record<FaultKind, number>>,
  options: FaultOptions & { readonly picks?: number; readonly isRestorable?: boolean } = {},
) {
  const { isRestorable = true, ...rest } = options
  const seen: string[] = []
  const kernel = createKernel({
    start: 0,
    pick: () => 0,
    skewOf: () => 0,
    putOff: () => 'now',
    beforeStep: () => undefined,
    onThrow: (_, cause) => {
      throw cause
    },
  })
  const faults = scriptedFaults(times, rest)
  const processes: Partial<Processes> = {
    names: ['a', 'b', 'c'],
    isUp: (name) => name !== 'a',
    crash: (name, why) => seen.push(`crash ${name}: ${why}`),
    stop: (name) => {
      seen.push(`stop ${name}`)
      return Promise.resolve()
    },
    stall: (name, length) => seen.push(`stall ${name} ${length}`),
    jumpClock: (name) => seen.push(`jump ${name}`),
  }
  let commits = 0
  const store: Partial<Store> = {
    isRestorable,
    image: () => new Uint8Array([commits]),
    restore: ([commit]) => seen.push(`back to commit ${commit}`),
  }
  const chaos = createChaos({
    faults,
    processes: processes as Processes,
    store: store as Store,
    world: kernel.createLife('world'),
    onRestored: () => seen.push('restored'),
  })
  const settle = () => kernel.run({ isDone: () => false, steps: 100, until: 1 })
  const commit = (): void => {
    commits += 1
    chaos.afterCommit()
  }
  return { chaos, seen, faults, settle, commit }
}

describe('between two steps', () => {
  it('nothing goes wrong by itself', async () => {
    const { chaos, seen, settle } = open({})
    chaos.beforeStep()
    await settle()
    expect(seen).toEqual([])
  })

  it.each<[FaultKind, string]>([
    ['crash', 'crash b: dies'],
    ['stall', 'stall b 10000'],
    ['restart', 'stop b'],
    ['clockJump', 'jump b'],
  ])('%s hits one that is up', async (kind, expected) => {
    const { chaos, seen, settle } = open({ [kind]: 1 })
    chaos.beforeStep()
    chaos.beforeStep()
    await settle()
    expect(seen).toEqual([expected])
  })

  it('which one it hits is a choice', () => {
    const { chaos, seen } = open({ crash: 1 }, { picks: 1 })
    chaos.beforeStep()
    expect(seen).toEqual(['crash c: dies'])
  })

  it('nothing goes wrong once everything has healed', () => {
    const { chaos, seen, faults } = open({ crash: 9 })
    faults.heal()
    chaos.beforeStep()
    expect(seen).toEqual([])
  })
})

const allCrash = ['a', 'b', 'c'].map((name) => `crash ${name}: the power is gone`)

describe('when the power is gone', () => {
  it('all die, not within the commit but after it, and nothing is lost', async () => {
    const { commit, seen, settle } = open({ powerLoss: 1 }, { loses: 0 })
    commit()
    expect(seen).toEqual([])
    await settle()
    expect(seen).toEqual(allCrash)
  })

  it('the last commits may be lost: the store goes back to one before', async () => {
    const { commit, seen, settle } = open({ powerLoss: 1 }, { loses: 2, picks: 2 })
    commit()
    commit()
    await settle()
    expect(seen).toEqual([])
    commit()
    await settle()
    expect(seen).toEqual([...allCrash, 'back to commit 1', 'restored'])
  })

  it('nothing is lost where there is no way back', async () => {
    const { commit, seen, settle } = open(
      { powerLoss: 1 },
      { loses: 2, picks: 2, isRestorable: false },
    )
    commit()
    await settle()
    expect(seen).toEqual(allCrash)
  })

  it('it may be gone again later', async () => {
    const { commit, seen, settle } = open({ powerLoss: 2 }, { loses: 0 })
    commit()
    await settle()
    commit()
    await settle()
    expect(seen).toEqual([...allCrash, ...allCrash])
  })
})
