import { describe, expect, it } from 'vitest'
import { SteleError } from '../../../src/base/error.ts'
import { CheckError, failureOf, simulationError } from '../../../src/simulation/simulation-error.ts'

const place = { at: 7, step: 3 }

describe('the failure of a scenario', () => {
  it('that a check has thrown is named by the check', () => {
    const thrown = new CheckError('charged once', 'charged once: twice')
    expect(failureOf(thrown, place)).toEqual({
      kind: 'scenario',
      invariant: 'charged once',
      message: 'charged once: twice',
      ...place,
    })
  })

  it('is named by class and code of the error; its text, which may have ids, is in the message', () => {
    const thrown = new SteleError('execution_not_found', 'There is no a-1.')
    const { invariant, message, cause } = failureOf(thrown, place)
    expect(invariant).toBe('the scenario: SteleError execution_not_found')
    expect(message).toContain('There is no a-1.')
    expect(cause).toBe(thrown)
  })

  it('is named by the class alone where there is no code', () => {
    expect(failureOf(new TypeError('oh'), place).invariant).toBe('the scenario: TypeError')
  })

  it('may be anything that was thrown', () => {
    const failure = failureOf('no error', place)
    expect(failure).toMatchObject({
      invariant: 'the scenario: threw something',
      message: 'no error',
      cause: 'no error',
    })
  })
})

describe('the error of a test', () => {
  it('has its code, the report as its message, and the result', () => {
    const result = { seed: 4 }
    expect(simulationError('The report.', result)).toMatchObject({
      code: 'simulation_failed',
      message: 'The report.',
      fields: { result },
    })
  })
})
