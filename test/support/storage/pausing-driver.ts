/**
 * A driver that is as asynchronous as a database over a network: every statement runs by itself,
 * with a random pause before it; reads come in between; and now and then a transaction is rolled
 * back and run again. Whatever a protocol takes for granted about time breaks here.
 */

import { SteleError } from '../../../src/base/error.ts'
import { createRandom } from '../../../src/base/random.ts'
import type { Result } from '../../../src/base/result.ts'
import type { Driver, WriteProtocol } from '../../../src/storage/driver.ts'
import type { Call, Protocol, Row } from '../../../src/storage/protocol.ts'
import { type Connection, openConnection } from '../../../src/storage/sqlite/connection.ts'
import { isBusy, toSteleError } from '../../../src/storage/sqlite/dialect.ts'
import { openSqlite } from '../../../src/storage/sqlite/open.ts'
import { eventLoopTurn } from '../test-time.ts'
import { type OpenedStorage, overDriver, testEnvironment } from './opened-storage.ts'

/** One transaction in so many is run a second time. */
const restartShare = 0.1
/** Pauses that are whole turns of the event loop, so that other transactions come in between. */
const turnShare = 0.2
const microtasksMax = 4

/** A storage over the pausing driver; the same seed pauses alike. */
export async function openPausingStorage(
  file: string,
  seed: number,
  environment = testEnvironment(),
): Promise<OpenedStorage> {
  const migrated = await openSqlite({ file }, environment)
  await migrated.close()
  const driver = createPausingDriver(file, seed)
  return {
    ...overDriver(driver, environment),
    openAnother: () => openPausingStorage(file, seed + 1, environment),
  }
}

/** Drives protocols one statement at a time. The file must have its schema. */
function createPausingDriver(file: string, seed: number): Driver {
  const random = createRandom(seed)
  const pause = async (): Promise<void> => {
    if (random.next() < turnShare) await eventLoopTurn()
    for (let left = random.next() * microtasksMax; left > 1; left -= 1) await Promise.resolve()
  }
  const writer = connect(file)
  const readers = createReaders(file)
  const running = new Set<Promise<unknown>>()
  let lastWrite: Promise<unknown> = Promise.resolve()
  let lastDataVersion = writer.dataVersion()
  let closing: Promise<void> | undefined

  const track = <Value>(run: () => Promise<Value>): Promise<Value> => {
    if (closing !== undefined) return Promise.reject(closedError(file))
    const tracked = run().catch((cause: unknown) => {
      throw toSteleError(cause, file)
    })
    running.add(tracked)
    const forget = (): void => {
      running.delete(tracked)
    }
    tracked.then(forget, forget)
    return tracked
  }

  const driver: Driver = {
    write: (protocol) =>
      track(() => {
        const written = lastWrite.then(() => writeSlowly(writer, protocol, { pause, random }))
        lastWrite = written.catch(() => undefined)
        return written
      }),
    read: (protocol) => track(() => readers.use((reader) => readSlowly(reader, protocol, pause))),
    hasForeignChanges: () => {
      if (closing !== undefined) return false
      const before = lastDataVersion
      lastDataVersion = writer.dataVersion()
      return lastDataVersion !== before
    },
    close: () => {
      closing ??= Promise.allSettled(running).then(() => {
        writer.close()
        readers.close()
      })
      return closing
    },
  }
  return driver
}

type Pause = () => Promise<void>

/** SQLite may not wait: another transaction of this very thread may be what it waits for. */
function connect(file: string): Connection {
  const connection = openConnection(file, 0)
  connection.readPragma('synchronous = OFF')
  return connection
}

async function writeSlowly<Value, Refusal>(
  connection: Connection,
  protocol: () => WriteProtocol<Value, Refusal>,
  { pause, random }: { readonly pause: Pause; readonly random: { readonly next: () => number } },
): Promise<Result<Value, Refusal>> {
  const isRestarted = random.next() < restartShare
  await begin(connection, 'BEGIN IMMEDIATE')
  try {
    if (isRestarted) {
      await driveSlowly(connection, protocol(), pause)
      connection.control('ROLLBACK')
      await begin(connection, 'BEGIN IMMEDIATE')
    }
    const result = await driveSlowly(connection, protocol(), pause)
    await pause()
    connection.control(result.ok ? 'COMMIT' : 'ROLLBACK')
    return result
  } catch (cause) {
    if (connection.isInTransaction()) connection.control('ROLLBACK')
    throw cause
  } finally {
    await pause()
  }
}

async function readSlowly<Value>(
  connection: Connection,
  protocol: () => Protocol<Value>,
  pause: Pause,
): Promise<Value> {
  await begin(connection, 'BEGIN')
  try {
    return await driveSlowly(connection, protocol(), pause)
  } finally {
    connection.control('ROLLBACK')
  }
}

async function begin(connection: Connection, text: 'BEGIN' | 'BEGIN IMMEDIATE'): Promise<void> {
  for (;;) {
    try {
      connection.control(text)
      return
    } catch (cause) {
      if (!isBusy(cause)) throw cause
    }
    await eventLoopTurn()
  }
}

async function driveSlowly<Value>(
  connection: Connection,
  protocol: Protocol<Value>,
  pause: Pause,
): Promise<Value> {
  let step = protocol.next([])
  while (step.done !== true) {
    const answers: (readonly Row[])[] = []
    for (const call of step.value) {
      await pause()
      answers.push(connection.drive(only(call)))
    }
    await pause()
    step = protocol.next(answers)
  }
  return step.value
}

function* only(call: Call): Protocol<readonly Row[]> {
  const [rows = []] = yield [call]
  return rows
}

interface Readers {
  readonly use: <Value>(run: (connection: Connection) => Promise<Value>) => Promise<Value>
  readonly close: () => void
}

/** Connections for reads, one for each read that is under way. */
function createReaders(file: string): Readers {
  const opened: Connection[] = []
  const free: Connection[] = []
  return {
    use: async (run) => {
      let connection = free.pop()
      if (connection === undefined) {
        connection = connect(file)
        opened.push(connection)
      }
      try {
        return await run(connection)
      } finally {
        free.push(connection)
      }
    },
    close: () => {
      for (const connection of opened) connection.close()
    },
  }
}

function closedError(file: string): SteleError {
  return new SteleError('storage_unavailable', `${file} is closed.`, { fields: { file } })
}
