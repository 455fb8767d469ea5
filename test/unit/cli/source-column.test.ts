/** Lines of code beside events. */
import { expect, test } from 'vitest'
import { placeOf, sourceColumn } from '../../../src/cli/source-column.ts'
import type { EventView } from '../../../src/client/view.ts'

function event(version: number, line: number | undefined, hash = 'ab'): EventView {
  const source = line === undefined ? {} : { source: { file: 'a.ts', line, column: 3, hash } }
  return { version, createdAt: 0, type: 'patched', seq: 1, patchId: 'p', ...source }
}

const client = {
  source: (hash: string) =>
    Promise.resolve(hash === 'ab' ? { hash, file: 'a.ts', text: 'one\r\n  two\n' } : undefined),
}

async function column(events: readonly EventView[]): Promise<readonly string[]> {
  const { text } = await sourceColumn(client, events)
  return events.map(text)
}

test('the place, and the line without its margin', async () => {
  expect(await column([event(0, 2), event(1, 1)])).toEqual(['a.ts:2  two', 'a.ts:1  one'])
})

test('a place is said once for the events of one call, whatever stands between', async () => {
  const locked = { version: 1, createdAt: 0, type: 'unpaused' } as const
  expect(await column([event(0, 1), locked, event(2, 1), event(3, 2), event(4, 1)])).toEqual([
    'a.ts:1  one',
    '',
    '',
    'a.ts:2  two',
    'a.ts:1  one',
  ])
})

test('without the text, or beyond its end, the place alone', async () => {
  expect(await column([event(0, 1, 'cd'), event(1, 99)])).toEqual(['a.ts:1', 'a.ts:99'])
})

test('what has no place has none', () => {
  expect(placeOf(event(0, undefined))).toBeUndefined()
  expect(placeOf({ version: 0, createdAt: 0, type: 'unpaused' })).toBeUndefined()
})
