/** What the tests of the engine stand on: a storage in memory, time that a test moves, faults. */

import type { Logger } from '../../../src/base/logger.ts'
import { createRandom } from '../../../src/base/random.ts'
import { createUlids } from '../../../src/base/ulid.ts'
import type { EngineContext } from '../../../src/engine/engine-context.ts'
import { newDeploymentId } from '../../../src/model/ids.ts'
import type { Driver } from '../../../src/storage/driver.ts'
import { createNotifications, type Notifications } from '../../../src/storage/notifications.ts'
import { openSqlite } from '../../../src/storage/sqlite/open.ts'
import { createStorage, type Storage } from '../../../src/storage/storage.ts'
import {
  createTestClock,
  createTestScheduler,
  type TestClock,
  type TestScheduler,
} from '../../support/test-time.ts'

/** One line that the engine logged. */
export interface LoggedLine {
  readonly level: keyof Logger
  readonly message: string
  readonly fields: Readonly<Record<string, unknown>>
}

/** The names of the storage's methods. */
export type StorageMethod = Exclude<keyof Storage, 'notifications' | 'close'>

/** A storage whose calls are counted, and fail or wait when a test says so. */
export interface Interference {
  /** How often each method was called. */
  readonly counts: Map<string, number>
  /** Calls of all methods together. */
  readonly total: () => number
  /** The method fails with this until it is `undefined`. */
  readonly fail: (method: StorageMethod, error: Error | undefined) => void
  /** The method does its work and then fails with this, as when an answer is lost. */
  readonly lose: (method: StorageMethod, error: Error | undefined) => void
  /** Calls of the method wait, before they begin, until the function given back is called. */
  readonly hold: (method: StorageMethod) => () => void
  /** The same after it was carried out: the answer comes late. */
  readonly holdAnswer: (method: StorageMethod) => () => void
}

/** Everything a test of the engine needs. */
export interface Surroundings extends Interference {
  readonly clock: TestClock
  readonly scheduler: TestScheduler
  readonly driver: Driver
  /** The storage itself, without interference: for the test's own writes and looks. */
  readonly store: Storage
  /** Surroundings for what is tested, over the storage with interference. */
  readonly context: EngineContext
  readonly log: LoggedLine[]
  /** Lets everything happen that needs no time, then gives the value. */
  readonly done: <Value>(promise: Promise<Value>) => Promise<Value>
}

/** A notice board on which nobody ever reads anything. */
const deafNotifications: Notifications = {
  publish: () => undefined,
  announce: () => undefined,
  onPending: () => () => undefined,
  onExecution: () => () => undefined,
  onTimer: () => () => undefined,
  onForeign: () => () => undefined,
  onCommit: () => () => undefined,
  close: () => undefined,
}

/** How the surroundings are made. */
export interface SurroundingsOptions {
  readonly start?: number
  /** Nobody is told of any commit. */
  readonly deaf?: boolean
  readonly inspect?: EngineContext['inspect']
}

/** Opens a storage in memory, at 0 unless told otherwise. */
export async function openSurroundings(options: SurroundingsOptions = {}): Promise<Surroundings> {
  const clock = createTestClock(options.start ?? 0)
  const scheduler = createTestScheduler(clock)
  const done = async <Value>(promise: Promise<Value>): Promise<Value> => {
    // Whoever asked sees the rejection, a little later.
    promise.catch(() => undefined)
    await scheduler.settle()
    return promise
  }
  const random = createRandom(1)
  const driver = await done(openSqlite({ file: ':memory:' }, { clock, random, scheduler }))
  const { hasForeignChanges } = driver
  const store = createStorage(
    driver,
    options.deaf === true
      ? deafNotifications
      : createNotifications({ scheduler, hasForeignChanges }),
  )
  const log: LoggedLine[] = []
  const interference = interfere(store)
  const mintUlid = createUlids(clock, random)
  return {
    ...interference,
    clock,
    scheduler,
    driver,
    store,
    log,
    done,
    context: {
      clock,
      scheduler,
      mintUlid,
      storage: interference.storage,
      logger: recordingLogger(log),
      deploymentId: newDeploymentId(mintUlid()),
      inspect: options.inspect,
    },
  }
}

/** A logger that keeps what it is given. */
export function recordingLogger(log: LoggedLine[]): Logger {
  const at =
    (level: keyof Logger): Logger['info'] =>
    (fields, message) => {
      log.push({ level, message, fields })
    }
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}

/** The lines of a log that somebody would be woken for. */
export function loud(log: readonly LoggedLine[]): readonly string[] {
  return log.filter(({ level }) => level !== 'debug').map(({ message }) => message)
}

function interfere(storage: Storage): Interference & { readonly storage: Storage } {
  const counts = new Map<string, number>()
  const errors = new Map<string, Error>()
  const losses = new Map<string, Error>()
  const gates = new Map<string, Promise<void>>()
  const answerGates = new Map<string, Promise<void>>()
  const call = async (name: string, run: () => unknown): Promise<unknown> => {
    await gates.get(name)
    const error = errors.get(name)
    if (error !== undefined) throw error
    const answer = await run()
    await answerGates.get(name)
    const loss = losses.get(name)
    if (loss !== undefined) throw loss
    return answer
  }
  const wrapped = new Proxy(storage, {
    get: (target, key) => {
      const method: unknown = Reflect.get(target, key)
      if (typeof method !== 'function' || typeof key !== 'string') return method
      return (...values: readonly unknown[]) => {
        counts.set(key, (counts.get(key) ?? 0) + 1)
        const run = (): unknown => Reflect.apply(method, target, values)
        const isTouched = [gates, answerGates, errors, losses].some((map) => map.has(key))
        return isTouched ? call(key, run) : run()
      }
    },
  })
  return {
    storage: wrapped,
    counts,
    total: () => [...counts.values()].reduce((sum, count) => sum + count, 0),
    fail: (method, error) => {
      if (error === undefined) errors.delete(method)
      else errors.set(method, error)
    },
    lose: (method, error) => {
      if (error === undefined) losses.delete(method)
      else losses.set(method, error)
    },
    hold: (method) => close(gates, method),
    holdAnswer: (method) => close(answerGates, method),
  }
}

function close(gates: Map<string, Promise<void>>, method: string): () => void {
  let open = (): void => undefined
  const gate = new Promise<void>((resolve) => {
    open = resolve
  })
  gates.set(method, gate)
  return () => {
    gates.delete(method)
    open()
  }
}
