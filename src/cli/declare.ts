/** What the commands have in common: their options, and how the texts of options are read. */

import { type Command, InvalidArgumentError, Option } from 'commander'
import type { Session } from './session.ts'

/** Adds a command to the program; what it needs beyond its options is loaded when it runs. */
export type Declare = (program: Command, session: Session) => void

/** The option of everything that prints what a program may want to read. */
export function jsonOption(what = 'print JSON, values as they are stored'): Option {
  return new Option('--json', what)
}

/** The option that every command has. */
export function colourOption(): Option {
  return new Option('--no-color', 'no colours, as with NO_COLOR=1; a pipe gets none anyway')
}

/** Examples at the end of a help. */
export function examples(...lines: readonly string[]): string {
  return `\nExamples:\n${lines.map((line) => `  $ stele ${line}`).join('\n')}`
}

/** Reads an integer of an option. */
export function integerFrom(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = Number(text)
    if (/^\d+$/.test(text) && value >= min && value <= max) return value
    throw new InvalidArgumentError(`It must be an integer from ${min} to ${max}.`)
  }
}
