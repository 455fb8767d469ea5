import { expect, it } from 'vitest'
import { attemptOf, executionStatuses } from '../../../src/model/state.ts'
import { finished, pending, stateNames, states } from './builders.ts'

it('attempt: one more than the counted failures', () => {
  expect(attemptOf(pending({ failures: 0 }))).toBe(1)
  expect(attemptOf(finished({ failures: 4 }))).toBe(5)
})

it('statuses: each has a state here', () => {
  expect(new Set(stateNames.map((name) => states[name].status))).toEqual(new Set(executionStatuses))
})
