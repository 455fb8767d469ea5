/** Counts of what is alike, with the first few of each. */

import { examplesMax } from './finding.ts'

/** Counts by a key. */
export interface Tally<Key extends string> {
  readonly add: (key: Key, example: string) => void
  readonly get: (key: Key) => Tallied
  readonly keys: () => readonly Key[]
}

/** How many, and which. */
export interface Tallied {
  readonly count: number
  readonly examples: readonly string[]
}

const none: Tallied = { count: 0, examples: [] }

/** An empty tally. */
export function createTally<Key extends string>(): Tally<Key> {
  const entries = new Map<Key, { count: number; examples: string[] }>()
  return {
    add: (key, example) => {
      const entry = entries.get(key) ?? { count: 0, examples: [] }
      entries.set(key, entry)
      entry.count += 1
      if (entry.examples.length < examplesMax) entry.examples.push(example)
    },
    get: (key) => entries.get(key) ?? none,
    keys: () => [...entries.keys()],
  }
}
