/** The schema: what it refuses, which index serves which statement, and that it stays as released. */

import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { findLogs, listCreatedLogs } from '../../../../src/storage/follow.ts'
import type { ListFilter } from '../../../../src/storage/list.ts'
import type { Call } from '../../../../src/storage/protocol.ts'
import {
  applicationId,
  checksumOf,
  migrations,
  schemaVersion,
} from '../../../../src/storage/sqlite/schema.ts'
import { checkInvariants, listAllStates } from '../../../support/storage/check-invariants.ts'
import { fillCrowd } from '../../../support/storage/crowd.ts'
import { finishedEvent } from '../../../support/storage/events.ts'
import { executionId } from '../../../support/storage/ids.ts'
import type { ObservedConnection } from '../../../support/storage/observed-connection.ts'
import { openObservedStorage, useEveryPort } from '../../../support/storage/observed-storage.ts'
import {
  executeSql,
  type OpenedStorage,
  openMemoryStorage,
} from '../../../support/storage/opened-storage.ts'
import { callsByName, planOf, slowSteps } from '../../../support/storage/plans.ts'
import { appendRequest, createRequest } from '../../../support/storage/requests.ts'
import { present, refused } from '../../../support/storage/results.ts'
import { append, createLocked, createWorkflow } from '../../../support/storage/steps.ts'
import { temporaryDirectory } from '../../../support/storage/temporary-directory.ts'

/** One for each migration, in order. Once released, a migration never changes again. */
const checksums = ['32c8d44ea2fb2445', 'd226fb2dd125f82c', '0e4d0e0040ba532e']

/** A few here; `test/bench/README.md` says how to try a million. */
const crowdRows = Number(process.env['STELE_PLAN_ROWS'] ?? 5_000)

/** The index with which each hot statement begins. */
const intended = [
  ['due-by-name', 'executions_due'],
  ['due-by-version', 'executions_due'],
  ['due-auto', 'executions_due'],
  ['next-due', 'executions_due'],
  ['expired-locks', 'executions_locked'],
  ['next-lock-expiry', 'executions_locked'],
  ['cancelling', 'executions_cancelling'],
  ['list-executions', 'executions_by_creation'],
  ['search-end', 'executions_by_creation'],
  ['select-locked', 'executions_locked'],
  ['due-delays', 'delays_due'],
  ['next-delay', 'delays_due'],
  ['select-delays', 'delays_by_execution'],
  ['open-delays', 'delays_by_execution'],
  ['open-children', 'executions_open_children'],
  ['awaited-child', 'executions_open_children'],
  ['select-children', 'executions_by_parent'],
  ['select-message', 'responses_message'],
  ['first-answer', 'responses_by_execution'],
  ['select-responses', 'responses_by_execution'],
  ['select-log-lines', 'run_logs_by_execution'],
  ['select-executors', 'executors_by_beat'],
] as const

/** Every filter of the list by itself, and all at once. */
const filters: readonly ListFilter[] = [
  {},
  { functionKind: 'activity' },
  { functionName: 'checkout' },
  { status: 'blocked' },
  { paused: true },
  { outcome: 'err' },
  { idPrefix: 'E_0000001' },
  { createdFrom: 100 },
  { createdBefore: 1_000 },
  { children: true },
  { functionKind: 'workflow', functionName: 'checkout', status: 'pending_at', children: true },
]

describe('migrations', () => {
  test('are frozen', () => {
    expect(migrations.map(checksumOf)).toEqual(checksums)
  })

  test('are numbered from 1 without a gap', () => {
    expect(migrations.map(({ version }) => version)).toEqual(migrations.map((_, n) => n + 1))
    expect(schemaVersion).toBe(migrations.length)
  })

  test('have checksums that change with the text, and with nothing else', () => {
    const migration = { version: 1, name: 'one', sql: 'SELECT 1' }
    expect(checksumOf({ ...migration, name: 'two', version: 2 })).toBe(checksumOf(migration))
    expect(checksumOf({ ...migration, sql: 'SELECT 2' })).not.toBe(checksumOf(migration))
    expect(checksumOf(migration)).toMatch(/^[0-9a-f]{16}$/)
  })

  test('mark the file: STEL', () => {
    const letters = [24, 16, 8, 0].map((shift) => (applicationId >> shift) & 0xff)
    expect(String.fromCharCode(...letters)).toBe('STEL')
  })
})

describe('rows that make no sense', () => {
  let opened: OpenedStorage

  beforeEach(async () => {
    opened = await openMemoryStorage()
    await createLocked(opened.storage, 'locked')
    await createWorkflow(opened.storage, 'pending', { scheduledAt: 9 })
    await createWorkflow(opened.storage, 'finished')
    await append(opened.storage, ['finished', 1], [finishedEvent()])
  })

  afterEach(async () => {
    await checkInvariants(opened.storage)
    await opened.storage.close()
  })

  test.each([
    ['locked', 'paused = 1'],
    ['locked', 'paused = 2'],
    ['locked', 'cancelling = -1'],
    ['locked', 'retry = NULL'],
    ['locked', 'lock_expires_at_ms = NULL'],
    ['locked', 'last_lock_version = NULL'],
    ['locked', 'run_id = NULL'],
    ['locked', 'executor_id = NULL, run_id = NULL'],
    ['locked', 'scheduled_at_ms = 1'],
    ['locked', 'finished_at_ms = 1'],
    ['locked', "status = 'running'"],
    ['locked', "status = 'pending_at'"],
    ['locked', "function_kind = 'cron'"],
    ['locked', "version = 'one'"],
    ['locked', 'failures = NULL'],
    ['locked', 'failures = 1.5'],
    ['pending', 'scheduled_at_ms = NULL'],
    ['pending', "status = 'blocked'"],
    ['pending', "status = 'finished'"],
    ['pending', 'run_expires_at_ms = 1'],
    ['finished', 'finished_at_ms = NULL'],
    ['finished', 'outcome_type = NULL'],
    ['finished', "outcome_type = 'maybe'"],
    ['finished', 'paused = 1'],
    ['finished', 'cancelling = 1'],
  ])('%s with %s is refused', async (id, change) => {
    const update = executeSql(opened, `UPDATE executions SET ${change} WHERE execution_id = $1`, id)
    await expect(update).rejects.toMatchObject({
      fields: { sqlite: expect.stringMatching(/^SQLITE_CONSTRAINT/) },
    })
  })

  test.each([
    ["'exploded', '{}'", 9],
    ["'paused', NULL", 9],
    ["'paused', '{}'", -1],
    ["'paused', '{}'", 0],
  ])('an event (%s) at version %d is refused', async (event, version) => {
    const insert = `INSERT INTO events (execution_id, version, created_at_ms, type, body)
      VALUES ('pending', ${version}, 0, ${event})`
    await expect(executeSql(opened, insert)).rejects.toMatchObject({
      fields: { sqlite: expect.stringMatching(/^SQLITE_CONSTRAINT/) },
    })
  })
})

describe('a word for children that does not exist', () => {
  test('is refused', async () => {
    const opened = await openMemoryStorage()
    await createLocked(opened.storage, 'a')
    for (const word of ['cancel', 'await', 'abandon']) {
      await executeSql(opened, `INSERT INTO join_sets VALUES ('a', 'n:${word}', 0, 0, '${word}')`)
    }
    const insert = executeSql(opened, "INSERT INTO join_sets VALUES ('a', 'n:x', 0, 0, 'keep')")
    await expect(insert).rejects.toMatchObject({ fields: { sqlite: 'SQLITE_CONSTRAINT_CHECK' } })
    await opened.storage.close()
  })
})

describe('the log', () => {
  const appendOnly = { fields: { sqlite: 'SQLITE_CONSTRAINT_TRIGGER' } }

  test('is append-only: no event is changed or removed', async () => {
    const opened = await openMemoryStorage()
    await createLocked(opened.storage, 'a')
    for (const sql of [
      "UPDATE events SET body = '{}' WHERE execution_id = 'a' AND version = 1",
      "UPDATE events SET version = 7 WHERE execution_id = 'a' AND version = 1",
      "DELETE FROM events WHERE execution_id = 'a' AND version = 1",
      'DELETE FROM events',
    ]) {
      await expect(executeSql(opened, sql)).rejects.toMatchObject(appendOnly)
    }
    await checkInvariants(opened.storage)
    await opened.storage.close()
  })

  test('may be pruned: the state first, then its events', async () => {
    const opened = await openMemoryStorage()
    await createLocked(opened.storage, 'a')
    await createWorkflow(opened.storage, 'b')
    await executeSql(opened, "DELETE FROM executions WHERE execution_id = 'a'")
    await executeSql(opened, "DELETE FROM events WHERE execution_id = 'a'")
    expect(await opened.storage.findRecord(executionId('a'), 10)).toBeUndefined()
    const rest = await executeSql(opened, 'SELECT execution_id, version FROM events')
    expect(rest).toEqual([{ execution_id: 'b', version: 0 }])
    await opened.storage.close()
  })
})

describe('statements', () => {
  const directory = temporaryDirectory()
  let opened: Awaited<ReturnType<typeof openObservedStorage>>
  let calls: readonly Call[]

  // One story for all: these tests only look at what it asked of the database.
  beforeAll(async () => {
    opened = await openObservedStorage(directory.file('stele.db'))
    await useEveryPort(opened.storage)
    calls = [...callsByName(opened.connection.seen).values()]
  })

  afterAll(async () => {
    await checkInvariants(opened.storage)
    await opened.storage.close()
    directory[Symbol.dispose]()
  })

  test('are all seen here', () => {
    // Updates of a state have one name for each set of columns that they write.
    const names = calls.map(({ statement: { name } }) =>
      name.replace(/-state-[0-9a-f]+$/, '-state'),
    )
    const known = [...declaredNames(), 'update-state', 'replace-state']
    expect([...new Set(names)].sort()).toEqual(known.sort())
  })

  test('that write run in a transaction that was immediate from its first moment', () => {
    let begin: string | undefined
    const writes = opened.connection.seen.flatMap((one) => {
      if (typeof one === 'string' && one.startsWith('BEGIN')) begin = one
      if (one === 'COMMIT' || one === 'ROLLBACK') begin = undefined
      if (typeof one === 'string' || isSelect(one)) return []
      return [`${one.statement.name}: ${begin}`]
    })
    expect(writes.length).toBeGreaterThan(30)
    expect(writes.filter((write) => !write.endsWith(': BEGIN IMMEDIATE'))).toEqual([])
  })

  test('are served by an index, and sort nothing by themselves', () => {
    expect(calls.flatMap((asked) => slowSteps(opened.connection, asked))).toEqual([])
  })

  test.each(intended)('%s begins with index %s', (name, index) => {
    expect(planOf(opened.connection, callNamed(opened, name))[0]).toMatch(begins(index))
  })
})

describe('statements of whoever follows all logs', () => {
  test.each([
    ['select-created-versions', 'executions_by_creation'],
    ['select-version', 'sqlite_autoindex_executions|PRIMARY KEY'],
  ])('%s begins with index %s, and sorts nothing', async (name, index) => {
    const directory = temporaryDirectory()
    const opened = await openObservedStorage(directory.file('stele.db'))
    const { driver } = opened
    await driver.read(() => listCreatedLogs({ createdAt: 0, executionId: '', limit: 5 }))
    await driver.read(() => findLogs([executionId('a')]))
    const asked = callNamed(opened, name)
    expect(planOf(opened.connection, asked)[0]).toMatch(new RegExp(index))
    expect(slowSteps(opened.connection, asked)).toEqual([])
    await opened.storage.close()
    directory[Symbol.dispose]()
  })
})

describe(`statements among ${crowdRows} rows that they do not want`, () => {
  const directory = temporaryDirectory()
  let opened: Awaited<ReturnType<typeof openObservedStorage>>
  let plansBefore: ReadonlyMap<string, readonly string[]>

  const plans = (): ReadonlyMap<string, readonly string[]> =>
    new Map(
      [...callsByName(opened.connection.seen)].map(([name, asked]) => [
        name,
        planOf(opened.connection, asked),
      ]),
    )

  // Without statistics first, then with those of ANALYZE: the tests follow this order.
  beforeAll(async () => {
    opened = await openObservedStorage(directory.file('crowd.db'))
    await useEveryPort(opened.storage)
    plansBefore = plans()
    fillCrowd(opened.connection, crowdRows)
  }, 30_000 + crowdRows)

  afterAll(async () => {
    await opened.storage.close()
    directory[Symbol.dispose]()
  })

  test.each(['without', 'with'] as const)(
    'have the plan that they had when the tables were small, %s statistics',
    (statistics) => {
      if (statistics === 'with') opened.connection.runScript('ANALYZE')
      expect(Object.fromEntries(plans())).toEqual(Object.fromEntries(plansBefore))
    },
    30_000 + crowdRows,
  )

  test.each(intended)('%s begins with index %s', (name, index) => {
    const asked = callNamed(opened, name)
    expect(planOf(opened.connection, asked)[0]).toMatch(begins(index))
    expect(slowSteps(opened.connection, asked)).toEqual([])
  })

  test.each(filters)(
    'a page of the list, filtered by %j, walks one index and sorts nothing',
    async (filter) => {
      const { connection, storage } = opened
      const before = connection.seen.length
      await storage.listExecutions({ filter, limit: 10 })
      await storage.listExecutions({
        filter,
        after: { createdAt: 100, executionId: 'E_1' },
        limit: 10,
      })
      const asked = connection.seen.slice(before).filter((one) => typeof one !== 'string')
      expect(asked).toHaveLength(2)
      for (const one of asked) {
        expect(planOf(connection, one)).toEqual([
          expect.stringMatching(begins('executions_by_creation')),
        ])
      }
    },
  )
})

describe('compare and swap', () => {
  test('is decided by the row that comes back, whatever triggers change besides', async () => {
    const plain = await openMemoryStorage()
    const noisy = await openMemoryStorage()
    await executeSql(noisy, 'CREATE TABLE noise (n INTEGER NOT NULL) STRICT')
    await executeSql(noisy, 'INSERT INTO noise VALUES (0), (0), (0)')
    for (const change of ['UPDATE', 'INSERT', 'DELETE'] as const) {
      for (const table of ['executions', 'responses', 'delays', 'join_sets']) {
        const trigger = `CREATE TRIGGER ${table}_${change} AFTER ${change} ON ${table}`
        await executeSql(noisy, `${trigger} BEGIN UPDATE noise SET n = n + 1; END`)
      }
    }
    for (const { storage } of [plain, noisy]) {
      await useEveryPort(storage)
      await refused(storage.append(appendRequest(['a', 3], [finishedEvent()])))
      await refused(storage.create(createRequest('a')))
      await checkInvariants(storage)
    }
    const [noise] = await executeSql(noisy, 'SELECT min(n) AS n FROM noise')
    expect(noise?.['n']).toBeGreaterThan(20)
    expect(await listAllStates(noisy.storage)).toEqual(await listAllStates(plain.storage))
    for (const { storage } of [plain, noisy]) await storage.close()
  })
})

function callNamed(
  { connection }: { readonly connection: ObservedConnection },
  name: string,
): Call {
  return present(callsByName(connection.seen).get(name), name)
}

function begins(index: string): RegExp {
  return new RegExp(`USING (?:COVERING )?INDEX ${index}\\b`)
}

function isSelect({ statement: { text } }: Call): boolean {
  return /^\s*SELECT\b/.test(text)
}

/** What no engine asks: they read whole tables on purpose, once, or are tried above. */
const asides = new Set(['checkup.ts', 'follow.ts'])

/** The names of all statements that the transactions of the house declare. */
function declaredNames(): string[] {
  const folder = fileURLToPath(new URL('../../../../src/storage/', import.meta.url))
  return readdirSync(folder)
    .filter((name) => name.endsWith('.ts') && !asides.has(name))
    .flatMap((name) => {
      const text = readFileSync(`${folder}${name}`, 'utf8')
      const declared = [...text.matchAll(/\bstatement\(\s*'([a-z-]+)'/g)]
      return declared.map(([, found = '']) => found)
    })
}
