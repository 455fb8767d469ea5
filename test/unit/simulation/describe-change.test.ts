import { describe, expect, it } from 'vitest'
import { describeChange } from '../../../src/simulation/describe-change.ts'
import { childResponse } from '../../support/storage/requests.ts'
import { events, locked, pending } from '../model/builders.ts'

const state = pending()
const change = {
  executionId: 'a',
  steps: [],
  responses: [],
  folded: state,
  execution: { state, events: [], responses: [] },
}

describe('a commit in the trace', () => {
  it('has a line for each event, with the outcome of the last', () => {
    const entries = [events.locked, events.finished_err].map((event, version) => ({
      entry: { version, createdAt: 0, event },
      before: undefined,
      after: locked(),
    }))
    expect(describeChange({ ...change, steps: entries })).toEqual([
      'a v0 locked',
      'a v1 finished err',
    ])
  })

  it('has a line for each response, with its cursor', () => {
    const response = { cursor: 9, createdAt: 0, ordinal: 1, afterVersion: 0 }
    const responses = [{ ...response, response: childResponse('a') }]
    expect(describeChange({ ...change, responses })).toEqual(['a <- child_finished (cursor 9)'])
  })

  it('has none when nothing was added', () => {
    expect(describeChange(change)).toEqual([])
  })
})
