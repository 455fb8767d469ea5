/** Colours, where they are welcome: on a terminal, and unless NO_COLOR says otherwise. */

/** A way to colour a text. */
export type Paint = (text: string) => string

const codes = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  magenta: [35, 39],
  cyan: [36, 39],
} as const

/** A paint for each colour. */
export type Palette = Readonly<Record<keyof typeof codes, Paint>>

/** A palette; of plain paints when there should be no colour. */
export function createPalette(hasColour: boolean): Palette {
  const paint =
    ([on, off]: readonly [number, number]): Paint =>
    (text) =>
      hasColour && text !== '' ? `\u001B[${on}m${text}\u001B[${off}m` : text
  return {
    bold: paint(codes.bold),
    dim: paint(codes.dim),
    red: paint(codes.red),
    green: paint(codes.green),
    yellow: paint(codes.yellow),
    magenta: paint(codes.magenta),
    cyan: paint(codes.cyan),
  }
}

/** Whether a stream should be given colour. */
export function wantsColour(stream: NodeJS.WriteStream, env: NodeJS.ProcessEnv): boolean {
  if ((env['NO_COLOR'] ?? '') !== '') return false
  if ((env['FORCE_COLOR'] ?? '') !== '') return env['FORCE_COLOR'] !== '0'
  return stream.isTTY && env['TERM'] !== 'dumb'
}
