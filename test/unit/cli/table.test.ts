/** Tables for a terminal. */
import { expect, test } from 'vitest'
import { type Column, formatTable } from '../../../src/cli/table.ts'
import { createPaint } from '../../../src/client/timeline-canvas.ts'

interface Fruit {
  readonly name: string
  readonly count: number
  readonly note?: string
}

const columns: readonly Column<Fruit>[] = [
  { title: 'NAME', text: ({ name }) => name, least: 4 },
  { title: 'N', text: ({ count }) => String(count), isRight: true, colour: () => 'red' },
  { title: 'NOTE', text: ({ note }) => note ?? '' },
]
const wide = { width: Number.POSITIVE_INFINITY, paint: createPaint(false) }

test('columns stand in line, numbers to the right, and nothing ends in spaces', () => {
  const rows = [
    { name: 'apple', count: 5, note: 'red' },
    { name: 'fig', count: 12 },
  ]
  expect(formatTable(columns, rows, wide)).toEqual([
    'NAME    N  NOTE',
    'apple   5  red',
    'fig    12',
  ])
})

test('a column in which nothing stands is left out', () => {
  expect(formatTable(columns, [{ name: 'fig', count: 1 }], wide)).toEqual(['NAME  N', 'fig   1'])
})

test('the one that may be cut gives way to its least width', () => {
  const rows = [{ name: 'pineapple', count: 1, note: 'ripe' }]
  const lines = formatTable(columns, rows, { width: 15, paint: createPaint(false) })
  expect(lines[1]).toBe('pinea…  1  ripe')
  const narrow = formatTable(columns, rows, { width: 5, paint: createPaint(false) })
  expect(narrow[1]).toBe('pin…  1  ripe')
})

test('what a terminal would obey is made harmless', () => {
  const rows = [{ name: 'a\u001B[31mb\nc', count: 1 }]
  expect(formatTable(columns, rows, wide)[1]).toBe('a [31mb c  1')
})

test('colours surround the text, not the spaces', () => {
  const rows = [
    { name: 'fig', count: 1 },
    { name: 'nut', count: 20 },
  ]
  const [, line] = formatTable(columns, rows, { ...wide, paint: createPaint(true) })
  expect(line).toBe('fig    \u001B[31m1\u001B[39m')
})

test('without rows there is nothing', () => {
  expect(formatTable(columns, [], wide)).toEqual([])
})
