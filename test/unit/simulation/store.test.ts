import { existsSync } from 'node:fs'
import { afterEach, describe, expect, it } from 'vitest'
import { accept, refuse } from '../../../src/base/result.ts'
import { openStore, type Store, type StoreKind } from '../../../src/simulation/store.ts'
import type { Driver } from '../../../src/storage/driver.ts'
import { query, statement } from '../../../src/storage/protocol.ts'
import type { Connection } from '../../../src/storage/sqlite/connection.ts'
import { createSqliteDriver } from '../../../src/storage/sqlite/drive.ts'
import type { Storage } from '../../../src/storage/storage.ts'
import { delayEvent, joinSetEvent } from '../../support/storage/events.ts'
import { executionId } from '../../support/storage/ids.ts'
import { overDriver, testEnvironment } from '../../support/storage/opened-storage.ts'
import {
  activityRequest,
  createRequest,
  message,
  responseCommand,
} from '../../support/storage/requests.ts'
import { accepted } from '../../support/storage/results.ts'
import { append, createLocked, lockAt } from '../../support/storage/steps.ts'
import { thrownBy } from '../base/thrown-by.ts'

const stores: Store[] = []

afterEach(() => {
  for (const store of stores.splice(0)) store.close()
})

function open(kind: StoreKind): Store {
  const store = openStore(kind)
  stores.push(store)
  return store
}

interface Process {
  readonly connection: Connection
  readonly driver: Driver
  readonly storage: Storage
}

/** A process of the simulation that has opened the store. */
function connect(store: Store): Process {
  const connection = store.connect()
  const environment = testEnvironment()
  const driver = createSqliteDriver({ connection, file: 'simulated.db', ...environment })
  return { connection, driver, storage: overDriver(driver, environment).storage }
}

const insertLine = statement(
  'insert-line',
  `INSERT INTO run_logs (execution_id, run_id, created_at_ms, level, message)
   VALUES ($1, 'r', 0, 'info', 'hello')`,
)

describe.each<StoreKind>(['memory', 'file'])('the store (%s)', (kind) => {
  it('is empty', () => {
    const store = open(kind)
    expect(store.listExecutions()).toEqual([])
    expect(store.nextDueAt({ charge: '1' })).toBeUndefined()
    expect(store.takeChanges(store.connect())).toEqual({ executions: [], matters: false })
  })

  it('tells what a commit has changed, once', async () => {
    const store = open(kind)
    const { connection, storage } = connect(store)
    await accepted(storage.create(createRequest('b')))
    await accepted(storage.create(createRequest('a')))
    expect(store.takeChanges(connection)).toEqual({ executions: ['a', 'b'], matters: true })
    expect(store.takeChanges(connection)).toEqual({ executions: [], matters: false })
    expect(store.listExecutions()).toEqual(['a', 'b'])
  })

  it('tells of responses', async () => {
    const store = open(kind)
    const { connection, storage } = connect(store)
    await accepted(storage.create(createRequest('a')))
    store.takeChanges(connection)
    await accepted(storage.respond(responseCommand('a', message('note'))))
    expect(store.takeChanges(connection).executions).toEqual(['a'])
  })

  it('does not tell of what nobody waits for', async () => {
    const store = open(kind)
    const { connection, driver } = connect(store)
    await driver.write(function* () {
      yield* query(insertLine, 'a')
      return accept(undefined)
    })
    expect(store.takeChanges(connection)).toEqual({ executions: [], matters: false })
  })

  it('does not tell of what was rolled back', async () => {
    const store = open(kind)
    const { connection, driver, storage } = connect(store)
    await accepted(storage.create(createRequest('a')))
    store.takeChanges(connection)
    const touch = statement('touch', 'UPDATE executions SET paused = 1 WHERE execution_id = $1')
    await driver.write(function* () {
      yield* query(touch, 'a')
      return refuse('no')
    })
    expect(store.takeChanges(connection)).toEqual({ executions: [], matters: false })
    connection.control('BEGIN IMMEDIATE')
    connection.drive(query(touch, 'a'))
    connection.control('ROLLBACK')
    expect(store.takeChanges(connection)).toEqual({ executions: [], matters: false })
  })

  it('shows everybody what one has committed', async () => {
    const store = open(kind)
    const [one, other] = [connect(store), connect(store)]
    await accepted(one.storage.create(createRequest('a')))
    expect(await other.storage.findState(executionId('a'))).toMatchObject({ status: 'pending_at' })
  })

  it('can be spoiled: the row of an execution is unreadable then', async () => {
    const store = open(kind)
    const { storage } = connect(store)
    await accepted(storage.create(createRequest('a')))
    await accepted(storage.create(createRequest('b')))
    store.spoil('a')
    await expect(storage.findState(executionId('a'))).rejects.toMatchObject({
      code: 'storage_corrupt',
    })
    expect(await storage.findState(executionId('b'))).toMatchObject({ status: 'pending_at' })
  })

  it('is busy while somebody else holds the lock', () => {
    const store = open(kind)
    const connection = store.connect()
    const attempt = () => store.underLock(() => connection.control('BEGIN IMMEDIATE'))
    expect(thrownBy(attempt)).toMatchObject({ code: 'SQLITE_BUSY' })
    connection.control('BEGIN IMMEDIATE')
    connection.control('ROLLBACK')
  })

  describe('what is due next', () => {
    it('is the earliest execution of these functions that nobody has paused', async () => {
      const store = open(kind)
      const { storage } = connect(store)
      const due = [
        createRequest('a', { scheduledAt: 70 }),
        createRequest('b', { scheduledAt: 50 }),
        createRequest('c', { scheduledAt: 10, paused: true }),
        activityRequest('d', { scheduledAt: 20 }),
      ]
      for (const request of due) await accepted(storage.create(request))
      expect(store.nextDueAt({ checkout: '1' })).toBe(50)
      expect(store.nextDueAt({ charge: '1', checkout: '1' })).toBe(20)
      expect(store.nextDueAt({})).toBeUndefined()
    })

    it('is nothing of what was tried and does not fit', async () => {
      const store = open(kind)
      const { connection, storage } = connect(store)
      await accepted(storage.create(createRequest('a', { scheduledAt: 50 })))
      const misfit = statement('misfit', `UPDATE executions SET incompatible_version = '2'`)
      connection.drive(query(misfit))
      expect(store.nextDueAt({ checkout: '2' })).toBeUndefined()
      expect(store.nextDueAt({ checkout: '3' })).toBe(50)
    })

    it('may be the end of a lock, whatever the function is', async () => {
      const store = open(kind)
      const { storage } = connect(store)
      await accepted(storage.create(createRequest('a')))
      await lockAt(storage, 100)
      expect(store.nextDueAt({})).toBe(1_100)
    })

    it('may be a delay', async () => {
      const store = open(kind)
      const { storage } = connect(store)
      await createLocked(storage, 'a')
      await append(storage, ['a', 2], [joinSetEvent('n:timers'), delayEvent('a', 40)])
      expect(store.nextDueAt({})).toBe(40)
    })

    it('is at once for a cancellation', async () => {
      const store = open(kind)
      const { storage } = connect(store)
      await createLocked(storage, 'a')
      await accepted(storage.cancel({ executionId: executionId('a'), createdAt: 1 }))
      expect(await storage.findState(executionId('a'))).toMatchObject({ cancelling: true })
      expect(store.nextDueAt({})).toBe(0)
    })
  })
})

describe('in memory', () => {
  it('goes back to an image, for everybody that has opened it', async () => {
    const store = open('memory')
    const { connection, storage } = connect(store)
    await accepted(storage.create(createRequest('a')))
    const image = store.image()
    await accepted(storage.create(createRequest('b')))
    store.restore(image)
    expect(store.isRestorable).toBe(true)
    expect(store.listExecutions()).toEqual(['a'])
    store.takeChanges(connection)
    await accepted(storage.create(createRequest('c')))
    expect(store.takeChanges(connection).executions).toEqual(['c'])
    expect(store.listExecutions()).toEqual(['a', 'c'])
  })

  it('is as good as new when it is opened again', async () => {
    const cursorOf = async (store: Store): Promise<unknown> => {
      const { storage } = connect(store)
      await accepted(storage.create(createRequest('a')))
      await accepted(storage.respond(responseCommand('a', message('note'))))
      const page = { executionId: executionId('a'), after: 0, limit: 10 }
      return (await storage.listResponses(page)).map(({ cursor }) => cursor)
    }
    const first = openStore('memory')
    const cursors = await cursorOf(first)
    const image = Buffer.from(first.image())
    first.close()
    const second = openStore('memory')
    expect(second.listExecutions()).toEqual([])
    expect(second.takeChanges(second.connect()).executions).toEqual([])
    expect(await cursorOf(second)).toEqual(cursors)
    expect(cursors).toEqual([1])
    second.close()
    expect(image.byteLength).toBeGreaterThan(0)
  })
})

describe('in a file', () => {
  const fileOf = (store: Store): string => {
    const list = statement('files', `SELECT file FROM pragma_database_list WHERE name = 'main'`)
    return String(store.observer().drive(query(list))[0]?.['file'])
  }

  it('each process has a connection of its own, which ends with it', () => {
    const store = open('file')
    const [one, other] = [store.connect(), store.connect()]
    store.disconnect(one)
    store.disconnect(one)
    expect(thrownBy(() => one.control('BEGIN'))).toBeDefined()
    expect(thrownBy(() => other.control('BEGIN'))).toBeUndefined()
    other.control('ROLLBACK')
  })

  it('the file is gone in the end', () => {
    const store = openStore('file')
    const file = fileOf(store)
    expect(existsSync(file)).toBe(true)
    store.close()
    expect(existsSync(file)).toBe(false)
  })

  it('there is no way back to an image', () => {
    expect(open('file').isRestorable).toBe(false)
  })
})
