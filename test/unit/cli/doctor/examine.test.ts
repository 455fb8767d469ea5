/** The whole check-up, on databases that have been tampered with. */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openConnection } from '../../../../src/storage/sqlite/connection.ts'
import { breakPageWith } from '../../../support/storage/broken-page.ts'
import { openShop, type Shop } from '../test-cli.ts'

let shop: Shop

beforeEach(async () => {
  shop = await openShop()
})

afterEach(() => {
  shop[Symbol.dispose]()
})

function meddle(...scripts: readonly string[]): void {
  const connection = openConnection(shop.file, 0)
  for (const script of scripts) connection.runScript(script)
  connection.close()
}

test.each([
  [
    'a row that cannot be read',
    ["UPDATE executions SET failures = 9223372036854775807 WHERE execution_id = 'held'"],
    '✗ 1 row of executions cannot be read.\n    held: Column failures',
  ],
  [
    'a row that was set aside',
    ["UPDATE executions SET set_aside_reason = 'odd' WHERE execution_id = 'later'"],
    '✗ 1 execution set aside: nobody will execute them.\n    later: odd',
  ],
  [
    'an event that is missing',
    [
      'DROP TRIGGER events_are_never_removed',
      "DELETE FROM events WHERE execution_id = 'paid' AND version = 1",
    ],
    '✗ Events are missing in 1 place of logs.\n    paid: event 2 follows 0',
  ],
  [
    'a last event that is missing',
    [
      'DROP TRIGGER events_are_never_removed',
      "DELETE FROM events WHERE execution_id = 'paid' AND version = 2",
    ],
    '✗ 1 execution whose last event is not in the log.\n    paid',
  ],
  [
    'an engine that paused an execution',
    [
      'DROP TRIGGER events_are_never_changed',
      `UPDATE events SET type = 'paused', body = '{"reason":"nondeterminism"}'
       WHERE execution_id = 'held' AND version = 1`,
    ],
    '✗ 1 execution paused by an engine: a person has to look.\n    held: nondeterminism',
  ],
  [
    'a journal that is no WAL',
    ['PRAGMA journal_mode = DELETE'],
    '! Journal mode delete: whoever reads keeps engines from writing.',
  ],
])('%s is found', async (_, scripts, said) => {
  meddle(...scripts)
  const { out } = await shop.stele('doctor', shop.file)
  expect(out).toContain(said)
})

test('a broken page is a verdict, not a crash', async () => {
  breakPageWith(shop.file, 'asking the bank')
  const { code, out } = await shop.stele('doctor', shop.file)
  expect(code).toBe(1)
  expect(out).toContain('✗ SQLite finds 1 fault in the pages of the file.')
  expect(out).toContain('\nVerdict: 1 problem\n')
})
