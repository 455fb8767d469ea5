/** A machine → the text of a `createMachine` call, which Stately Studio takes by pasting. */

import type { AnyStateMachine } from 'xstate'
import { definitionOf, type Lost } from './definition.ts'

/** A machine as a program for Stately Studio. */
export interface StudioExport {
  /** A module that creates the machine, with names in place of functions. */
  readonly text: string
  /** What the machine has and the text has not: functions, which only have names there. */
  readonly lost: readonly Lost[]
}

/** The text for Stately Studio, and what it could not take along. */
export function studioOf(machine: Pick<AnyStateMachine, 'config' | 'id'>): StudioExport {
  const { config, lost } = definitionOf(machine)
  // In a program this key would set the prototype instead of naming a state.
  const json = JSON.stringify(config, undefined, 2).replaceAll(
    /^(\s*)"__proto__":/gm,
    '$1["__proto__"]:',
  )
  const call = `export const machine = createMachine(${json})`
  return { text: `import { createMachine } from 'xstate'\n\n${call}\n`, lost }
}
