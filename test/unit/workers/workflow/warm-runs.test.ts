import { describe, expect, it } from 'vitest'
import type { ExecutionId } from '../../../../src/model/ids.ts'
import type { Frame } from '../../../../src/workers/workflow/frame.ts'
import { WarmRuns } from '../../../../src/workers/workflow/warm-runs.ts'

const id = (text: string) => text as ExecutionId
const frameOf = (text: string) => ({ options: { executionId: id(text) } }) as Frame

describe('WarmRuns', () => {
  it('take: the frame that knows the log so far, once', () => {
    const warm = new WarmRuns(2)
    const frame = frameOf('a')
    warm.put(frame, 5)
    expect(warm.take(id('a'), 5)).toBe(frame)
    expect(warm.take(id('a'), 5)).toBeUndefined()
  })

  it('take: one that knows another log is dropped', () => {
    const warm = new WarmRuns(2)
    warm.put(frameOf('a'), 5)
    expect(warm.take(id('a'), 6)).toBeUndefined()
    expect(warm.size()).toBe(0)
  })

  it('put: beyond the limit, the one used longest ago goes', () => {
    const warm = new WarmRuns(2)
    warm.put(frameOf('a'), 1)
    warm.put(frameOf('b'), 1)
    warm.put(frameOf('a'), 2)
    warm.put(frameOf('c'), 1)
    expect(warm.size()).toBe(2)
    expect(warm.take(id('b'), 1)).toBeUndefined()
    expect(warm.take(id('a'), 2)).toBeDefined()
  })

  it('put: a limit of none keeps none', () => {
    const warm = new WarmRuns(0)
    warm.put(frameOf('a'), 1)
    expect(warm.size()).toBe(0)
  })

  it('versionOf: of a frame that is kept; drop forgets it', () => {
    const warm = new WarmRuns(2)
    warm.put(frameOf('a'), 7)
    expect(warm.versionOf(id('a'))).toBe(7)
    warm.drop(id('a'))
    expect(warm.versionOf(id('a'))).toBeUndefined()
  })

  it('clear: forgets all', () => {
    const warm = new WarmRuns(2)
    warm.put(frameOf('a'), 1)
    warm.clear()
    expect(warm.size()).toBe(0)
  })
})
