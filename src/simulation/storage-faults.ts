/**
 * The database as one process of a simulation meets it: busy, slow, full, broken, or gone with the
 * process. The driver is the real one; what fails is the connection under it.
 */

import type { Random } from '../base/random.ts'
import type { Instant, Scheduler } from '../base/time.ts'
import type { Driver } from '../storage/driver.ts'
import type { Connection, ControlText } from '../storage/sqlite/connection.ts'
import { createSqliteDriver } from '../storage/sqlite/drive.ts'
import type { Faults } from './faults.ts'
import type { Life } from './kernel.ts'
import { type Changes, SimulatedSqliteError, type Store } from './store.ts'

/** What a process stands on when it opens the database. */
export interface ProcessStorageOptions {
  readonly store: Store
  readonly life: Life
  readonly random: Random
  readonly faults: Faults
  /** Clients meet a database that is slow and busy; engines one that fails as well. */
  readonly role: 'engine' | 'client'
  /** True time. */
  readonly now: () => Instant
  /** Until when the disk is full. */
  readonly disk: { fullUntil: Instant }
  /** Commits of others that this process has not noticed yet. */
  readonly takeForeign: () => boolean
  /** The process dies here. */
  readonly crash: (why: string) => void
  /** A commit was made; the process may be dead after it. */
  readonly onCommit: (changes: Changes) => void
  readonly onFault: (fault: string) => void
}

/** The database of one life of a process. */
export interface ProcessStorage {
  readonly driver: Driver
  /** Lets go of the connection, when the life has ended. */
  readonly disconnect: () => void
}

/** Opens the database for one life of a process. */
export function openProcessStorage(options: ProcessStorageOptions): ProcessStorage {
  const { store, life, random } = options
  const connection = store.connect()
  const driver = createSqliteDriver({
    connection: faulty(connection, options),
    file: 'simulated.db',
    clock: life.clock,
    random,
    scheduler: slowScheduler(options),
  })
  const disconnect = (): void => {
    store.disconnect(connection)
  }
  return { driver: mortal(driver, options, disconnect), disconnect }
}

const ioError = (): Error => new SimulatedSqliteError('SQLITE_IOERR_WRITE', 'disk I/O error')
const corruptError = (): Error =>
  new SimulatedSqliteError('SQLITE_CORRUPT', 'database disk image is malformed')
const fullError = (): Error => new SimulatedSqliteError('SQLITE_FULL', 'database or disk is full')

function faulty(connection: Connection, options: ProcessStorageOptions): Connection {
  let isWriting = false
  const control = (text: ControlText): void => {
    if (text === 'BEGIN IMMEDIATE' || text === 'BEGIN') begin(connection, text, options)
    if (text === 'COMMIT' && isWriting) commit(connection, options)
    else connection.control(text)
    if (text === 'BEGIN IMMEDIATE') isWriting = true
    else if (text === 'COMMIT' || text === 'ROLLBACK') isWriting = false
  }
  return {
    ...connection,
    control,
    driveSingle: (protocol) => {
      begin(connection, 'BEGIN', options)
      return connection.driveSingle(protocol)
    },
    dataVersion: () => 0,
  }
}

function begin(connection: Connection, text: ControlText, options: ProcessStorageOptions): void {
  const { life, faults, store, role, onFault } = options
  const strike = (kind: 'ioError' | 'corruptRead', error: () => Error): void => {
    if (!faults.happens(kind)) return
    onFault(kind)
    throw error()
  }
  if (!life.isAlive()) throw ioError()
  // Readers of a file never wait for writers.
  if (text === 'BEGIN IMMEDIATE' && faults.happens('busy')) {
    onFault('busy')
    store.underLock(() => connection.control(text))
  }
  if (role === 'client') return
  strike('ioError', ioError)
  strike('corruptRead', corruptError)
}

function commit(connection: Connection, options: ProcessStorageOptions): void {
  const { faults, store, role, crash, onCommit } = options
  if (role === 'engine') checkDisk(options)
  const dies = role === 'engine' && faults.happens('crashAtCommit')
  // 0: the commit is made, and its caller never knows.
  if (dies && faults.pick('crashAtCommit', 2) === 1) {
    crash('before its commit')
    throw ioError()
  }
  connection.control('COMMIT')
  onCommit(store.takeChanges(connection))
  if (dies) crash('after its commit')
}

/** A disk that is full stays so for a while. */
function checkDisk({ faults, disk, now, onFault }: ProcessStorageOptions): void {
  if (faults.isHealed()) return
  if (faults.happens('diskFull')) {
    disk.fullUntil = now() + faults.lengthOf('diskFull', diskFullMax)
  }
  if (now() >= disk.fullUntil) return
  onFault('diskFull')
  throw fullError()
}

const diskFullMax = 20_000

/** Transactions that wait hold up those behind them: the queue of the driver stays in order. */
function slowScheduler({ life, faults, onFault }: ProcessStorageOptions): Scheduler {
  const { scheduler } = life
  return {
    ...scheduler,
    soon: (callback) => {
      if (!faults.happens('slow')) {
        scheduler.soon(callback)
        return
      }
      const delay = faults.lengthOf('slow', faults.plan.slowMax)
      onFault(`slow ${delay} ms`)
      scheduler.after(delay, callback)
    },
  }
}

/** Whoever is dead gets no answer, and gives none. */
function mortal(driver: Driver, options: ProcessStorageOptions, disconnect: () => void): Driver {
  const { life, faults, takeForeign, onFault } = options
  const answer = async <Value>(asked: () => Promise<Value>): Promise<Value> => {
    if (!life.isAlive()) return never()
    try {
      const value = await asked()
      return life.isAlive() ? value : await never<Value>()
    } catch (cause) {
      if (life.isAlive()) throw cause
      return never()
    }
  }
  return {
    write: (protocol, onAccepted) => {
      // Nobody may depend on being told early.
      const isDeaf = onAccepted === undefined || faults.happens('dropNotice')
      return answer(() => driver.write(protocol, isDeaf ? undefined : onAccepted))
    },
    read: (protocol) =>
      answer(async () => {
        if (faults.happens('lateRead')) await new Promise<void>(life.scheduler.soon)
        return driver.read(protocol)
      }),
    hasForeignChanges: () => {
      if (!takeForeign()) return false
      if (!faults.happens('missForeign')) return true
      onFault('missForeign')
      return false
    },
    relay: relayOf(options),
    close: async () => {
      await driver.close()
      disconnect()
    },
  }
}

function never<Value>(): Promise<Value> {
  return new Promise<Value>(() => undefined)
}

/** Notices are lost, late, or doubled: nobody may depend on them. */
function relayOf({ life, faults, onFault }: ProcessStorageOptions): Driver['relay'] {
  return (deliver) => {
    if (faults.happens('dropNotice')) {
      onFault('dropNotice')
      return
    }
    if (faults.happens('repeatNotice')) life.scheduler.soon(deliver)
    if (!faults.happens('delayNotice')) {
      deliver()
      return
    }
    onFault('delayNotice')
    life.scheduler.after(faults.lengthOf('delayNotice', faults.plan.slowMax), deliver)
  }
}
