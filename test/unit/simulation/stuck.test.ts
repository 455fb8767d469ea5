import { describe, expect, it } from 'vitest'
import type { ExecutionState } from '../../../src/model/state.ts'
import type { VersionsByName } from '../../../src/simulation/store.ts'
import { createPatience, findStuck } from '../../../src/simulation/stuck.ts'
import { blocked, finished, locked, pending } from '../model/builders.ts'

const now = 1_000_000

function stuckWith(state: ExecutionState, functions: VersionsByName = { flow: '1' }) {
  const executions = new Map([['a', { state, events: [], responses: [] }]])
  return findStuck({ executions, functions, now })
}

describe('stuck is', () => {
  it.each<[string, ExecutionState, string]>([
    ['what is due and nobody locks', pending({ scheduledAt: now - 60_001 }), 'due since 60001 ms'],
    ['what nobody frees', locked({ lockExpiresAt: now - 60_001 }), 'its lock ran out 60001 ms ago'],
    ['whose cancellation nobody ends', blocked({ cancelling: true }), 'is being cancelled'],
    ['that, paused or not', pending({ cancelling: true, paused: true }), 'is being cancelled'],
  ])('%s', (_, state, why) => {
    const [sentence, ...others] = stuckWith(state)
    expect(sentence).toMatch(/^a \(flow\) is /)
    expect(sentence).toContain(why)
    expect(others).toEqual([])
  })
})

describe('not stuck is', () => {
  it.each<[string, ExecutionState]>([
    ['what has finished', finished()],
    ['what is due since a moment', pending({ scheduledAt: now - 60_000 })],
    ['what is due later', pending({ scheduledAt: now + 1 })],
    ['what is paused', pending({ scheduledAt: 0, paused: true })],
    ['what is held', locked({ lockExpiresAt: now })],
    ['what waits for a response', blocked({ runExpiresAt: 0 })],
  ])('%s', (_, state) => {
    expect(stuckWith(state)).toEqual([])
  })

  it('what no engine executes', () => {
    expect(stuckWith(pending({ scheduledAt: 0 }), { other: '1' })).toEqual([])
  })
})

it('not stuck is what does not fit the code that is there, but what does', () => {
  const state = pending({ scheduledAt: 0, incompatibleVersion: '2' })
  expect(stuckWith(state, { flow: '2' })).toEqual([])
  expect(stuckWith(state, { flow: '3' })).toHaveLength(1)
})

it('names ten of those that are stuck, and counts the rest', () => {
  const view = { state: pending({ scheduledAt: 0 }), events: [], responses: [] }
  const executions = new Map(Array.from({ length: 13 }, (_, index) => [`a-${index}`, view]))
  const sentences = findStuck({ executions, functions: { flow: '1' }, now })
  expect([sentences.length, sentences.at(-1)]).toEqual([11, 'and 3 more'])
})

function createWorld() {
  const counts = { steps: 0, commits: 0, stuck: [] as readonly string[] }
  const isHopeless = createPatience({
    steps: () => counts.steps,
    commits: () => counts.commits,
    find: () => counts.stuck,
  })
  return { counts, isHopeless }
}

describe('createPatience', () => {
  it('stuck: is hopeless after a thousand steps without a commit, not before', () => {
    const { counts, isHopeless } = createWorld()
    counts.stuck = ['somebody']
    counts.steps = 999
    expect(isHopeless()).toBe(false)
    counts.steps = 1_000
    expect(isHopeless()).toBe(true)
  })

  it('commit: begins anew after each', () => {
    const { counts, isHopeless } = createWorld()
    counts.stuck = ['somebody']
    counts.commits = 1
    counts.steps = 1_000
    expect(isHopeless()).toBe(false)
    counts.steps = 2_000
    expect(isHopeless()).toBe(true)
  })

  it('nobody: is never hopeless while nothing is stuck', () => {
    const { counts, isHopeless } = createWorld()
    for (counts.steps = 0; counts.steps < 10_000; counts.steps += 500)
      expect(isHopeless()).toBe(false)
  })
})
