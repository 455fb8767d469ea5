import { describe, expect, it } from 'vitest'
import type { DuePoll } from '../../../src/simulation/kernel.ts'
import { createPollSkipping } from '../../../src/simulation/poll-skipping.ts'

const poll: DuePoll = { process: 'a', purpose: 'poll', interval: 200, now: 0 }
const watch: DuePoll = { process: 'a', purpose: 'watch', interval: 200, now: 0 }

function open({ slowMax = 0, skips = true } = {}) {
  const clock = { now: 1_000_000 }
  const due: { at: number | undefined; asked: number } = { at: undefined, asked: 0 }
  const polls = createPollSkipping({
    skips: () => skips,
    now: () => clock.now,
    nextDueAt: () => {
      due.asked += 1
      return due.at
    },
    slowMax,
  })
  return { polls, clock, due }
}

describe('what looks for due work', () => {
  it('is put off to the next thing that is due', () => {
    const { polls, due } = open()
    due.at = 1_234_567
    expect(polls.putOff(poll)).toBe(1_234_567)
  })

  it('is put off until a commit when nothing is', () => {
    expect(open().polls.putOff(poll)).toBe('until_commit')
  })

  it('the store is asked once between two commits, and again after one', () => {
    const { polls, due } = open()
    polls.putOff(poll)
    polls.putOff(poll)
    expect(due.asked).toBe(1)
    due.at = 5
    polls.onCommit('b')
    expect(polls.putOff(poll)).toBe(5)
    expect(due.asked).toBe(2)
  })
})

describe('what watches for commits of others', () => {
  it('looks after one, for an interval', () => {
    const { polls, clock } = open()
    clock.now += 10_000
    expect(polls.putOff(watch)).toBe('until_commit')
    polls.onCommit('b')
    clock.now += 200
    expect(polls.putOff(watch)).toBe('now')
    clock.now += 1
    expect(polls.putOff(watch)).toBe('until_commit')
  })

  it('does not look after commits of its own', () => {
    const { polls, clock } = open()
    clock.now += 10_000
    polls.onCommit('a')
    expect(polls.putOff(watch)).toBe('until_commit')
  })

  it('looks for longer where transactions are slow, unless it asks the counter alone', () => {
    const { polls, clock } = open({ slowMax: 500 })
    clock.now += 100_000
    polls.onCommit('b')
    clock.now += 200 + 10 * 500
    expect(polls.putOff(watch)).toBe('now')
    expect(polls.putOff({ ...watch, interval: 50 })).toBe('until_commit')
    clock.now += 1
    expect(polls.putOff(watch)).toBe('until_commit')
  })
})

it('nothing is put off, and nothing asked, when polls are not skipped', () => {
  const { polls, due } = open({ skips: false })
  expect([polls.putOff(poll), polls.putOff(watch), due.asked]).toEqual(['now', 'now', 0])
})
