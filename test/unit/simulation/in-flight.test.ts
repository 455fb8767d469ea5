import { describe, expect, it } from 'vitest'
import type { Attempt } from '../../../src/simulation/activities.ts'
import { createInFlight } from '../../../src/simulation/in-flight.ts'

const attempt = (part: Partial<Attempt> = {}): Attempt => ({
  process: 'engine-0',
  activity: 'charge',
  executionId: 'a',
  attempt: 2,
  isAlive: () => true,
  ...part,
})

function open() {
  const notes: string[] = []
  const inFlight = createInFlight((process, kind, text) => notes.push(`${process} ${kind} ${text}`))
  return { ...inFlight, notes }
}

describe('attempts under way', () => {
  it('are named with what to do', () => {
    const { begin, describe: sentences } = open()
    begin(attempt())
    const [sentence] = sentences()
    expect(sentence).toContain('the activity charge of a, attempt 2')
    expect(sentence).toContain('outside of the simulation')
    expect(sentence).toContain('activities:')
  })

  it.each(['ok', 'thrown', 'hung'] as const)('are none after the end %s', (how) => {
    const { begin, end, describe: sentences } = open()
    const begun = attempt()
    begin(begun)
    begin(attempt({ executionId: 'b' }))
    end(begun, how)
    expect(sentences().map((sentence) => sentence.includes(' of b,'))).toEqual([true])
  })

  it('are none of a dead process', () => {
    const { begin, describe: sentences } = open()
    begin(attempt({ isAlive: () => false }))
    expect(sentences()).toEqual([])
  })

  it('are outlived when another attempt has begun, and named then', () => {
    const { begin, describeOutlived } = open()
    begin(attempt())
    begin(attempt({ executionId: 'b' }))
    expect(describeOutlived()).toEqual([])
    begin(attempt({ attempt: 3 }))
    expect(describeOutlived()).toEqual([expect.stringContaining('of a, attempt 2')])
  })

  it('show in the trace, from beginning to end', () => {
    const { begin, end, notes } = open()
    const begun = attempt()
    begin(begun)
    end(begun, 'thrown')
    expect(notes).toEqual([
      'engine-0 attempt charge a #2 begins',
      'engine-0 attempt charge a #2 thrown',
    ])
  })
})
