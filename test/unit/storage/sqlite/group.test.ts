/** A group of writes: who shares a transaction, who is told when, and who fails with whom. */

import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { SteleError } from '../../../../src/base/error.ts'
import { accept, type Result, refuse } from '../../../../src/base/result.ts'
import type { WriteProtocol } from '../../../../src/storage/driver.ts'
import { query, statement } from '../../../../src/storage/protocol.ts'
import { type Connection, openConnection } from '../../../../src/storage/sqlite/connection.ts'
import {
  groupSizeMax,
  groupTimeMax,
  PendingWrite,
  type QueuedWrite,
  runGroup,
} from '../../../../src/storage/sqlite/group.ts'
import { sqliteError } from '../../../support/storage/observed-connection.ts'
import { createTestClock, type TestClock } from '../../../support/test-time.ts'

const insertNumber = statement('insert-number', 'INSERT INTO numbers (n) VALUES ($1)')
const selectNumbers = statement('select-numbers', 'SELECT n FROM numbers ORDER BY n')

let connection: Connection
let clock: TestClock
let queue: QueuedWrite[]
let told: string[]

beforeEach(() => {
  connection = openConnection(':memory:', 0)
  connection.runScript('CREATE TABLE numbers (n INTEGER PRIMARY KEY) STRICT')
  clock = createTestClock()
  queue = []
  told = []
})

afterEach(() => {
  connection.close()
})

function* insert(n: number): WriteProtocol<number, string> {
  yield* query(insertNumber, n)
  return accept(n)
}

interface Asked {
  readonly protocol?: () => WriteProtocol<number, string>
  readonly onAccepted?: () => void
  readonly isJoined?: boolean
}

function ask(n: number, asked: Asked = {}): void {
  const { protocol = () => insert(n), onAccepted, isJoined = false } = asked
  const resolve = (result: Result<number, string>): void => {
    told.push(`${n} ${result.ok ? 'done' : 'refused'}`)
  }
  const reject = ({ fields }: SteleError): void => {
    told.push(fields['isolated'] === true ? `${n} failed alone` : `${n} failed`)
  }
  queue.push(new PendingWrite({ protocol, onAccepted, isJoined }, resolve, reject))
}

/** Runs what is in the queue as one group, and gives what was answered. */
function run(): readonly string[] {
  told = []
  connection.control('BEGIN IMMEDIATE')
  for (const answer of runGroup(queue, { connection, file: 'f', clock })) answer()
  return told
}

function numbers(): readonly unknown[] {
  return connection.drive(query(selectNumbers)).map((row) => row['n'])
}

function fail(code: string): () => never {
  return () => {
    throw sqliteError(code)
  }
}

describe('a group', () => {
  test('holds so many writes; the rest stays in the queue', () => {
    for (let n = 0; n <= groupSizeMax; n += 1) ask(n)
    expect(run()).toHaveLength(groupSizeMax)
    expect(queue).toHaveLength(1)
  })

  test('is closed after its time', () => {
    const slow = (n: number) => () => {
      clock.advance(groupTimeMax / 2)
      return insert(n)
    }
    for (const n of [1, 2, 3]) ask(n, { protocol: slow(n) })
    expect(run()).toEqual(['1 done', '2 done'])
    expect(run()).toEqual(['3 done'])
  })

  test('takes in what its writes bring about', () => {
    const bring = (): void => {
      ask(2, { isJoined: true })
    }
    ask(1, { onAccepted: bring })
    expect(run()).toEqual(['1 done', '2 done'])
    expect(numbers()).toEqual([1, 2])
  })
})

describe('one of a group', () => {
  test('refused: is rolled back alone, and nobody is told of it early', () => {
    let early = 0
    const protocol = function* (): WriteProtocol<number, string> {
      yield* insert(2)
      return refuse('no')
    }
    const onAccepted = (): void => {
      early += 1
    }
    ask(1)
    ask(2, { protocol, onAccepted })
    expect(run()).toEqual(['1 done', '2 refused'])
    expect([numbers(), early]).toEqual([[1], 0])
  })

  test('with a fault of the transaction: all fail that have run', () => {
    ask(1)
    ask(2, { protocol: fail('SQLITE_IOERR') })
    ask(3)
    expect(run()).toEqual(['1 failed', '2 failed'])
    expect(numbers()).toEqual([])
    expect(run()).toEqual(['3 done'])
  })

  test('with a page that it cannot read: fails alone, and the others are run again', () => {
    ask(1)
    ask(2, { protocol: fail('SQLITE_CORRUPT') })
    expect(run()).toEqual(['2 failed alone'])
    expect(run()).toEqual(['1 done'])
  })

  test('that has joined: fails alone, whatever it meets, and does not join again', () => {
    const join = (): void => {
      ask(2, { protocol: fail('SQLITE_IOERR'), isJoined: true })
    }
    ask(1, { onAccepted: join })
    expect(run()).toEqual(['2 failed'])
    expect(run()).toEqual(['1 done'])
    expect([numbers(), queue]).toEqual([[1], []])
  })

  test('whose listener throws: is kept', () => {
    ask(1, { onAccepted: fail('SQLITE_IOERR') })
    expect(run()).toEqual(['1 done'])
  })
})
