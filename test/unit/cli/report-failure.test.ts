/** Errors for a person. */
import { CommanderError } from 'commander'
import { expect, test } from 'vitest'
import { SteleError } from '../../../src/base/error.ts'
import { reportFailure } from '../../../src/cli/report-failure.ts'
import { testWorld } from './test-cli.ts'

test('an error of ours is its message, without a stack', () => {
  const world = testWorld()
  expect(reportFailure(world, new SteleError('schema_too_new', 'Too new.'))).toBe(4)
  expect(world.said()).toEqual({ out: '', err: 'stele: Too new.\n' })
})

test('anything else is a bug, and comes with its stack', () => {
  const world = testWorld()
  expect(reportFailure(world, new RangeError('odd'))).toBe(1)
  expect(world.said().err).toMatch(/^stele: RangeError: odd\n {4}at .*This is a bug in stele/s)
})

test('what is no error is shown as text', () => {
  const world = testWorld()
  reportFailure(world, 'odd')
  expect(world.said().err).toBe('stele: odd\n')
})

test('help is no failure, and what was not understood was said already', () => {
  const world = testWorld()
  expect(reportFailure(world, new CommanderError(0, 'commander.help', ''))).toBe(0)
  expect(reportFailure(world, new CommanderError(1, 'commander.unknownOption', ''))).toBe(2)
  expect(world.said().err).toBe('')
})
