import { describe, expect, it } from 'vitest'
import {
  type Cell,
  createPaint,
  cut,
  fit,
  paintCells,
  plain,
  widthOf,
} from '../../../src/client/timeline-canvas.ts'

const run: Cell = { glyph: '━', colour: 'cyan' }
const end: Cell = { glyph: '✓', colour: 'green' }

describe('cells', () => {
  it('paint: without colours, glyphs and gaps alone', () => {
    expect(paintCells([undefined, run, run, end, undefined], createPaint(false))).toBe(' ━━✓ ')
  })

  it('paint: neighbours of one colour at once, gaps not at all', () => {
    const painted = paintCells([undefined, run, run, end], createPaint(true))
    expect(painted).toBe(' \u001B[36m━━\u001B[39m\u001B[32m✓\u001B[39m')
  })

  it('paint: nothing for an empty text', () => {
    expect(createPaint(true)('', 'red')).toBe('')
  })
})

describe('texts', () => {
  it.each([
    ['order', 5],
    ['注文', 4],
    ['🎉!', 3],
    ['e\u0301', 1],
    ['', 0],
  ])('width of %j: %s columns', (text, width) => {
    expect(widthOf(text)).toBe(width)
  })

  it.each([
    ['order', 5, 'order'],
    ['order', 4, 'ord…'],
    ['order', 1, '…'],
    ['order', 0, ''],
    ['注文です', 4, '注…'],
  ])('cut %j to %s: %j', (text, columns, expected) => {
    expect(cut(text, columns)).toBe(expected)
  })

  it.each([
    ['order', 7, 'order  '],
    ['order', 3, 'or…'],
    ['注文です', 4, '注… '],
  ])('fit %j into %s: %j', (text, columns, expected) => {
    expect(fit(text, columns)).toBe(expected)
  })

  it('plain: what a terminal would obey is a space', () => {
    expect(plain('a\nb\u001B[31mc\u0085\u2028d\t')).toBe('a b [31mc d')
  })
})
