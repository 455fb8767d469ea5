import { isSteleError } from 'stele'
import { expect, test } from 'vitest'
import { createQuery } from '../../../../src/inspector/server/query.ts'

const query = (text: string) => createQuery(new URLSearchParams(text))

test('reads texts, integers, flags and words; what is empty is absent', () => {
  const read = query('a=x&n=7&f=true&w=two&e=')
  expect(read.text('a')).toBe('x')
  expect(read.text('e')).toBeUndefined()
  expect(read.integer('n', 0)).toBe(7)
  expect(read.integer('other', 3)).toBe(3)
  expect(read.flag('f')).toBe(true)
  expect(read.flag('other')).toBeUndefined()
  expect(read.word('w', ['one', 'two'])).toBe('two')
})

test('an id may hold whatever ids hold', () => {
  expect(query('id=a%2Fb%3A1%401').executionId()).toBe('a/b:1@1')
})

test.each<[string, (read: ReturnType<typeof query>) => unknown]>([
  ['n=-1', (read) => read.integer('n', 0)],
  ['n=1.5', (read) => read.integer('n', 0)],
  ['n=1e99', (read) => read.integer('n', 0)],
  ['f=yes', (read) => read.flag('f')],
  ['w=three', (read) => read.word('w', ['one'])],
  ['', (read) => read.executionId()],
  ['id=a%20b', (read) => read.executionId()],
])('%s is refused by name', (text, ask) => {
  let thrown: unknown
  try {
    ask(query(text))
  } catch (cause) {
    thrown = cause
  }
  expect(isSteleError(thrown)).toBe(true)
})
