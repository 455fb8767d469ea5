import { describe, expect, it } from 'vitest'
import { createPatience } from '../../../src/simulation/stuck.ts'

function createWorld() {
  const now = { steps: 0, commits: 0, stuck: [] as readonly string[] }
  const isHopeless = createPatience({
    steps: () => now.steps,
    commits: () => now.commits,
    find: () => now.stuck,
  })
  return { now, isHopeless }
}

describe('createPatience', () => {
  it('stuck: is hopeless after a thousand steps without a commit, not before', () => {
    const { now, isHopeless } = createWorld()
    now.stuck = ['somebody']
    now.steps = 999
    expect(isHopeless()).toBe(false)
    now.steps = 1_000
    expect(isHopeless()).toBe(true)
  })

  it('commit: begins anew after each', () => {
    const { now, isHopeless } = createWorld()
    now.stuck = ['somebody']
    now.commits = 1
    now.steps = 1_000
    expect(isHopeless()).toBe(false)
    now.steps = 2_000
    expect(isHopeless()).toBe(true)
  })

  it('nobody: is never hopeless while nothing is stuck', () => {
    const { now, isHopeless } = createWorld()
    for (now.steps = 0; now.steps < 10_000; now.steps += 500) expect(isHopeless()).toBe(false)
  })
})
