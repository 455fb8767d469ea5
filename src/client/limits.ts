/** Every limit a user may set, with its default. Beyond each there is a defined behaviour. */

import { readOptions, requireInteger } from '../base/options.ts'

/** Limits of an engine. */
export interface Limits {
  /** Largest stored form of one value, in bytes. Beyond: `value_too_large`. Default 2 MiB. */
  readonly valueBytes: number
  /** Largest stack or message kept of an error, in bytes. Beyond: it is cut. Default 64 KiB. */
  readonly errorDetailBytes: number
  /** Lines of one run that are kept. Beyond: dropped. Default 1,000. */
  readonly logLinesPerRun: number
  /** HTTP requests recorded with one attempt. Beyond: made, not recorded. Default 100. */
  readonly httpTracesPerAttempt: number
  /** Handlers that ignore their signal. Beyond: no new work until some of them end. Default 100. */
  readonly stragglers: number
  /** Events of one execution. Beyond: a workflow is paused with the reason. Default 200,000. */
  readonly eventsPerExecution: number
  /** Waiting workflows kept in memory; 0 keeps none. Beyond: replayed. Default 1,000. */
  readonly warmRuns: number
  /**
   * Runs of a workflow in a row that die or time out without recording anything. Then: it is
   * paused with the reason. Default 10.
   */
  readonly crashesWithoutProgress: number
  /** Largest file whose text `sourceLines` keeps. Beyond: places only. Default 1 MiB. */
  readonly sourceBytes: number
  /** Largest page of a list. Beyond: cut to it. Default 1,000. */
  readonly listPage: number
}

/** Limits as a user gives them. */
export type GivenLimits = { readonly [Name in keyof Limits]?: Limits[Name] | undefined }

/** The defaults. */
export const defaultLimits: Limits = {
  valueBytes: 2 * 1024 * 1024,
  errorDetailBytes: 64 * 1024,
  logLinesPerRun: 1_000,
  httpTracesPerAttempt: 100,
  stragglers: 100,
  eventsPerExecution: 200_000,
  warmRuns: 1_000,
  crashesWithoutProgress: 10,
  sourceBytes: 1024 * 1024,
  listPage: 1_000,
}

/** Limits that may be zero: then nothing of the kind is kept. */
const mayBeZero: ReadonlySet<string> = new Set<keyof Limits>(['warmRuns'])

const limitMax = 1024 * 1024 * 1024

/** The defaults, with what the user has set. Throws `invalid_option`. */
export function resolveLimits(given: GivenLimits = {}): Limits {
  const names = Object.keys(defaultLimits)
  const read = readOptions(given, names, 'limits')
  const set = Object.entries(read).filter(([, value]) => value !== undefined)
  for (const [name, value] of set) {
    const min = mayBeZero.has(name) ? 0 : 1
    requireInteger(value, `limits.${name}`, { min, max: limitMax })
  }
  return { ...defaultLimits, ...Object.fromEntries(set) }
}
