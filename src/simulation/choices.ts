/**
 * Every choice of a simulation, by named stream: drawn from the seed, recorded on a tape, or read
 * from one. Choice 0 is always the benign one, so a tape that ends early ends in calm.
 */

import { hashText } from '../base/hash.ts'
import { createRandom, type Random } from '../base/random.ts'

/** What was chosen, by stream, in order. */
export type Tapes = Readonly<Record<string, readonly number[]>>

/** Whether these can be tapes: lists of whole numbers, none below 0. */
export function isTapes(value: unknown): value is Tapes {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  return Object.values(value).every(isTape)
}

/** Whether this can be the tape of one stream. */
export function isTape(value: unknown): value is readonly number[] {
  return (
    Array.isArray(value) && value.every((choice) => Number.isSafeInteger(choice) && choice >= 0)
  )
}

/** Says, each time something could go wrong, whether this is the time. */
export type Occasion = () => boolean

/** The choices of one simulation. */
export interface Choices {
  /** One of `0 .. count - 1`. A choice between one is none: it is neither drawn nor recorded. */
  readonly choose: (stream: string, count: number) => number
  /**
   * Something that happens once in a while, by a chance of `rate` each time. Recorded as the
   * distances from one time to the next, so that calm takes no tape; 0 is: never again.
   */
  readonly occasion: (stream: string, rate: number) => Occasion
  /** Numbers that follow from the seed, and are no choices: ids, jitter. */
  readonly random: (name: string) => Random
  /** What has been chosen so far, without the benign rest of each stream. */
  readonly tapes: () => Tapes
}

/** Where the choices come from. */
export interface ChoicesOptions {
  readonly seed: number
  /** Choices to make again; whatever is not on them is benign. */
  readonly tapes?: Tapes | undefined
}

/** Longest distance that is drawn between two times; beyond it lies never. */
const distanceMax = 1_000_000

/** Choices that nobody has made yet. */
export function createChoices({ seed, tapes }: ChoicesOptions): Choices {
  const streams = new Map<string, Stream>()
  const streamOf = (name: string): Stream => {
    const known = streams.get(name)
    if (known !== undefined) return known
    const stream = tapes === undefined ? drawing(seed, name) : reading(tapes[name] ?? [])
    streams.set(name, stream)
    return stream
  }
  return {
    choose: (name, count) =>
      count <= 1 ? 0 : streamOf(name).next(count - 1, (u) => Math.floor(u * count)),
    occasion: (name, rate) => {
      if (rate <= 0 && tapes === undefined) return () => false
      return createOccasion(() => streamOf(name).next(distanceMax, (u) => distance(u, rate)))
    },
    random: (name) => createRandom(hashText(name, seed)),
    tapes: () =>
      Object.fromEntries(
        [...streams].flatMap(([name, { tape }]) => {
          const kept = withoutCalmEnd(tape)
          return kept.length === 0 ? [] : [[name, kept]]
        }),
      ),
  }
}

/** How many choices tapes hold. */
export function countChoices(tapes: Tapes): number {
  return Object.values(tapes).reduce((sum, tape) => sum + tape.length, 0)
}

/** A tape without its zeros at the end: what is not on it is 0 anyway. */
export function withoutCalmEnd(tape: readonly number[]): readonly number[] {
  return tape.slice(0, tape.findLastIndex((choice) => choice !== 0) + 1)
}

interface Stream {
  readonly tape: number[]
  readonly next: (max: number, draw: (u: number) => number) => number
}

function drawing(seed: number, name: string): Stream {
  const random = createRandom(hashText(name, seed))
  const tape: number[] = []
  return {
    tape,
    next: (max, draw) => {
      const choice = Math.min(max, draw(random.next()))
      tape.push(choice)
      return choice
    },
  }
}

function reading(given: readonly number[]): Stream {
  const tape: number[] = []
  return {
    tape,
    next: (max) => {
      const choice = Math.min(max, given[tape.length] ?? 0)
      tape.push(choice)
      return choice
    },
  }
}

function createOccasion(draw: () => number): Occasion {
  let left: number | undefined
  return () => {
    left ??= draw()
    if (left === 0) return false
    left -= 1
    if (left > 0) return false
    left = undefined
    return true
  }
}

/** How many times it takes until something of this chance happens, for one draw. */
function distance(u: number, rate: number): number {
  if (rate >= 1) return 1
  const steps = 1 + Math.floor(Math.log(1 - u) / Math.log(1 - rate))
  return steps > distanceMax ? 0 : steps
}
