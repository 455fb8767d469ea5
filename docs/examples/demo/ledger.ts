/** The payment provider: a file outside the database. It knows a request by its idempotency key. */
import { appendFileSync, existsSync, readFileSync } from 'node:fs'

/** One request, as the provider noted it. */
export interface Entry {
  readonly kind: 'charge' | 'refund'
  readonly key: string
  readonly order: number
  readonly cents: number
}

/** What the provider remembers. */
export interface Ledger {
  /** Notes a request. The same key again is the same request, and money moves once. */
  readonly request: (entry: Entry) => void
  /** Every request, repeats included. */
  readonly requests: () => readonly Entry[]
}

/** A ledger in a file; several processes may append to it at once. */
export function openLedger(file: string): Ledger {
  return {
    request: (entry) => {
      appendFileSync(file, `${JSON.stringify(entry)}\n`, { flush: true })
    },
    requests: () => {
      if (!existsSync(file)) return []
      const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean)
      return lines.map((line) => JSON.parse(line) as Entry)
    },
  }
}

/** The requests that moved money: the first of each key. */
export function moved(requests: readonly Entry[]): readonly Entry[] {
  return [
    ...new Map(requests.toReversed().map((entry) => [entry.key, entry])).values(),
  ].toReversed()
}
