import { describe, expect, it } from 'vitest'
import { defaultLimits, resolveLimits } from '../../../src/client/limits.ts'

describe('resolveLimits', () => {
  it('defaults: are what the types say', () => {
    expect(resolveLimits()).toEqual(defaultLimits)
    expect(defaultLimits).toEqual({
      valueBytes: 2_097_152,
      errorDetailBytes: 65_536,
      logLinesPerRun: 1_000,
      httpTracesPerAttempt: 100,
      stragglers: 100,
      eventsPerExecution: 200_000,
      warmRuns: 1_000,
      crashesWithoutProgress: 10,
      sourceBytes: 1_048_576,
      listPage: 1_000,
    })
  })

  it('given: replaces the default, and `undefined` does not', () => {
    expect(resolveLimits({ valueBytes: 10, listPage: undefined })).toEqual({
      ...defaultLimits,
      valueBytes: 10,
    })
  })

  const mayBeZero = ['warmRuns']

  it.each(mayBeZero)('range: %s may be zero, and then none is kept', (name) => {
    expect(resolveLimits({ [name]: 0 })).toMatchObject({ [name]: 0 })
    expect(() => resolveLimits({ [name]: -1 })).toThrow(
      expect.objectContaining({ code: 'invalid_option', fields: { option: `limits.${name}` } }),
    )
  })

  const atLeastOne = Object.keys(defaultLimits).filter((name) => !mayBeZero.includes(name))

  it.each(atLeastOne)('range: %s is an integer from 1', (name) => {
    for (const value of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, '10', null]) {
      expect(() => resolveLimits({ [name]: value })).toThrow(
        expect.objectContaining({ code: 'invalid_option', fields: { option: `limits.${name}` } }),
      )
    }
    expect(resolveLimits({ [name]: 1 })).toMatchObject({ [name]: 1 })
  })

  it('unknown: is refused by name', () => {
    expect(() => resolveLimits({ bytes: 1 } as object)).toThrow('limits.bytes is not an option')
  })
})
