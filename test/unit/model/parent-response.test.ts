import { describe, expect, it } from 'vitest'
import { requireExecutionId } from '../../../src/model/ids.ts'
import { parentResponse } from '../../../src/model/parent-response.ts'
import { blocked, boxes, executionId, finished, locked, pending } from './builders.ts'

const parent = { executionId: requireExecutionId('parent'), joinSetId: boxes }

describe('parentResponse', () => {
  it('finished: a derived execution tells its parent, with its own version', () => {
    expect(parentResponse(finished({ parent, version: 9 }))).toEqual({
      executionId: 'parent',
      response: {
        type: 'child_finished',
        joinSetId: boxes,
        childExecutionId: executionId,
        finishedVersion: 9,
      },
    })
  })

  it('finished: a top-level execution tells nobody', () => {
    expect(parentResponse(finished())).toBeUndefined()
  })

  it.each([
    ['pending_at', pending({ parent })],
    ['locked', locked({ parent })],
    ['blocked', blocked({ parent })],
  ] as const)('%s: an unfinished execution tells nobody', (_, state) => {
    expect(parentResponse(state)).toBeUndefined()
  })
})
