import { describe, expect, it } from 'vitest'
import { isRetrySet, retrySet } from '../../../../src/workers/workflow/step-events.ts'
import { joinSet } from '../../../support/storage/ids.ts'

describe('join sets of waits between attempts', () => {
  it('retrySet: names step and attempt, and is told from all others', () => {
    expect(retrySet(12, 3)).toBe('o:retry-12-3')
    expect(isRetrySet(retrySet(12, 3))).toBe(true)
  })

  it.each(['o:1-retry-12-3', 'n:retry-12-3', 'm:retry-1', 'g:1'])('isRetrySet: not %s', (id) => {
    expect(isRetrySet(joinSet(id))).toBe(false)
  })
})
