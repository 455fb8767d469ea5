/** What SQLite says differently. */

import { describe, expect, test } from 'vitest'
import { SteleError } from '../../../../src/base/error.ts'
import {
  isBusy,
  isInOrder,
  isStatementFault,
  reorder,
  sqliteCode,
  toPositional,
  toSteleError,
} from '../../../../src/storage/sqlite/dialect.ts'
import { sqliteError } from '../../../support/storage/observed-connection.ts'

describe('placeholders', () => {
  test.each([
    ['SELECT 1', 'SELECT 1', []],
    ['SELECT $1, $2', 'SELECT ?, ?', [0, 1]],
    ['SELECT $2, $1', 'SELECT ?, ?', [1, 0]],
    ['SELECT $1 WHERE a = $2 OR b = $1', 'SELECT ? WHERE a = ? OR b = ?', [0, 1, 0]],
    ['VALUES ($9, $10, $11, $1)', 'VALUES (?, ?, ?, ?)', [8, 9, 10, 0]],
    ['$1$2', '??', [0, 1]],
  ])('%s', (text, positional, order) => {
    expect(toPositional(text)).toEqual({ text: positional, order })
  })

  test('values go where their numbers stand, as often as they stand there', () => {
    expect(reorder([1, 0, 1], ['a', 'b'])).toEqual(['b', 'a', 'b'])
    expect(reorder([], [])).toEqual([])
    expect(reorder([0, 1], ['a', null])).toEqual(['a', null])
  })

  test('a value that is missing is null', () => {
    expect(reorder([0, 1], ['a'])).toEqual(['a', null])
  })

  test('nothing is moved when each stands in its place once', () => {
    expect(isInOrder([])).toBe(true)
    expect(isInOrder([0, 1, 2])).toBe(true)
    expect(isInOrder([0, 1, 1])).toBe(false)
    expect(isInOrder([1, 0])).toBe(false)
  })
})

describe('errors', () => {
  test.each([
    ['SQLITE_FULL', 'storage_full'],
    ['SQLITE_READONLY', 'storage_read_only'],
    ['SQLITE_READONLY_DBMOVED', 'storage_read_only'],
    ['SQLITE_READONLY_DIRECTORY', 'storage_read_only'],
    ['SQLITE_CORRUPT', 'storage_corrupt'],
    ['SQLITE_CORRUPT_INDEX', 'storage_corrupt'],
    ['SQLITE_NOTADB', 'storage_corrupt'],
    ['SQLITE_BUSY', 'storage_unavailable'],
    ['SQLITE_BUSY_SNAPSHOT', 'storage_unavailable'],
    ['SQLITE_LOCKED', 'storage_unavailable'],
    ['SQLITE_IOERR_WRITE', 'storage_unavailable'],
    ['SQLITE_CANTOPEN', 'storage_unavailable'],
    ['SQLITE_NOMEM', 'storage_unavailable'],
    ['SQLITE_PERM', 'storage_unavailable'],
    ['SQLITE_CONSTRAINT_UNIQUE', 'storage_unavailable'],
    ['SQLITE_ERROR', 'storage_unavailable'],
  ])('%s is %s', (sqlite, code) => {
    const cause = sqliteError(sqlite, 'what SQLite says')
    const error = toSteleError(cause, 'app.db')
    expect(error).toMatchObject({ code, fields: { file: 'app.db', sqlite }, cause })
    expect(error.message).toContain(`"app.db": what SQLite says (${sqlite}). `)
    expect(error.message).toMatch(/\. [A-Z][^.]+\.$/)
  })

  test('ours pass as they are', () => {
    const error = new SteleError('storage_corrupt', 'ours')
    expect(toSteleError(error, 'app.db')).toBe(error)
  })

  test.each([new TypeError('no such directory'), 'a text', undefined, null, { code: 7 }])(
    'whatever else is thrown is storage_unavailable: %o',
    (cause) => {
      const error = toSteleError(cause, 'app.db')
      expect(error).toMatchObject({ code: 'storage_unavailable', fields: { sqlite: undefined } })
    },
  )

  test('a code is one of SQLite’s only if it says so', () => {
    expect(sqliteCode(sqliteError('SQLITE_BUSY'))).toBe('SQLITE_BUSY')
    expect(sqliteCode(sqliteError('ENOENT'))).toBeUndefined()
    for (const cause of [undefined, null, 'SQLITE_BUSY', {}, { code: 5 }]) {
      expect(sqliteCode(cause)).toBeUndefined()
    }
  })

  test('another try may help when somebody else holds the lock, and only then', () => {
    for (const code of ['SQLITE_BUSY', 'SQLITE_BUSY_SNAPSHOT', 'SQLITE_LOCKED']) {
      expect(isBusy(sqliteError(code))).toBe(true)
    }
    for (const code of ['SQLITE_IOERR', 'SQLITE_FULL', 'SQLITE_CONSTRAINT', 'ENOENT']) {
      expect(isBusy(sqliteError(code))).toBe(false)
    }
    expect(isBusy(undefined)).toBe(false)
  })

  test('the transaction is sound when a constraint, or the protocol itself, said no', () => {
    for (const cause of [
      sqliteError('SQLITE_CONSTRAINT_CHECK'),
      sqliteError('SQLITE_CONSTRAINT_PRIMARYKEY'),
      sqliteError('SQLITE_TOOBIG'),
      new SteleError('storage_corrupt', 'ours'),
      new TypeError('a bug of a protocol'),
    ]) {
      expect(isStatementFault(cause)).toBe(true)
    }
    for (const code of ['SQLITE_FULL', 'SQLITE_IOERR', 'SQLITE_BUSY', 'SQLITE_CORRUPT']) {
      expect(isStatementFault(sqliteError(code))).toBe(false)
    }
  })
})
