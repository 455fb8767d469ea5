/** What the command line stands on: streams, time, and the process around it. All given. */

import type { Random } from '../base/random.ts'
import type { Cancel, Clock, Scheduler } from '../base/time.ts'

/** A stream of text. */
export interface TextStream {
  readonly write: (text: string) => void
  /** Whether a person looks at it. */
  readonly isTerminal: boolean
  /** Width of that terminal. */
  readonly columns?: number | undefined
}

/** Everything outside the command line. */
export interface World {
  readonly clock: Clock
  readonly scheduler: Scheduler
  readonly random: Random
  /** What was asked for. */
  readonly out: TextStream
  /** What went wrong, and what is only of interest to a person. */
  readonly err: TextStream
  readonly env: Readonly<Record<string, string | undefined>>
  /** All that comes in on the standard input. */
  readonly readInput: () => Promise<string>
  /** Calls back when the person wants it to end. */
  readonly onInterrupt: (listener: () => void) => Cancel
  /** Shows a page in the browser of the person. */
  readonly openPage: (url: string) => void
}

/** Writes a line. */
export function writeLine(stream: TextStream, line = ''): void {
  stream.write(`${line}\n`)
}

/** Writes a value as one JSON document on one line. */
export function writeJson(stream: TextStream, value: unknown): void {
  writeLine(stream, JSON.stringify(value))
}
