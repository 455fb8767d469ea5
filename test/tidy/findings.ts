/** What a tidy check takes and gives, and how its findings name a place. */

/** One file of the house: its path from the top, with `/`, and its text. */
export interface HouseFile {
  readonly path: string
  readonly text: string
}

/** A check answers with one line for each sin, or with nothing. */
export type Check = (file: HouseFile) => readonly string[]

/** Every place in the text that matches, as `path:line: reason`. The pattern must be global. */
export function findAll({ path, text }: HouseFile, pattern: RegExp, reason: string): string[] {
  return [...text.matchAll(pattern)].map(({ index }) => `${path}:${lineAt(text, index)}: ${reason}`)
}

/** The line that holds the character, counted from 1. */
export function lineAt(text: string, index: number): number {
  return text.slice(0, index).split('\n').length
}

const stringOrComment =
  /'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`|\/\*[\s\S]*?\*\/|\/\/[^\n]*/g

/** The file with its comments blanked out: what is said is not what is done. Lines stay lines. */
export function withoutComments({ path, text }: HouseFile): HouseFile {
  const blank = (part: string): string =>
    part.startsWith('/') ? part.replace(/[^\n]/g, ' ') : part
  return { path, text: text.replace(stringOrComment, blank) }
}
