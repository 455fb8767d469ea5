/** Writing to streams. */
import { expect, test } from 'vitest'
import { writeJson, writeLine } from '../../../src/cli/world.ts'
import { testWorld } from './test-cli.ts'

test('a line, an empty one, and a JSON document', () => {
  const world = testWorld()
  writeLine(world.out, 'a')
  writeLine(world.out)
  writeJson(world.out, { b: [1] })
  expect(world.said().out).toBe('a\n\n{"b":[1]}\n')
})
