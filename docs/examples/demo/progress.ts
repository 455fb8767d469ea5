/** Live progress: one line that is redrawn on a terminal, a plain line each second elsewhere. */
import type { Palette } from './paint.ts'

/** How many executions are where. */
export interface Counts {
  readonly expected: number
  readonly submitted: number
  readonly finished: number
  readonly running: number
  /** Due, and waiting for an executor. */
  readonly due: number
  /** Waiting for their time: backoff, schedule, pause. */
  readonly waiting: number
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

function sentence({ expected, finished, running, due, waiting }: Counts): string {
  return `${finished} of ${expected} finished, ${running} running, ${due} due, ${waiting} waiting`
}

function bar(counts: Counts, columns: number, palette: Palette): string {
  const { expected, finished, running, due, waiting } = counts
  const text = sentence(counts)
  const cells = Math.min(40, columns - text.length - 14)
  if (cells < 8) return text.slice(0, columns - 1)
  let left = cells
  const part = (count: number, glyph: string): string => {
    const length = Math.min(left, Math.round((count / expected) * cells))
    left -= length
    return glyph.repeat(length)
  }
  const parts = [
    palette.green(part(finished, '█')),
    palette.cyan(part(running, '▓')),
    palette.yellow(part(waiting + due, '▒')),
  ]
  return `         ${parts.join('')}${palette.dim('░'.repeat(left))}  ${text}`
}
