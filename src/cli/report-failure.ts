/** Errors for a person: one message on the error stream, and the exit code that goes with it. */

import { CommanderError } from 'commander'
import { isSteleError } from '../base/error.ts'
import { createPaint } from '../client/timeline-canvas.ts'
import { type ExitCode, exitCodeOf, exitCodes } from './exit-codes.ts'
import { wantsColour } from './session.ts'
import { type World, writeLine } from './world.ts'

/** Tells what was thrown, and gives the exit code. */
export function reportFailure(world: World, cause: unknown, color?: boolean): ExitCode {
  if (cause instanceof CommanderError) {
    // It has said already what there is to say; help that was asked for is no failure.
    return cause.exitCode === 0 ? exitCodes.ok : exitCodes.usage
  }
  const paint = createPaint(wantsColour(world.err, world.env, color))
  writeLine(world.err, `${paint('stele:', 'red')} ${messageOf(cause)}`)
  return isSteleError(cause) ? exitCodeOf(cause.code) : exitCodes.failed
}

/** A stack says nothing to whoever typed a wrong name; for a bug it says where. */
function messageOf(cause: unknown): string {
  if (isSteleError(cause) && cause.code !== 'internal') return cause.message
  if (!(cause instanceof Error)) return String(cause)
  return `${cause.stack ?? cause.message}\nThis is a bug in stele; please report it.`
}
