import { describe, expect, it, vi } from 'vitest'
import { createResponseNews } from '../../../src/engine/response-news.ts'
import { decideCreated } from '../../../src/model/decide.ts'
import { activityRequest } from '../../support/storage/requests.ts'

const { executionId, event, createdAt } = activityRequest('a')
const created = decideCreated(executionId, event, createdAt)

function heard(...versions: readonly (number | undefined)[]): number {
  const news = createResponseNews(3)
  const listener = vi.fn()
  news.listen(listener)
  for (const version of versions) {
    news.hear(version === undefined ? undefined : { ...created, version })
  }
  return listener.mock.calls.length
}

describe('response news', () => {
  it('an event comes with a version of its own: no news', () => {
    expect(heard(4, 5, 9)).toBe(0)
  })

  it('a version that was told before is news', () => {
    expect(heard(3)).toBe(1)
    expect(heard(4, 4, 4)).toBe(2)
  })

  it('an earlier version, told late, is news: looking twice does no harm', () => {
    expect(heard(5, 4)).toBe(1)
  })

  it('a notice without a state is news', () => {
    expect(heard(undefined)).toBe(1)
  })

  it('nobody listens: nothing happens', () => {
    const news = createResponseNews(1)
    expect(() => {
      news.hear(undefined)
    }).not.toThrow()
  })
})
