/** One connection: statements, values and rows. */

import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { call, type Protocol, query, statement } from '../../../../src/storage/protocol.ts'
import { type Connection, openConnection } from '../../../../src/storage/sqlite/connection.ts'

let connection: Connection

beforeEach(() => {
  connection = openConnection(':memory:', 0)
  connection.runScript('CREATE TABLE things (id INTEGER PRIMARY KEY, name TEXT) STRICT')
})

afterEach(() => {
  connection.close()
})

const insert = statement('insert', 'INSERT INTO things (id, name) VALUES ($1, $2)')
const insertBack = statement(
  'insert-back',
  'INSERT INTO things (name, id) VALUES ($2, $1) RETURNING id, name',
)
const find = statement('find', 'SELECT t.id, t.name FROM things t WHERE t.id = $1 OR t.name = $2')
const all = statement('all', 'SELECT t.id FROM things t ORDER BY t.id')

describe('drive()', () => {
  test('each call is answered with its rows, in order; a write without RETURNING has none', () => {
    function* protocol(): Protocol<unknown> {
      return yield [call(insert, 1, 'a'), call(insertBack, 2, 'b'), call(all)]
    }
    expect(connection.drive(protocol())).toEqual([
      [],
      [{ id: 2, name: 'b' }],
      [{ id: 1 }, { id: 2 }],
    ])
  })

  test('values are bound by number, also out of order and repeated', () => {
    connection.drive(query(insertBack, 7, 'seven'))
    const twice = statement('twice', 'SELECT $2 AS b, $1 AS a, $2 AS c')
    expect(connection.drive(query(twice, 'one', 'two'))).toEqual([{ b: 'two', a: 'one', c: 'two' }])
    expect(connection.drive(query(find, 0, 'seven'))).toEqual([{ id: 7, name: 'seven' }])
  })

  test('nothing to do is an empty answer', () => {
    function* protocol(): Protocol<number> {
      const answers = yield []
      return answers.length
    }
    expect(connection.drive(protocol())).toBe(0)
  })

  test('what a statement throws comes out, and ends the protocol', () => {
    connection.drive(query(insert, 1, 'a'))
    expect(() => connection.drive(query(insert, 1, 'b'))).toThrow(
      expect.objectContaining({ code: 'SQLITE_CONSTRAINT_PRIMARYKEY' }),
    )
    expect(connection.drive(query(all))).toEqual([{ id: 1 }])
  })

  test('integers as large as an instant come back whole', () => {
    connection.drive(query(insert, 8_640_000_000_000_000, null))
    expect(connection.drive(query(all))).toEqual([{ id: 8_640_000_000_000_000 }])
  })
})

describe('control()', () => {
  test('transactions and savepoints', () => {
    expect(connection.isInTransaction()).toBe(false)
    connection.control('BEGIN IMMEDIATE')
    expect(connection.isInTransaction()).toBe(true)
    connection.drive(query(insert, 1, 'a'))
    connection.control('SAVEPOINT one')
    connection.drive(query(insert, 2, 'b'))
    connection.control('ROLLBACK TO one')
    connection.control('RELEASE one')
    connection.control('COMMIT')
    expect(connection.drive(query(all))).toEqual([{ id: 1 }])
  })

  test('rollback', () => {
    connection.control('BEGIN')
    connection.drive(query(insert, 1, 'a'))
    connection.control('ROLLBACK')
    expect(connection.isInTransaction()).toBe(false)
    expect(connection.drive(query(all))).toEqual([])
  })
})

describe('readPragma() and dataVersion()', () => {
  test('one value of a pragma', () => {
    connection.readPragma('user_version = 3')
    expect(connection.readPragma('user_version')).toBe(3)
  })

  test('own commits do not change the data version', () => {
    const before = connection.dataVersion()
    connection.drive(query(insert, 1, 'a'))
    expect(connection.dataVersion()).toBe(before)
  })
})
