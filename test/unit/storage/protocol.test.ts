/** Statements and calls: plain data. */

import { expect, test } from 'vitest'
import { call, query, statement } from '../../../src/storage/protocol.ts'

const select = statement('select-one', 'SELECT $1 AS one')

test('statement(): a name and a text', () => {
  expect(select).toEqual({ name: 'select-one', text: 'SELECT $1 AS one' })
})

test('call(): a statement with its values', () => {
  expect(call(select, 1, 'a', null)).toEqual({ statement: select, values: [1, 'a', null] })
})

test('query(): yields one call, and gives its rows', () => {
  const protocol = query(select, 1)
  expect(protocol.next([])).toEqual({ done: false, value: [call(select, 1)] })
  expect(protocol.next([[{ one: 1 }]])).toEqual({ done: true, value: [{ one: 1 }] })
})

test('query(): no answer is no rows', () => {
  const protocol = query(select, 1)
  protocol.next([])
  expect(protocol.next([])).toEqual({ done: true, value: [] })
})
