/** Repro files: the choices of a failure, to see it again after the code has changed. */

import { SteleError } from '../base/error.ts'
import { hashText } from '../base/hash.ts'
import { isTapes, type Tapes } from './choices.ts'
import type { SimulationOptions } from './options.ts'
import type { SimulationResult } from './simulate.ts'

/** What a repro file holds, as JSON. */
export interface Repro {
  /** The form of the file. */
  readonly format: 1
  /** What does not hold. */
  readonly invariant: string
  /** The failure in a few words. */
  readonly message: string
  /** The seed that failed. */
  readonly seed: number
  /** The choices that lead to the failure. */
  readonly tapes: Tapes
  /** Of the trace, by the code that failed. */
  readonly traceHash: string
  /** Of the options, functions left out: another one may mean another simulation. */
  readonly optionsHash: string
}

/** The repro of a failed simulation. */
export function reproOf(options: SimulationOptions, result: SimulationResult): Repro {
  const { failure, seed, tapes, traceHash } = result
  return {
    format: 1,
    invariant: failure?.invariant ?? '',
    message: failure?.message ?? '',
    seed,
    tapes,
    traceHash,
    optionsHash: hashOptions(options),
  }
}

/** A repro as the text of its file. */
export function formatRepro(repro: Repro): string {
  const tapes = Object.entries(repro.tapes).map(
    ([name, tape]) => `    ${JSON.stringify(name)}: ${JSON.stringify(tape)}`,
  )
  const head = JSON.stringify({ ...repro, tapes: undefined }, undefined, 2)
  return `${head.slice(0, -2)},\n  "tapes": {\n${tapes.join(',\n')}\n  }\n}\n`
}

/** The repro in the text of a file. Throws `invalid_option`. */
export function parseRepro(text: string): Repro {
  const parsed = parse(text)
  if (isRepro(parsed)) return parsed
  throw new SteleError(
    'invalid_option',
    'The file is not a repro of a simulation. Give one that `explore` or `simTest` has written.',
  )
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isRepro(value: unknown): value is Repro {
  if (typeof value !== 'object' || value === null) return false
  const { format, seed, tapes, invariant }: Partial<Record<keyof Repro, unknown>> = value
  const isSeed = typeof seed === 'number' && Number.isSafeInteger(seed) && seed >= 0
  return format === 1 && isSeed && typeof invariant === 'string' && isTapes(tapes)
}

/** Whether these are the options that the repro was made with, as far as can be told. */
export function hashOptions(options: SimulationOptions): string {
  const { engines, faults, limits, activities = {}, functions } = options
  const names = functions.map(({ kind, name }) => `${kind}:${name}`)
  const text = JSON.stringify({ engines, faults, limits, names, doubles: Object.keys(activities) })
  return hashText(text).toString(16).padStart(8, '0')
}
