/** Live progress: one line that is redrawn on a terminal, a plain line each second elsewhere. */
import type { Palette } from './paint.ts'

/** How many orders there are, and what they and their activities do. */
export interface Counts {
  readonly expected: number
  readonly finished: number
  /** Orders that have come in and not finished. */
  readonly open: number
  /** Runs of activities and workflows. */
  readonly running: number
  /** Workflows that wait, holding nothing. */
  readonly parked: number
}

/** Shows progress. */
export interface Progress {
  readonly show: (counts: Counts) => void
  /** A line that stays. */
  readonly note: (text: string) => void
  /** Clears the line that is redrawn. */
  readonly end: () => void
}

/** Time between two plain lines, in milliseconds. */
const plainInterval = 1_000

/** Progress on a stream. */
export function createProgress(stream: NodeJS.WriteStream, palette: Palette): Progress {
  const startedAt = Date.now()
  let printedAt = Number.NEGATIVE_INFINITY
  const clear = stream.isTTY ? '\r\u001B[2K' : ''
  const seconds = (): string => `${((Date.now() - startedAt) / 1_000).toFixed(1)} s`.padStart(7)
  return {
    show: (counts) => {
      if (stream.isTTY) stream.write(clear + bar(counts, stream.columns, palette))
      else if (Date.now() - printedAt >= plainInterval) {
        printedAt = Date.now()
        stream.write(`${seconds()}  ${sentence(counts)}\n`)
      }
    },
    note: (text) => {
      stream.write(`${clear}${palette.dim(seconds())}  ${text}\n`)
    },
    end: () => {
      stream.write(clear)
    },
  }
}

function sentence({ expected, finished, running, parked }: Counts): string {
  return `${finished} of ${expected} orders finished, ${running} runs, ${parked} workflows wait`
}

function bar(counts: Counts, columns: number, palette: Palette): string {
  const { expected, finished, open } = counts
  const text = sentence(counts)
  const cells = Math.min(40, columns - text.length - 14)
  if (cells < 8) return text.slice(0, columns - 1)
  const done = Math.round((finished / expected) * cells)
  const begun = Math.min(cells - done, Math.round((open / expected) * cells))
  const rest = '░'.repeat(cells - done - begun)
  const parts = [
    palette.green('█'.repeat(done)),
    palette.cyan('▓'.repeat(begun)),
    palette.dim(rest),
  ]
  return `         ${parts.join('')}  ${text}`
}
