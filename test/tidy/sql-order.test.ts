import { expect, test } from 'vitest'
import { unorderedSelects } from './sql-order.ts'

const path = 'src/storage/a.ts'
const found = (sql: string): string[] => {
  const text = `const one = statement(\n  'one',\n  \`${sql}\`,\n)\n`
  const { seen, found: names } = unorderedSelects([{ path, text }])
  expect(seen).toBe(1)
  return names
}

test.each([
  'SELECT v.body FROM events v WHERE v.execution_id = $1',
  'SELECT e.version FROM executions e',
  'SELECT e.version FROM executions e LIMIT 100',
  'SELECT e.version FROM executions e WHERE e.execution_id = $1 OR e.paused = $2',
])('catches %j', (sql) => {
  expect(found(sql)).toEqual(['src/storage/a.ts:1: one'])
})

test.each([
  'SELECT v.body FROM events v WHERE v.execution_id = $1 ORDER BY v.version',
  'SELECT v.body FROM events v WHERE v.execution_id = $1 AND v.version = $2',
  'SELECT e.version FROM executions e WHERE e.execution_id = $1',
  'SELECT e.scheduled_at_ms FROM executions e WHERE e.paused = 0 LIMIT 1',
  'SELECT count(*) FROM executions e',
])('lets pass %j', (sql) => {
  expect(found(sql)).toEqual([])
})

test('parts of a statement are followed, into other files too', () => {
  const shared = { path: 'src/storage/b.ts', text: "export const order = 'ORDER BY e.version'\n" }
  const text = "const one = statement('one', `SELECT e.version FROM executions e ${order}`)\n"
  expect(unorderedSelects([{ path, text }, shared])).toEqual({ seen: 1, found: [] })
  expect(unorderedSelects([{ path, text }]).found).toHaveLength(1)
})
