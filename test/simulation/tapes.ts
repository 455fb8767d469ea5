/** Kept tapes: repro files of failures that were found once, with the world that they belong to. */

import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type FaultLevel, faultLevels, parseRepro, type Repro } from 'stele/simulation'
import { worlds } from './worlds/index.ts'

const directory = fileURLToPath(new URL('tapes/', import.meta.url))

/** A repro, and in which world at which level it was found. */
export interface Tape extends Repro {
  readonly world: string
  readonly faults: FaultLevel
}

/** Names of all files with tapes. */
export function listTapes(): readonly string[] {
  return readdirSync(directory)
    .filter((name) => name.endsWith('.json'))
    .toSorted()
}

/** The tape in a file. Throws when it is none, or of no world that is there. */
export function readTape(name: string): Tape {
  return parseTape(readFileSync(`${directory}${name}`, 'utf8'))
}

/** The tape in the text of a file. Throws when it is none, or of no world that is there. */
export function parseTape(text: string): Tape {
  const repro = parseRepro(text)
  const { world, faults }: Partial<Record<keyof Tape, unknown>> = repro
  if (typeof world !== 'string' || !Object.hasOwn(worlds, world)) {
    throw new Error(`there is no world ${JSON.stringify(world)}`)
  }
  if (!isLevel(faults)) throw new Error(`there is no level ${JSON.stringify(faults)}`)
  return { ...repro, world, faults }
}

function isLevel(value: unknown): value is FaultLevel {
  return typeof value === 'string' && Object.hasOwn(faultLevels, value)
}
