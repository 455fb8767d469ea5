import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createChecker } from '../../../src/simulation/checker.ts'
import type { Invariant, InvariantView } from '../../../src/simulation/invariant.ts'
import { createLedger } from '../../../src/simulation/ledger.ts'
import { openStore, type Store } from '../../../src/simulation/store.ts'
import { query, statement } from '../../../src/storage/protocol.ts'
import { createSqliteDriver } from '../../../src/storage/sqlite/drive.ts'
import type { Storage } from '../../../src/storage/storage.ts'
import { failedEvent } from '../../support/storage/events.ts'
import { overDriver, testEnvironment } from '../../support/storage/opened-storage.ts'
import { createRequest, message, responseCommand } from '../../support/storage/requests.ts'
import { accepted } from '../../support/storage/results.ts'
import { append, createLocked } from '../../support/storage/steps.ts'

let store: Store
let storage: Storage

beforeEach(() => {
  store = openStore('memory')
  const environment = testEnvironment()
  const connection = store.connect()
  const driver = createSqliteDriver({ connection, file: 'simulated.db', ...environment })
  storage = overDriver(driver, environment).storage
})

afterEach(() => {
  store.close()
})

function open(...invariants: readonly Invariant[]) {
  const views: InvariantView[] = []
  const spy: Invariant = {
    name: 'spy',
    check: (view) => {
      views.push(view)
      return undefined
    },
  }
  const ledger = createLedger(() => ({ at: 1, process: 'engine-0' }))
  const checker = createChecker({ store, ledger, invariants: [spy, ...invariants], now: () => 77 })
  return { checker, views, ledger }
}

const spoil = (sql: string): void => {
  store.observer().drive(query(statement('spoil', sql)))
}

describe('a look at a commit', () => {
  it('shows each event between the states before and after it', async () => {
    const { checker } = open()
    await createLocked(storage, 'a')
    await append(storage, ['a', 2], [failedEvent(500)])
    const { changes, violations } = checker.afterCommit('engine-0', ['a'])
    expect(violations).toEqual([])
    expect(
      changes[0]?.steps.map(({ entry, before, after }) => [
        before?.status,
        entry.event.type,
        after.status,
        after.failures,
      ]),
    ).toEqual([
      [undefined, 'created', 'pending_at', 0],
      ['pending_at', 'locked', 'locked', 0],
      ['locked', 'temporarily_failed', 'pending_at', 1],
    ])
  })

  it('shows what is new since the last one, and the whole log beside it', async () => {
    const { checker, views } = open()
    await createLocked(storage, 'a')
    checker.afterCommit('engine-0', ['a'])
    await append(storage, ['a', 2], [failedEvent(500)])
    const { changes } = checker.afterCommit('engine-1', ['a'])
    expect(changes[0]?.steps.map(({ entry }) => entry.version)).toEqual([2])
    expect(changes[0]?.execution.events.map(({ version }) => version)).toEqual([0, 1, 2])
    expect(views.map(({ process, now }) => [process, now])).toEqual([
      ['engine-0', 77],
      ['engine-1', 77],
    ])
  })

  it('shows responses once, and folds them where they came', async () => {
    const { checker } = open()
    await accepted(storage.create(createRequest('a')))
    await accepted(storage.respond(responseCommand('a', message('note'))))
    const first = checker.afterCommit('client', ['a']).changes[0]
    expect(first?.responses.map(({ cursor }) => cursor)).toEqual([1])
    await accepted(storage.respond(responseCommand('a', message('note'))))
    const second = checker.afterCommit('client', ['a']).changes[0]
    expect(second?.responses.map(({ cursor }) => cursor)).toEqual([2])
    expect(second?.folded).toEqual(second?.execution.state)
  })

  it('gives invariants everything there is, the ledger included', async () => {
    const { checker, views, ledger } = open()
    ledger.record('charge', 'a')
    for (const id of ['a', 'b']) await accepted(storage.create(createRequest(id)))
    checker.afterCommit('client', ['a'])
    checker.afterCommit('client', ['b'])
    expect([...(views[1]?.executions.keys() ?? [])]).toEqual(['a', 'b'])
    expect(views[1]?.ledger.map(({ what }) => what)).toEqual(['charge'])
  })

  it('names the invariants that do not hold', async () => {
    const broken: Invariant = { name: 'never', check: ({ process }) => `${process} broke it` }
    const { checker } = open(broken)
    await accepted(storage.create(createRequest('a')))
    expect(checker.afterCommit('engine-0', ['a']).violations).toEqual([
      { invariant: 'never', message: 'engine-0 broke it' },
    ])
  })

  it('asks nobody when nothing has changed', () => {
    const { checker, views } = open()
    expect(checker.afterCommit('engine-0', [])).toEqual({ changes: [], violations: [] })
    expect(views).toEqual([])
  })
})

describe('rows that say something else than the log', () => {
  it('are seen: the state is the row, the fold is the log', async () => {
    const { checker } = open()
    await accepted(storage.create(createRequest('a')))
    spoil(`UPDATE executions SET failures = 5 WHERE execution_id = 'a'`)
    const change = checker.afterCommit('engine-0', ['a']).changes[0]
    expect([change?.execution.state.failures, change?.folded.failures]).toEqual([5, 0])
  })

  it.each([
    ['a row that is not there', `DELETE FROM executions`],
    [
      'an event that cannot be read',
      `INSERT INTO events (execution_id, version, created_at_ms, type, body)
       VALUES ('a', 1, 0, 'paused', 'x')`,
    ],
  ])('%s is a violation, not an exception', async (_, sql) => {
    const { checker } = open()
    await accepted(storage.create(createRequest('a')))
    spoil(sql)
    expect(checker.afterCommit('engine-0', ['a']).violations).toMatchObject([
      { invariant: 'rows can be read, and logs folded' },
    ])
  })

  it('are forgiven when they were spoiled on purpose', async () => {
    const { checker } = open()
    await accepted(storage.create(createRequest('a')))
    checker.afterCommit('engine-0', ['a'])
    spoil('DELETE FROM executions')
    checker.forgive('a')
    expect(checker.afterCommit('engine-0', ['a'])).toEqual({ changes: [], violations: [] })
    expect([...checker.executions().keys()]).toEqual([])
  })
})

describe('at the end', () => {
  it('asks those that are for the end, and no others', async () => {
    const atEnd: Invariant = { name: 'at the end', every: 'end', check: ({ process }) => process }
    const { checker, views } = open(atEnd)
    await accepted(storage.create(createRequest('a')))
    expect(checker.afterCommit('engine-0', ['a']).violations).toEqual([])
    const looks = views.length
    expect(checker.atEnd()).toEqual([{ invariant: 'at the end', message: 'world' }])
    expect(views.length).toBe(looks)
  })
})

describe('after the store went back', () => {
  it('everything is read anew, and nothing counts as a change', async () => {
    const { checker } = open()
    await createLocked(storage, 'a')
    const image = store.image()
    await accepted(storage.create(createRequest('b')))
    await append(storage, ['a', 2], [failedEvent(500)])
    checker.afterCommit('engine-0', ['a', 'b'])
    store.restore(image)
    checker.reset(store.listExecutions())
    expect([...checker.executions().keys()]).toEqual(['a'])
    await append(storage, ['a', 2], [failedEvent(700)])
    const { changes, violations } = checker.afterCommit('engine-0', ['a'])
    expect(violations).toEqual([])
    expect(changes[0]?.steps.map(({ entry }) => entry.version)).toEqual([2])
    expect(changes[0]?.folded).toEqual(changes[0]?.execution.state)
  })
})
