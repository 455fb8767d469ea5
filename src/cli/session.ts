/** One run of the command line: what all commands share, and the code it will end with. */

import { createPaint, type Paint } from '../client/timeline-canvas.ts'
import { type ExitCode, exitCodes } from './exit-codes.ts'
import type { TextStream, World } from './world.ts'

/** One run. */
export interface Session {
  readonly world: World
  /** Width that text on the output has to fit into; `Infinity` where nobody looks. */
  readonly width: number
  /** Colours the output, where colours are welcome. */
  readonly paint: (options: ColourOption) => Paint
  /** The same for what goes to the person. */
  readonly errPaint: (options: ColourOption) => Paint
  readonly exitCode: () => ExitCode
  /** Ends with another code than 0, though nothing was thrown. */
  readonly endWith: (code: ExitCode) => void
}

/** `--no-color` makes it false. */
export interface ColourOption {
  readonly color?: boolean | undefined
}

/** Narrowest terminal that tables are fitted to. */
const narrowest = 40

/** Begins a run. */
export function createSession(world: World): Session {
  const { out, err, env } = world
  let code: ExitCode = exitCodes.ok
  return {
    world,
    width: out.isTerminal ? Math.max(narrowest, out.columns ?? 80) : Number.POSITIVE_INFINITY,
    paint: ({ color }) => createPaint(wantsColour(out, env, color)),
    errPaint: ({ color }) => createPaint(wantsColour(err, env, color)),
    exitCode: () => code,
    endWith: (next) => {
      code = next
    },
  }
}

/** `--no-color` and NO_COLOR say no; a terminal says yes, and so does FORCE_COLOR. */
export function wantsColour(
  stream: TextStream,
  env: World['env'],
  color: boolean | undefined,
): boolean {
  if (color === false || (env['NO_COLOR'] ?? '') !== '') return false
  const forced = env['FORCE_COLOR'] ?? ''
  if (forced !== '') return forced !== '0'
  return stream.isTerminal && env['TERM'] !== 'dumb'
}
