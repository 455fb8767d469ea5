/** Group commit, faults, and other processes on the same file. */

import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createRandom } from '../../../../src/base/random.ts'
import { accept, refuse } from '../../../../src/base/result.ts'
import type { Clock } from '../../../../src/base/time.ts'
import type { Driver, WriteProtocol } from '../../../../src/storage/driver.ts'
import { query, statement } from '../../../../src/storage/protocol.ts'
import { openConnection } from '../../../../src/storage/sqlite/connection.ts'
import {
  answersPerTurn,
  busyRetryMax,
  createSqliteDriver,
  inPlaceInterval,
} from '../../../../src/storage/sqlite/drive.ts'
import type { FileIdentity } from '../../../../src/storage/sqlite/file-identity.ts'
import { groupSizeMax, groupTimeMax } from '../../../../src/storage/sqlite/group.ts'
import {
  type ObservedConnection,
  observeConnection,
  sqliteError,
} from '../../../support/storage/observed-connection.ts'
import {
  type TemporaryDirectory,
  temporaryDirectory,
} from '../../../support/storage/temporary-directory.ts'
import {
  createTestClock,
  createTestScheduler,
  type TestScheduler,
} from '../../../support/test-time.ts'

const insertNumber = statement('insert-number', 'INSERT INTO numbers (n) VALUES ($1)')
const selectNumbers = statement('select-numbers', 'SELECT n FROM numbers ORDER BY n')

let directory: TemporaryDirectory
let connection: ObservedConnection
let driver: Driver
let scheduler: TestScheduler

beforeEach(() => {
  directory = temporaryDirectory()
  connection = observeConnection(connect())
  connection.runScript('CREATE TABLE numbers (n INTEGER PRIMARY KEY) STRICT')
  const clock = createTestClock()
  scheduler = createTestScheduler(clock)
  driver = openDriver(clock)
})

afterEach(async () => {
  await settled(driver.close())
  directory[Symbol.dispose]()
})

/** The file once more, as another process would have it. */
function connect(): ReturnType<typeof openConnection> {
  const other = openConnection(directory.file('test.db'), 0)
  other.readPragma('journal_mode = WAL')
  return other
}

function openDriver(clock: Clock): Driver {
  const random = createRandom(1)
  return createSqliteDriver({ connection, file: 'test.db', clock, random, scheduler })
}

/** Lets everything run that needs no time, then gives the answer. */
async function settled<Value>(answer: Promise<Value>): Promise<Value> {
  answer.catch(() => undefined)
  await scheduler.settle()
  return answer
}

function* insert(n: number): WriteProtocol<number, string> {
  yield* query(insertNumber, n)
  return accept(n)
}

function* insertAndRefuse(n: number): WriteProtocol<number, string> {
  yield* query(insertNumber, n)
  return refuse(`no ${n}`)
}

function write(n: number): ReturnType<typeof driver.write<number, string>> {
  return driver.write(() => insert(n))
}

function writeAndRefuse(n: number): ReturnType<typeof driver.write<number, string>> {
  return driver.write(() => insertAndRefuse(n))
}

async function numbers(): Promise<readonly unknown[]> {
  const rows = await settled(driver.read(() => query(selectNumbers)))
  return rows.map(({ n }) => n)
}

describe('group commit', () => {
  test('writes of one turn share one transaction, and are answered in order', async () => {
    const order: number[] = []
    const answers = [1, 2, 3, 4, 5].map(async (n) => {
      await write(n)
      order.push(n)
    })
    expect(connection.seen).toEqual([])
    await settled(Promise.all(answers))
    expect(connection.countOf('BEGIN IMMEDIATE')).toBe(1)
    expect(connection.countOf('COMMIT')).toBe(1)
    expect(order).toEqual([1, 2, 3, 4, 5])
  })

  test('others see all of them appear at once', async () => {
    const other = connect()
    const before = other.dataVersion()
    const answers = [1, 2, 3].map(write)
    expect(other.dataVersion()).toBe(before)
    await settled(Promise.all(answers))
    expect(other.dataVersion()).toBe(before + 1)
    other.close()
  })

  test('a write asked for when one is answered belongs to the next transaction', async () => {
    await settled(write(1).then(() => write(2)))
    expect(connection.countOf('COMMIT')).toBe(2)
  })

  test('nobody is answered before the commit', async () => {
    const seenByAnswer: number[] = []
    const answers = [1, 2].map((n) =>
      write(n).then(() => seenByAnswer.push(connection.countOf('COMMIT'))),
    )
    await settled(Promise.all(answers))
    expect(seenByAnswer).toEqual([1, 1])
  })

  test('a transaction takes so many writes and no more', async () => {
    const answers = Array.from({ length: groupSizeMax + 1 }, (_, n) => write(n))
    await settled(Promise.all(answers))
    expect(connection.countOf('COMMIT')).toBe(2)
    expect(await numbers()).toHaveLength(groupSizeMax + 1)
  })

  test('a transaction is closed when it has taken its time', async () => {
    let now = 0
    driver = openDriver({ now: () => (now += groupTimeMax / 2) })
    await settled(Promise.all([1, 2, 3, 4].map(write)))
    expect(connection.countOf('COMMIT')).toBe(2)
    expect(await numbers()).toEqual([1, 2, 3, 4])
  })

  test('a large group is answered over several turns of the event loop', async () => {
    let answered = 0
    const atTurn: number[] = []
    const watched = createSqliteDriver({
      connection,
      file: 'test.db',
      clock: createTestClock(),
      random: createRandom(1),
      scheduler: {
        ...scheduler,
        soon: (callback) => {
          scheduler.soon(() => {
            atTurn.push(answered)
            callback()
          })
        },
      },
    })
    const answers = Array.from({ length: 2 * answersPerTurn + 1 }, async (_, n) => {
      await watched.write(() => insert(n))
      answered += 1
    })
    await settled(Promise.all(answers))
    // The first turn is that of the transaction.
    expect(atTurn).toEqual([0, 0, answersPerTurn, 2 * answersPerTurn])
    expect(connection.countOf('COMMIT')).toBe(1)
  })
})

describe('a write that is told of before the commit', () => {
  test('brings about another, which shares the commit', async () => {
    let second: Promise<unknown> | undefined
    const first = driver.write(
      () => insert(1),
      (value) => {
        expect(value).toBe(1)
        second = write(2)
      },
    )
    expect(await settled(first)).toEqual(accept(1))
    expect(await second).toEqual(accept(2))
    expect(connection.countOf('COMMIT')).toBe(1)
    expect(await numbers()).toEqual([1, 2])
  })

  test('is seen by nobody who reads before the commit', async () => {
    let seen: Promise<unknown> | undefined
    const written = driver.write(
      () => insert(1),
      () => {
        seen = numbers()
      },
    )
    connection.failNext('COMMIT', sqliteError('SQLITE_IOERR'))
    await expect(settled(written)).rejects.toMatchObject({ code: 'storage_unavailable' })
    expect(await seen).toEqual([])
  })

  test('is told of once, also when it is run again', async () => {
    const told: number[] = []
    const first = driver.write(
      () => insert(1),
      (value) => {
        told.push(value)
      },
    )
    const broken = driver.write(() => {
      throw sqliteError('SQLITE_CORRUPT')
    })
    const answers = await settled(Promise.allSettled([first, broken]))
    expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
    expect(told).toEqual([1])
    expect(await numbers()).toEqual([1])
  })

  test('is not told of when it is refused', async () => {
    const told: unknown[] = []
    const refused = driver.write(
      () => insertAndRefuse(2),
      (value) => told.push(value),
    )
    expect(await settled(refused)).toEqual(refuse('no 2'))
    expect(told).toEqual([])
  })

  test('is kept, whatever the one who is told throws', async () => {
    const written = driver.write(
      () => insert(1),
      () => {
        throw new Error('not my day')
      },
    )
    expect(await settled(Promise.all([written, write(2)]))).toEqual([accept(1), accept(2)])
    expect(await numbers()).toEqual([1, 2])
  })
})

describe('a read', () => {
  const watched = (): { readonly asked: number[]; readonly identity: FileIdentity } => {
    const asked: number[] = []
    return {
      asked,
      identity: {
        isInPlace: () => {
          asked.push(1)
          return true
        },
        close: () => undefined,
      },
    }
  }

  test('of one statement needs no transaction', async () => {
    await numbers()
    expect(connection.countOf('BEGIN')).toBe(0)
  })

  test('of several is run again in one, so that all see the same', async () => {
    let begun = 0
    const both = driver.read(function* () {
      begun += 1
      const first = yield* query(selectNumbers)
      const second = yield* query(selectNumbers)
      return [first.length, second.length]
    })
    expect(await settled(both)).toEqual([0, 0])
    expect([begun, connection.countOf('BEGIN'), connection.countOf('COMMIT')]).toEqual([2, 1, 1])
  })

  test('looks only now and then whether the file is in its place', async () => {
    const { asked, identity } = watched()
    const clock = createTestClock()
    const random = createRandom(1)
    driver = createSqliteDriver({ connection, file: 'f', identity, clock, random, scheduler })
    await numbers()
    await numbers()
    expect(asked).toHaveLength(1)
    clock.advance(inPlaceInterval)
    await numbers()
    expect(asked).toHaveLength(2)
  })
})

describe('one of a group', () => {
  test('that is refused is rolled back alone', async () => {
    const answers = await settled(Promise.all([write(1), writeAndRefuse(2), write(3)]))
    expect(answers).toEqual([accept(1), refuse('no 2'), accept(3)])
    expect(connection.countOf('COMMIT')).toBe(1)
    expect(await numbers()).toEqual([1, 3])
  })

  test('that breaks a constraint is rolled back alone', async () => {
    const writeTwice = () =>
      driver.write(function* () {
        yield* insert(2)
        return yield* insert(1)
      })
    const answers = await settled(Promise.allSettled([write(1), writeTwice(), write(3)]))
    expect(answers).toMatchObject([
      { status: 'fulfilled' },
      { status: 'rejected', reason: { fields: { sqlite: 'SQLITE_CONSTRAINT_PRIMARYKEY' } } },
      { status: 'fulfilled' },
    ])
    expect(await numbers()).toEqual([1, 3])
  })

  test('that has a bug is rolled back alone', async () => {
    const writeBroken = () =>
      driver.write(function* () {
        yield* insert(2)
        throw new TypeError('a bug of a protocol')
      })
    const answers = await settled(Promise.allSettled([write(1), writeBroken(), write(3)]))
    expect(answers).toMatchObject([
      { status: 'fulfilled' },
      { status: 'rejected', reason: { cause: { message: 'a bug of a protocol' } } },
      { status: 'fulfilled' },
    ])
    expect(await numbers()).toEqual([1, 3])
  })

  test('that meets a page which cannot be read fails alone; the others are run again', async () => {
    const writeMalformed = () =>
      driver.write(function* () {
        yield* insert(2)
        throw sqliteError('SQLITE_CORRUPT')
      })
    const answers = await settled(Promise.allSettled([write(1), writeMalformed(), write(3)]))
    expect(answers).toMatchObject([
      { status: 'fulfilled' },
      { status: 'rejected', reason: { code: 'storage_corrupt', fields: { isolated: true } } },
      { status: 'fulfilled' },
    ])
    expect(await numbers()).toEqual([1, 3])
  })

  test('sees what those before it have written', async () => {
    const count = () =>
      driver.write(function* () {
        return accept((yield* query(selectNumbers)).length)
      })
    const answers = await settled(Promise.all([count(), write(1), write(2), count()]))
    expect(answers).toEqual([accept(0), accept(1), accept(2), accept(2)])
  })
})

describe('faults', () => {
  test.each([
    ['SQLITE_FULL', 'storage_full'],
    ['SQLITE_IOERR_FSYNC', 'storage_unavailable'],
    ['SQLITE_CORRUPT', 'storage_corrupt'],
  ])('%s at the commit fails the whole group as %s; later writes work', async (sqlite, code) => {
    connection.failNext('COMMIT', sqliteError(sqlite))
    const answers = await settled(Promise.allSettled([write(1), writeAndRefuse(2), write(3)]))
    expect(answers.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
    for (const answer of answers) expect(answer).toMatchObject({ reason: { code } })
    expect(await numbers()).toEqual([])
    expect(await settled(write(4))).toEqual(accept(4))
    expect(await numbers()).toEqual([4])
  })

  test.each(['BEGIN IMMEDIATE', 'SAVEPOINT one', 'RELEASE one'] as const)(
    'a fault at %s leaves nobody without an answer',
    async (text) => {
      connection.failNext(text, sqliteError('SQLITE_IOERR'))
      const answers = await settled(Promise.allSettled([write(1), write(2)]))
      const { length } = answers.filter(({ status }) => status === 'rejected')
      expect(length).toBeGreaterThan(0)
      expect(await settled(write(3))).toEqual(accept(3))
    },
  )

  test('a fault while one is rolled back leaves nobody without an answer', async () => {
    connection.failNext('ROLLBACK TO one', sqliteError('SQLITE_IOERR'))
    const answers = await settled(Promise.allSettled([write(1), writeAndRefuse(2), write(3)]))
    expect(answers[0]).toMatchObject({ status: 'rejected' })
    expect(answers[1]).toMatchObject({ status: 'rejected' })
    const kept = answers[2]?.status === 'fulfilled' ? [3] : []
    expect(await numbers()).toEqual(kept)
  })

  test('a disk that is really full: typed, nothing half-done, and it works again', async () => {
    const [row] = connection.drive(query(statement('pages', 'PRAGMA page_count')))
    connection.readPragma(`max_page_count = ${Number(row?.['page_count'])}`)
    const many = Array.from({ length: 900 }, (_, n) => write(n * 1_000_000_007))
    const answers = await settled(Promise.allSettled(many))
    const rejected = answers.filter(({ status }) => status === 'rejected')
    expect(rejected.length).toBeGreaterThan(0)
    for (const answer of rejected)
      expect(answer).toMatchObject({ reason: { code: 'storage_full' } })
    expect(await numbers()).toHaveLength(answers.length - rejected.length)
    connection.readPragma('max_page_count = 1000000')
    expect(await settled(write(1))).toEqual(accept(1))
  })

  test('a database that cannot be written to: typed, and it can be read', async () => {
    await settled(write(1))
    connection.readPragma('query_only = ON')
    await expect(settled(write(2))).rejects.toMatchObject({ code: 'storage_read_only' })
    expect(await numbers()).toEqual([1])
    connection.readPragma('query_only = OFF')
    expect(await settled(write(3))).toEqual(accept(3))
  })

  test('a read that throws leaves no transaction behind', async () => {
    const broken = driver.read(function* () {
      yield* query(selectNumbers)
      throw new TypeError('a bug of a protocol')
    })
    await expect(settled(broken)).rejects.toMatchObject({ code: 'storage_unavailable' })
    expect(connection.isInTransaction()).toBe(false)
    expect(await settled(write(1))).toEqual(accept(1))
  })
})

describe('a database that others write to', () => {
  test('the write waits on the scheduler, again and again; reads go on', async () => {
    const other = connect()
    other.control('BEGIN IMMEDIATE')
    const waiting = write(1)
    await scheduler.settle()
    expect(connection.countOf('BEGIN IMMEDIATE')).toBe(1)
    expect(scheduler.dueTimes()).toHaveLength(1)
    expect(await numbers()).toEqual([])
    await scheduler.advance(200)
    const tries = connection.countOf('BEGIN IMMEDIATE')
    expect(tries).toBeGreaterThan(4)
    expect(tries).toBeLessThan(40)
    other.control('COMMIT')
    await scheduler.advance(100)
    expect(await waiting).toEqual(accept(1))
    expect(scheduler.dueTimes()).toEqual([])
    other.close()
  })

  test('what is asked for meanwhile joins the same transaction', async () => {
    const other = connect()
    other.control('BEGIN IMMEDIATE')
    const early = write(1)
    await scheduler.settle()
    const late = write(2)
    other.control('COMMIT')
    await scheduler.advance(100)
    expect(await Promise.all([early, late])).toEqual([accept(1), accept(2)])
    expect(connection.countOf('COMMIT')).toBe(1)
    other.close()
  })

  test('after the time for retries the write fails, typed; the next one works', async () => {
    const other = connect()
    other.control('BEGIN IMMEDIATE')
    const waiting = write(1)
    waiting.catch(() => undefined)
    await scheduler.advance(2 * busyRetryMax)
    await expect(waiting).rejects.toMatchObject({
      code: 'storage_unavailable',
      fields: { sqlite: 'SQLITE_BUSY' },
    })
    other.control('COMMIT')
    expect(await settled(write(2))).toEqual(accept(2))
    other.close()
  })

  test('commits of others are noticed once, own commits never', async () => {
    const other = connect()
    expect(driver.hasForeignChanges()).toBe(false)
    await settled(write(1))
    expect(driver.hasForeignChanges()).toBe(false)
    other.drive(insert(2))
    expect(driver.hasForeignChanges()).toBe(true)
    expect(driver.hasForeignChanges()).toBe(false)
    other.close()
  })
})

describe('close()', () => {
  test('finishes what was asked for, refuses what comes later', async () => {
    const before = write(1)
    const closing = driver.close()
    const closed = { code: 'storage_unavailable', fields: { file: 'test.db' } }
    await expect(write(2)).rejects.toMatchObject(closed)
    await expect(driver.read(() => query(selectNumbers))).rejects.toMatchObject(closed)
    expect(await settled(before)).toEqual(accept(1))
    await closing
    const other = connect()
    expect(other.drive(query(selectNumbers))).toEqual([{ n: 1 }])
    other.close()
  })

  test('finishes more than one transaction takes', async () => {
    const answers = Array.from({ length: groupSizeMax + 1 }, (_, n) => write(n))
    await settled(driver.close())
    expect(await Promise.all(answers)).toHaveLength(groupSizeMax + 1)
  })

  test('waits while the database is busy', async () => {
    const other = connect()
    other.control('BEGIN IMMEDIATE')
    const waiting = write(1)
    await scheduler.settle()
    let isClosed = false
    const closing = driver.close().then(() => {
      isClosed = true
    })
    await scheduler.advance(100)
    expect(isClosed).toBe(false)
    other.control('COMMIT')
    await scheduler.advance(100)
    expect(await waiting).toEqual(accept(1))
    await closing
    other.close()
  })

  test('is idempotent, and notices nothing afterwards', async () => {
    await settled(Promise.all([driver.close(), driver.close()]))
    await driver.close()
    expect(driver.hasForeignChanges()).toBe(false)
  })
})
