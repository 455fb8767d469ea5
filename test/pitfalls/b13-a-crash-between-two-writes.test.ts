/**
 * Every transaction of the storage, interrupted before every statement and after every commit: the
 * database is always as one of the commits left it, to the last row.
 */

import { copyFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import type { Protocol, Row } from '../../src/storage/protocol.ts'
import { query, statement } from '../../src/storage/protocol.ts'
import { type Connection, openConnection } from '../../src/storage/sqlite/connection.ts'
import { createSqliteDriver } from '../../src/storage/sqlite/drive.ts'
import { openSqlite } from '../../src/storage/sqlite/open.ts'
import { checkInvariants } from '../support/storage/check-invariants.ts'
import { useEveryPort } from '../support/storage/observed-storage.ts'
import { openFileStorage, overDriver, testEnvironment } from '../support/storage/opened-storage.ts'
import { temporaryDirectory } from '../support/storage/temporary-directory.ts'

const tablesOf = statement(
  'test-tables',
  "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name",
)

/** Everything in a database. */
function dump(connection: Connection): string {
  const names = connection.drive(query(tablesOf)).map((row) => String(row['name']))
  const rows = names.map((name): readonly Row[] =>
    connection.drive(query(statement(`test-${name}`, `SELECT * FROM ${name} ORDER BY 1, 2`))),
  )
  return JSON.stringify(Object.fromEntries(names.map((name, index) => [name, rows[index]])))
}

interface Crashing {
  readonly connection: Connection
  /** Moments at which the process may die, so far. */
  readonly moments: () => number
  /** Commits that the database has carried out. */
  readonly commits: () => number
}

/** A connection of a process that dies at the given moment: from then on nothing works. */
function crashAt(moment: number, connection: Connection, onCommit: () => void): Crashing {
  let moments = 0
  let commits = 0
  const pass = (): void => {
    moments += 1
    if (moments >= moment) throw Object.assign(new Error('crash'), { code: 'TEST_CRASH' })
  }
  function* stepwise<Value>(protocol: Protocol<Value>): Protocol<Value> {
    let step = protocol.next([])
    while (step.done !== true) {
      const answers: (readonly Row[])[] = []
      for (const call of step.value) {
        pass()
        const [rows = []] = yield [call]
        answers.push(rows)
      }
      step = protocol.next(answers)
    }
    return step.value
  }
  return {
    moments: () => moments,
    commits: () => commits,
    connection: {
      ...connection,
      drive: (protocol) => connection.drive(stepwise(protocol)),
      control: (text) => {
        pass()
        connection.control(text)
        if (text !== 'COMMIT') return
        commits += 1
        onCommit()
        // Committed, and nobody has been told yet.
        pass()
      },
    },
  }
}

it('B13: a crash between any two statements leaves nothing half-written', {
  timeout: 60_000,
}, async () => {
  using folder = temporaryDirectory()
  const template = folder.file('template.db')
  await (await openSqlite({ file: template }, testEnvironment())).close()

  /** The story of every port, up to the moment of the crash. */
  const run = async (name: string, moment: number, onCommit: (at: Connection) => void) => {
    const file = folder.file(name)
    copyFileSync(template, file)
    const bare = openConnection(file, 0)
    bare.readPragma('synchronous = OFF')
    const crashing = crashAt(moment, bare, () => {
      onCommit(bare)
    })
    const environment = testEnvironment()
    const driver = createSqliteDriver({ ...environment, connection: crashing.connection, file })
    const story = useEveryPort(overDriver(driver, environment).storage)
    const survived = await story.then(
      () => true,
      () => false,
    )
    // The end of the process: what was not committed is gone.
    bare.close()
    return { ...crashing, file, survived }
  }

  const states: string[] = []
  const first = openConnection(template, 0)
  states.push(dump(first))
  first.close()
  const whole = await run('whole.db', Number.POSITIVE_INFINITY, (at) => states.push(dump(at)))
  expect(whole.survived).toBe(true)
  expect(whole.moments()).toBeGreaterThan(200)
  expect(new Set(states).size).toBeGreaterThan(15)

  for (let moment = 1; moment <= whole.moments(); moment += 1) {
    const crashed = await run(`${moment}.db`, moment, () => undefined)
    expect(crashed.survived, `moment ${moment}`).toBe(false)
    const after = openConnection(crashed.file, 0)
    expect(dump(after), `after moment ${moment}`).toBe(states[crashed.commits()])
    after.close()
    const reopened = await openFileStorage({ file: crashed.file })
    await checkInvariants(reopened.storage)
    await reopened.storage.close()
  }
})
