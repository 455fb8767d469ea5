/**
 * Makes a failing tape smaller: fewer choices, and lower ones, that still fail in the same
 * invariant. What is left is what the failure needs.
 */

import { countChoices, type Tapes, withoutCalmEnd } from './choices.ts'

/** What a run of a candidate gave. */
export interface ShrunkRun {
  /** The invariant that failed, if any did. */
  readonly invariant: string | undefined
  /** The choices that it really made. */
  readonly tapes: Tapes
}

/** How to shrink. */
export interface ShrinkOptions {
  readonly tapes: Tapes
  /** Runs a candidate. */
  readonly run: (tapes: Tapes) => Promise<ShrunkRun>
  /** The failure to keep. */
  readonly invariant: string
  /** Most runs. */
  readonly runs: number
  /** Asked before each run: false when there is no time left. */
  readonly hasTime: () => boolean
  /** Hears of each smaller tape. */
  readonly onSmaller?: ((choices: number, runs: number) => void) | undefined
}

/** The smallest failing tapes that were found, and how many runs it took. */
export interface Shrunk {
  readonly tapes: Tapes
  readonly runs: number
}

/** Shrinks until nothing helps any more, or the budget is used up. */
export async function shrinkTapes(options: ShrinkOptions): Promise<Shrunk> {
  const shrinker = new Shrinker(options)
  let before: string
  do {
    before = JSON.stringify(shrinker.best)
    await shrinker.dropStreams()
    await shrinker.truncate()
    await shrinker.deleteChunks()
    await shrinker.zeroBlocks()
    await shrinker.lower()
  } while (JSON.stringify(shrinker.best) !== before && shrinker.mayGoOn())
  return { tapes: shrinker.best, runs: shrinker.runs }
}

type Change = (tape: readonly number[], from: number, size: number) => readonly number[]

class Shrinker {
  best: Tapes
  runs = 0
  readonly #options: ShrinkOptions

  constructor(options: ShrinkOptions) {
    this.#options = options
    this.best = normalise(options.tapes)
  }

  mayGoOn(): boolean {
    return this.runs < this.#options.runs && this.#options.hasTime()
  }

  /** All at once, then by halves: most kinds of fault have nothing to do with a failure. */
  async dropStreams(): Promise<void> {
    let size = this.#names().length
    while (size >= 1 && this.mayGoOn()) {
      for (let from = 0; from < this.#names().length && this.mayGoOn(); ) {
        const dropped = this.#names().slice(from, from + size)
        if (!(await this.#try(without(this.best, dropped)))) from += size
      }
      size = Math.floor(size / 2)
    }
  }

  async truncate(): Promise<void> {
    for (const name of this.#names()) {
      let keep = Math.floor(this.#tape(name).length / 2)
      while (keep < this.#tape(name).length && this.mayGoOn()) {
        const tape = this.#tape(name)
        if (await this.#tryTape(name, tape.slice(0, keep))) keep = Math.floor(keep / 2)
        else keep += Math.max(1, Math.floor((tape.length - keep) / 2))
      }
    }
  }

  async deleteChunks(): Promise<void> {
    await this.#eachChunk((tape, from, size) => [
      ...tape.slice(0, from),
      ...tape.slice(from + size),
    ])
  }

  async zeroBlocks(): Promise<void> {
    await this.#eachChunk((tape, from, size) =>
      tape.map((choice, index) => (index >= from && index < from + size ? 0 : choice)),
    )
  }

  async lower(): Promise<void> {
    for (const name of this.#names()) {
      for (let index = 0; index < this.#tape(name).length; index += 1) {
        await this.#lowerAt(name, index)
      }
    }
  }

  async #lowerAt(name: string, index: number): Promise<void> {
    const set = (choice: number): readonly number[] =>
      this.#tape(name).map((old, place) => (place === index ? choice : old))
    for (;;) {
      const choice = this.#tape(name)[index] ?? 0
      if (choice <= 1 || !this.mayGoOn()) return
      const isHalved = await this.#tryTape(name, set(Math.floor(choice / 2)))
      if (!isHalved && !(await this.#tryTape(name, set(choice - 1)))) return
    }
  }

  /** Chunks of half a tape first, then of half of that, down to single choices. */
  async #eachChunk(change: Change): Promise<void> {
    for (const name of this.#names()) {
      let size = Math.ceil(this.#tape(name).length / 2)
      while (size >= 1 && this.mayGoOn()) {
        await this.#eachOfSize(name, size, change)
        size = size === 1 ? 0 : Math.ceil(size / 2)
      }
    }
  }

  async #eachOfSize(name: string, size: number, change: Change): Promise<void> {
    for (let from = 0; from < this.#tape(name).length && this.mayGoOn(); ) {
      const isSmaller = await this.#tryTape(name, change(this.#tape(name), from, size))
      if (!isSmaller) from += size
    }
  }

  #names(): readonly string[] {
    return Object.keys(this.best).toSorted(
      (left, right) => this.#tape(right).length - this.#tape(left).length,
    )
  }

  #tape(name: string): readonly number[] {
    return this.best[name] ?? []
  }

  #tryTape(name: string, tape: readonly number[]): Promise<boolean> {
    return this.#try({ ...this.best, [name]: tape })
  }

  async #try(candidate: Tapes): Promise<boolean> {
    const { run, invariant, onSmaller } = this.#options
    const wanted = normalise(candidate)
    if (!isSimpler(wanted, this.best) || !this.mayGoOn()) return false
    this.runs += 1
    const result = await run(wanted)
    if (result.invariant !== invariant) return false
    // What was not read is not needed.
    const read = cut(wanted, result.tapes)
    this.best = isSimpler(read, wanted) ? read : wanted
    onSmaller?.(countChoices(this.best), this.runs)
    return true
  }
}

function without(tapes: Tapes, names: readonly string[]): Tapes {
  return Object.fromEntries(Object.entries(tapes).filter(([name]) => !names.includes(name)))
}

function normalise(tapes: Tapes): Tapes {
  return Object.fromEntries(
    Object.entries(tapes)
      .map(([name, tape]) => [name, withoutCalmEnd(tape)] as const)
      .filter(([, tape]) => tape.length > 0),
  )
}

function cut(tapes: Tapes, read: Tapes): Tapes {
  return normalise(
    Object.fromEntries(
      Object.entries(tapes).map(([name, tape]) => [name, tape.slice(0, read[name]?.length ?? 0)]),
    ),
  )
}

/** Fewer choices; or as many, and their sum is lower. */
function isSimpler(left: Tapes, right: Tapes): boolean {
  const [fewer, more] = [countChoices(left), countChoices(right)]
  return fewer === more ? sumOf(left) < sumOf(right) : fewer < more
}

function sumOf(tapes: Tapes): number {
  return Object.values(tapes)
    .flat()
    .reduce((sum, choice) => sum + choice, 0)
}
