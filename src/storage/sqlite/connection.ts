/** One connection of better-sqlite3: statements by name, and protocols driven synchronously. */

import Database from 'better-sqlite3'
import type { Answers, Call, Protocol, Row, SqlValue, Statement } from '../protocol.ts'
import { isInOrder, reorder, toPositional } from './dialect.ts'

/** What the adapter needs of a connection. */
export interface Connection {
  /** Drives a protocol to its end. Whatever a statement throws comes out here. */
  readonly drive: <Value>(protocol: Protocol<Value>) => Value
  /** The same for one that asks once, for one statement; `undefined` when it asks for more. */
  readonly driveSingle: <Value>(protocol: Protocol<Value>) => { readonly value: Value } | undefined
  /** Runs one of the fixed texts below. */
  readonly control: (text: ControlText) => void
  /** Whether a transaction is open. */
  readonly isInTransaction: () => boolean
  /** Runs several statements without values. */
  readonly runScript: (sql: string) => void
  /** Reads one value of a PRAGMA. */
  readonly readPragma: (pragma: string) => unknown
  /** A counter that grows when another connection commits. */
  readonly dataVersion: () => number
  /** The whole database as a file would hold it. */
  readonly serialize: () => Uint8Array
  readonly close: () => void
}

/** Transaction control; fixed texts, prepared once each. */
export type ControlText =
  | 'BEGIN'
  | 'BEGIN IMMEDIATE'
  | 'COMMIT'
  | 'ROLLBACK'
  | 'SAVEPOINT one'
  | 'RELEASE one'
  | 'ROLLBACK TO one'

/**
 * Opens a file, or a database in memory from the image that `serialize` gave. `busyTimeout` is how
 * long SQLite itself may block the event loop.
 */
export function openConnection(file: string | Uint8Array, busyTimeout: number): Connection {
  const opened = typeof file === 'string' ? file : Buffer.from(file)
  return connect(new Database(opened, { timeout: busyTimeout }))
}

/** Opens a file that is there, or the bytes of one, and neither creates nor changes anything. */
export function openReadConnection(file: string | Buffer, busyTimeout: number): Connection {
  const fileMustExist = typeof file === 'string'
  return connect(new Database(file, { timeout: busyTimeout, readonly: true, fileMustExist }))
}

function connect(database: Database.Database): Connection {
  const prepared = new Map<Statement, (values: readonly SqlValue[]) => readonly Row[]>()
  const controls = new Map<ControlText, Database.Statement>()
  let dataVersion: Database.Statement | undefined
  const run = ({ statement, values }: Call): readonly Row[] => {
    let bound = prepared.get(statement)
    if (bound === undefined) {
      bound = prepare(database, statement)
      prepared.set(statement, bound)
    }
    return bound(values)
  }
  const controlOf = (text: ControlText): Database.Statement => {
    const known = controls.get(text)
    if (known !== undefined) return known
    const control = database.prepare(text)
    controls.set(text, control)
    return control
  }
  return {
    drive: (protocol) => drive(protocol, run),
    driveSingle: (protocol) => driveSingle(protocol, run),
    control: (text) => {
      controlOf(text).run()
    },
    isInTransaction: () => database.inTransaction,
    runScript: (sql) => {
      database.exec(sql)
    },
    readPragma: (pragma) => database.pragma(pragma, { simple: true }),
    dataVersion: () => {
      dataVersion ??= database.prepare('PRAGMA data_version').pluck()
      return Number(dataVersion.get())
    },
    serialize: () => database.serialize(),
    close: () => {
      database.close()
    },
  }
}

type Run = (call: Call) => readonly Row[]

function drive<Value>(protocol: Protocol<Value>, run: Run): Value {
  let step = protocol.next([])
  while (step.done !== true) {
    const answers: Answers = step.value.map(run)
    step = protocol.next(answers)
  }
  return step.value
}

function driveSingle<Value>(
  protocol: Protocol<Value>,
  run: Run,
): { readonly value: Value } | undefined {
  const first = protocol.next([])
  if (first.done === true) return { value: first.value }
  if (first.value.length !== 1) return undefined
  const last = protocol.next(first.value.map(run))
  return last.done === true ? { value: last.value } : undefined
}

const noRows: readonly Row[] = []

function prepare(
  database: Database.Database,
  statement: Statement,
): (values: readonly SqlValue[]) => readonly Row[] {
  const { text, order } = toPositional(statement.text)
  const inOrder = isInOrder(order)
  const bound = database.prepare<SqlValue[], Row>(text)
  const isReader = bound.reader
  return (values) => {
    const positional = inOrder ? values : reorder(order, values)
    if (isReader) return bound.all(...positional)
    bound.run(...positional)
    return noRows
  }
}
