/** The help of every command, as the command line prints it. */
import type { Command } from 'commander'
import { createRandom } from '../../src/base/random.ts'
import { createProgram } from '../../src/cli/run-cli.ts'
import { createSession } from '../../src/cli/session.ts'
import { createTestClock, createTestScheduler } from '../support/test-time.ts'
import { fence } from './section.ts'

const nobody = { isTerminal: false, write: () => undefined }

/** The help of the program and of each command, by name: `machine export`. */
export function drawHelps(): Readonly<Record<string, string>> {
  const clock = createTestClock()
  const session = createSession({
    clock,
    scheduler: createTestScheduler(clock),
    random: createRandom(1),
    out: nobody,
    err: nobody,
    env: {},
    readInput: () => Promise.resolve(''),
    onInterrupt: () => () => undefined,
    openPage: () => undefined,
  })
  const program = createProgram(session, '0.0.0')
  return Object.fromEntries(helpsOf(program, 'stele'))
}

function helpsOf(command: Command, name: string): readonly (readonly [string, string])[] {
  const inner = command.commands.flatMap((one) => {
    const below = name === 'stele' ? one.name() : `${name} ${one.name()}`
    return helpsOf(one, below)
  })
  return [[name, fence('text', helpOf(command))], ...inner]
}

function helpOf(command: Command): string {
  let help = ''
  command.configureOutput({
    writeOut: (text) => {
      help += text
    },
  })
  command.outputHelp()
  return help.trim()
}
