/** Exit codes for errors. */
import { expect, test } from 'vitest'
import { errorTable } from '../../../src/base/error.ts'
import { exitCodeOf, exitCodes } from '../../../src/cli/exit-codes.ts'

test.each([
  ['execution_not_found', exitCodes.notFound],
  ['invalid_option', exitCodes.usage],
  ['schema_too_new', exitCodes.database],
  ['illegal_state', exitCodes.failed],
] as const)('%s is %i', (code, expected) => {
  expect(exitCodeOf(code)).toBe(expected)
})

test('no error is a success', () => {
  const codes = Object.keys(errorTable) as readonly (keyof typeof errorTable)[]
  expect(codes.filter((code) => exitCodeOf(code) === exitCodes.ok)).toEqual([])
})
