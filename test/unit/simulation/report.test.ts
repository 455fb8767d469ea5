import { describe, expect, it } from 'vitest'
import { type FailedRun, formatFailure, reportLinesMax } from '../../../src/simulation/report.ts'
import type { TraceLine } from '../../../src/simulation/trace.ts'

const line = (text: string): TraceLine => ({
  at: 1,
  step: 2,
  process: 'engine-0',
  kind: 'commit',
  text,
})

const run: FailedRun = {
  seed: 42,
  failure: {
    kind: 'invariant',
    invariant: 'versions are dense',
    message: 'a has version 3 at place 2',
    at: 0,
    step: 116,
  },
  tapes: { crash: [3, 1], 'crash-which': [1] },
  steps: 200,
  faults: { crash: 2, busy: 1 },
  lines: [line('a v3 locked')],
}

describe('the report of a failure', () => {
  it('begins with seed, step and invariant, and says what is wrong', () => {
    const text = formatFailure(run)
    expect(text.split('\n')[0]).toBe('Simulation failed at seed 42, step 116: versions are dense')
    expect(text).toContain('a has version 3 at place 2')
  })

  it('says how many choices and which faults it took', () => {
    expect(formatFailure(run)).toContain('Choices: 3; faults: crash 2, busy 1.')
    expect(formatFailure({ ...run, faults: {}, tapes: {} })).toContain('Choices: 0; faults: none.')
  })

  it('ends with the last lines of the trace, and says how many it leaves out', () => {
    const lines = Array.from({ length: reportLinesMax + 5 }, (_, index) => line(`line-${index}.`))
    const text = formatFailure({ ...run, lines })
    expect(text).toContain('… 5 lines before …')
    expect(text).not.toContain('line-4.')
    expect(text).toContain('line-5.')
    expect(text.endsWith(`line-${reportLinesMax + 4}.`)).toBe(true)
  })

  it('leaves nothing out when there is room', () => {
    expect(formatFailure(run)).not.toContain('lines before')
  })
})
