/** The list of commands. */
import { expect, test } from 'vitest'
import { commands } from '../../../src/cli/commands.ts'
import { createProgram } from '../../../src/cli/run-cli.ts'
import { createSession } from '../../../src/cli/session.ts'
import { testWorld } from './test-cli.ts'

test('each is declared once', () => {
  const program = createProgram(createSession(testWorld()), '0')
  const names = program.commands.map((command) => command.name())
  expect(new Set(names).size).toBe(names.length)
  expect(new Set(commands).size).toBe(commands.length)
})
