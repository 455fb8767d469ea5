/** Text of a fixed width: cells with a glyph and a colour, cut and painted. Knows no executions. */

const codes = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  blue: [34, 39],
  magenta: [35, 39],
  cyan: [36, 39],
} as const

/** The name of a colour. */
export type Colour = keyof typeof codes

/** Gives a text a colour, or leaves it as it is where there should be none. */
export type Paint = (text: string, colour: Colour) => string

/** A paint. */
export function createPaint(hasColours: boolean): Paint {
  return (text, colour) => {
    const [on, off] = codes[colour]
    return hasColours && text !== '' ? `\u001B[${on}m${text}\u001B[${off}m` : text
  }
}

/** One column. */
export interface Cell {
  readonly glyph: string
  readonly colour: Colour
}

/** Cells as text; neighbours of one colour are painted at once, and gaps not at all. */
export function paintCells(cells: readonly (Cell | undefined)[], paint: Paint): string {
  let line = ''
  let run = ''
  let colour: Colour | undefined
  for (const cell of cells) {
    if (cell?.colour !== colour) {
      line += colour === undefined ? run : paint(run, colour)
      run = ''
      colour = cell?.colour
    }
    run += cell?.glyph ?? ' '
  }
  return line + (colour === undefined ? run : paint(run, colour))
}

/** Letters that take two columns of a terminal. */
const wide = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\u3000-\u303E\uFF00-\uFF60]/u
const picture = /\p{Emoji_Presentation}/u
/** Marks that are drawn over the letter before them. */
const combining = /^(?:\p{Mark}|\p{Default_Ignorable_Code_Point})$/u
/** What would move the cursor, change colours or begin a line. */
const control = /[\p{Cc}\p{Zl}\p{Zp}]+/gu

function columnsOf(letter: string): number {
  if (combining.test(letter)) return 0
  return wide.test(letter) || picture.test(letter) ? 2 : 1
}

/** How many columns a text takes. */
export function widthOf(text: string): number {
  let width = 0
  for (const letter of text) width += columnsOf(letter)
  return width
}

/** The text without what a terminal would obey. */
export function plain(text: string): string {
  return text.replace(control, ' ').trim()
}

/** The text, or as much of it as fits, ending in an ellipsis then. */
export function cut(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text
  let kept = ''
  let left = columns - 1
  for (const letter of text) {
    left -= columnsOf(letter)
    if (left < 0) break
    kept += letter
  }
  return columns > 0 ? `${kept}…` : ''
}

/** The text, cut or filled up with spaces to exactly so many columns. */
export function fit(text: string, columns: number): string {
  const kept = cut(text, columns)
  return kept + ' '.repeat(Math.max(0, columns - widthOf(kept)))
}
