/** The command line as a function: arguments and a world in, an exit code out. */

import { Command } from 'commander'
import { commands } from './commands.ts'
import type { ExitCode } from './exit-codes.ts'
import { reportFailure } from './report-failure.ts'
import { createSession, type Session, wantsColour } from './session.ts'
import type { World } from './world.ts'

/** Runs one command. Never rejects: whatever goes wrong is told, and becomes the exit code. */
export async function runCli(
  args: readonly string[],
  world: World,
  version: string,
): Promise<ExitCode> {
  const session = createSession(world)
  try {
    await createProgram(session, version).parseAsync(args, { from: 'user' })
    return session.exitCode()
  } catch (cause) {
    return reportFailure(world, cause, args.includes('--no-color') ? false : undefined)
  }
}

/** The program with all its commands. */
export function createProgram(session: Session, version: string): Command {
  const program = new Command('stele')
  configure(program, session)
  program
    .description('Looks into a database of Stele, and gives commands to what runs on it.')
    .version(version, '-V, --version', 'print the version')
    .helpCommand('help [command]', 'explain a command')
    .addHelpText('after', programHelp)
  for (const declare of commands) declare(program, session)
  for (const command of program.commands) configureDeep(command, session)
  return program
}

const programHelp = `
Commands that only look open the database read-only: they create, migrate and write nothing,
and may run beside engines. The others write, as any client of an engine does.

Exit codes: 0 done, 1 refused or failed (doctor: something is wrong), 2 not understood,
3 no such execution, function, channel or machine, 4 the database cannot be used.`

function configureDeep(command: Command, session: Session): void {
  configure(command, session)
  for (const inner of command.commands) configureDeep(inner, session)
}

function configure(command: Command, { world, width }: Session): void {
  const helpWidth = Number.isFinite(width) ? width : 100
  command
    .exitOverride()
    .showHelpAfterError(
      `Try 'stele ${command.name() === 'stele' ? '' : 'help '}${helpName(command)}'.`,
    )
    .configureOutput({
      writeOut: (text) => {
        world.out.write(text)
      },
      writeErr: (text) => {
        world.err.write(text)
      },
      outputError: (text, write) => {
        write(text.replace(/^error: /, 'stele: '))
      },
      getOutHelpWidth: () => helpWidth,
      getErrHelpWidth: () => helpWidth,
      getOutHasColors: () => wantsColour(world.out, world.env, undefined),
      getErrHasColors: () => wantsColour(world.err, world.env, undefined),
    })
}

function helpName(command: Command): string {
  return command.name() === 'stele' ? '--help' : command.name()
}
