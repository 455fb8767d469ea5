/** The command line as a whole: help, usage, codes. */
import { expect, test } from 'vitest'
import { commands } from '../../../src/cli/commands.ts'
import { createProgram } from '../../../src/cli/run-cli.ts'
import { createSession } from '../../../src/cli/session.ts'
import { run, testWorld } from './test-cli.ts'

test('--version', async () => {
  expect(await run(['--version'])).toEqual({ code: 0, out: '1.2.3\n', err: '' })
})

test('--help goes to the output, and names the exit codes', async () => {
  const { code, out, err } = await run(['--help'])
  expect({ code, err }).toEqual({ code: 0, err: '' })
  expect(out).toContain('Exit codes: 0 done')
})

test.each([
  [[], 'Usage: stele'],
  [['lss', 'a.db'], "stele: unknown command 'lss'\n(Did you mean ls?)"],
  [['ls'], "stele: missing required argument 'file'\nTry 'stele help ls'."],
  [['ls', 'a.db', '--statsu', 'x'], '(Did you mean --status?)'],
  [['ls', 'a.db', '--status', 'done'], 'Allowed choices are pending_at, locked'],
  [['ls', 'a.db', '--limit', '0'], 'It must be an integer from 1 to'],
  [['show', 'a.db', 'b', 'c'], 'too many arguments'],
])('%j is not understood', async (args, said) => {
  const { code, out, err } = await run(args)
  expect({ code, out }).toEqual({ code: 2, out: '' })
  expect(err).toContain(said)
})

test('every command has a description, its arguments explained, an example, and --no-color', () => {
  const program = createProgram(createSession(testWorld()), '1.2.3')
  expect(program.commands.length).toBeGreaterThanOrEqual(commands.length)
  for (const command of program.commands) {
    let help = ''
    command.configureOutput({ writeOut: (text) => (help += text) })
    command.outputHelp()
    expect(command.description()).not.toBe('')
    expect(command.registeredArguments.map(({ description }) => description)).not.toContain('')
    expect(help).toContain('Examples:\n  $ stele ')
    expect(help).toContain('--no-color')
  }
})
