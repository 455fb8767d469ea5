/** The payment provider: a file outside the database. It knows a charge by its idempotency key. */
import { appendFileSync, existsSync, readFileSync } from 'node:fs'

/** One request for money, as the provider noted it. */
export interface Charge {
  readonly key: string
  readonly cents: number
  readonly at: number
}

/** What the provider remembers. */
export interface Ledger {
  /** Notes a request. The same key again is the same charge, and money moves once. */
  readonly request: (charge: Omit<Charge, 'at'>) => void
  /** Every request, repeats included. */
  readonly requests: () => readonly Charge[]
}

/** A ledger in a file; several processes may append to it at once. */
export function openLedger(file: string): Ledger {
  return {
    request: (charge) => {
      const line = JSON.stringify({ ...charge, at: Date.now() })
      appendFileSync(file, `${line}\n`, { flush: true })
    },
    requests: () => {
      if (!existsSync(file)) return []
      const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean)
      return lines.map((line) => JSON.parse(line) as Charge)
    },
  }
}
