/** Counts with examples. */
import { expect, test } from 'vitest'
import { createTally } from '../../../../src/cli/doctor/tally.ts'

test('counts all, and keeps the first five', () => {
  const tally = createTally<'a' | 'b'>()
  for (let index = 1; index <= 7; index += 1) tally.add('a', `a${index}`)
  expect(tally.get('a')).toEqual({ count: 7, examples: ['a1', 'a2', 'a3', 'a4', 'a5'] })
  expect(tally.get('b')).toEqual({ count: 0, examples: [] })
  expect(tally.keys()).toEqual(['a'])
})
