/** What the commands have in common. */
import { InvalidArgumentError } from 'commander'
import { expect, test } from 'vitest'
import { examples, integerFrom } from '../../../src/cli/declare.ts'

test.each(['0', '11', '1.5', '-1', '', 'x', '1e1'])('%j is no integer from 1 to 10', (text) => {
  expect(() => integerFrom(1, 10)(text)).toThrow(InvalidArgumentError)
})

test('an integer is read', () => {
  expect(integerFrom(1, 10)('10')).toBe(10)
})

test('examples stand below each other', () => {
  expect(examples('ls a', 'ls b')).toBe('\nExamples:\n  $ stele ls a\n  $ stele ls b')
})
