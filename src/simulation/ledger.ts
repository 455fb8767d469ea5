/**
 * The world outside: what activities have done to it. No crash, no lost power and no rollback takes
 * anything out of a ledger.
 */

import type { Instant } from '../base/time.ts'

/** Something that was done. */
export interface LedgerEntry {
  /** True time. */
  readonly at: Instant
  /** Which process did it. */
  readonly process: string
  /** What was done, such as `charge`. */
  readonly what: string
  /** What identifies it, such as an idempotency key. */
  readonly key: string
  /** Whatever belongs to it. */
  readonly detail?: unknown
}

/** A book that is only ever written to. */
export interface Ledger {
  /** Writes down that something was done. */
  readonly record: (what: string, key: string, detail?: unknown) => void
  /** What was done, in order; all of it, or of one kind. */
  readonly entries: (what?: string) => readonly LedgerEntry[]
  /** How often this was done under this key, or at all. */
  readonly count: (what: string, key?: string) => number
}

/** An empty ledger. `where` says who writes, and when. */
export function createLedger(where: () => Pick<LedgerEntry, 'at' | 'process'> | undefined): Ledger {
  const entries: LedgerEntry[] = []
  const find = (what?: string): readonly LedgerEntry[] =>
    what === undefined ? entries : entries.filter((entry) => entry.what === what)
  return {
    record: (what, key, detail) => {
      const place = where()
      // The dead do nothing more.
      if (place !== undefined) entries.push({ ...place, what, key, detail })
    },
    entries: find,
    count: (what, key) =>
      find(what).filter((entry) => key === undefined || entry.key === key).length,
  }
}
