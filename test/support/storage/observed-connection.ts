/** A connection that keeps a record of what was asked of it, and that fails when a test says so. */

import type { Call, Protocol } from '../../../src/storage/protocol.ts'
import type { Connection, ControlText } from '../../../src/storage/sqlite/connection.ts'

/** What was asked of a connection: a control text, or a statement with its values. */
export type Observed = ControlText | Call

/** A connection under observation. */
export interface ObservedConnection extends Connection {
  /** Everything that was asked, in order. */
  readonly seen: readonly Observed[]
  /** How often a control text was run. */
  readonly countOf: (text: ControlText) => number
  /** The next run of this control text throws, instead of running. */
  readonly failNext: (text: ControlText, error: Error) => void
}

/** Observes a connection. */
export function observeConnection(connection: Connection): ObservedConnection {
  const seen: Observed[] = []
  const failures = new Map<ControlText, Error>()
  return {
    ...connection,
    drive: (protocol) => connection.drive(observe(protocol, seen)),
    driveSingle: (protocol) => connection.driveSingle(observe(protocol, seen)),
    control: (text) => {
      seen.push(text)
      const error = failures.get(text)
      failures.delete(text)
      if (error !== undefined) throw error
      connection.control(text)
    },
    seen,
    countOf: (text) => seen.filter((one) => one === text).length,
    failNext: (text, error) => {
      failures.set(text, error)
    },
  }
}

function* observe<Value>(protocol: Protocol<Value>, seen: Observed[]): Protocol<Value> {
  let step = protocol.next([])
  while (step.done !== true) {
    seen.push(...step.value)
    step = protocol.next(yield step.value)
  }
  return step.value
}

/** An error as SQLite throws it. */
export function sqliteError(code: string, message = 'simulated'): Error {
  return Object.assign(new Error(message), { code })
}
