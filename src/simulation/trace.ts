/**
 * What happened in a simulation, line by line, and a hash of it: the same seed gives the same hash.
 * Lines are about processes and the store; who watches and what is logged never shows in them.
 */

import { hashText } from '../base/hash.ts'
import type { Milliseconds } from '../base/time.ts'

/** What a line is about. */
export type TraceKind =
  | 'boot'
  | 'crash'
  | 'stop'
  | 'commit'
  | 'attempt'
  | 'fault'
  | 'scenario'
  | 'phase'

/** One line. */
export interface TraceLine {
  /** Simulated time since the beginning. */
  readonly at: Milliseconds
  /** Steps that the kernel had made. */
  readonly step: number
  /** Whose line it is: a process, or `world`. */
  readonly process: string
  /** What it is about. */
  readonly kind: TraceKind
  /** What happened. */
  readonly text: string
}

/** A trace that grows. */
export interface Trace {
  readonly add: (line: TraceLine) => void
  /** Of all lines so far. */
  readonly hash: () => string
  /** The latest lines; earlier ones are dropped beyond a limit, and counted in the hash only. */
  readonly lines: () => readonly TraceLine[]
}

/** Lines that are kept. */
export const traceLinesMax = 100_000

/** An empty trace. */
export function createTrace(): Trace {
  let kept: TraceLine[] = []
  let hash = 0
  let turned = 0
  return {
    add: (line) => {
      hash = hashText(`${line.at} ${line.step} ${line.process} ${line.text}`, hash)
      turned = hashText(line.text, turned ^ hash)
      kept.push(line)
      if (kept.length > 2 * traceLinesMax) kept = kept.slice(-traceLinesMax)
    },
    hash: () => [hash, turned].map((half) => half.toString(16).padStart(8, '0')).join(''),
    lines: () => kept.slice(-traceLinesMax),
  }
}

const marks: Readonly<Record<TraceKind, string>> = {
  boot: '^',
  crash: '!',
  stop: 'v',
  commit: ' ',
  attempt: '*',
  fault: '~',
  scenario: '>',
  phase: '=',
}

/** Lines as text: time, step, process, a mark (`!` crash, `^` boot, `~` fault), what happened. */
export function formatTrace(lines: readonly TraceLine[]): string {
  const widest = Math.max(0, ...lines.map(({ process }) => process.length))
  return lines
    .map(({ at, step, process, kind, text }) => {
      const time = `${at}ms`.padStart(12)
      return `${time} #${String(step).padEnd(6)} ${process.padEnd(widest)} ${marks[kind]} ${text}`
    })
    .join('\n')
}

/** Lines of a diagram; beyond that nobody can read it. */
const diagramLinesMax = 200

/** The last lines as a sequence diagram in Mermaid. */
export function drawTrace(lines: readonly TraceLine[]): string {
  const shown = lines.slice(-diagramLinesMax)
  const processes = [...new Set(shown.map(({ process }) => process))]
  const aliases = new Map(processes.map((process, index) => [process, `p${index}`]))
  const heads = processes.map(
    (name) => `  participant ${aliases.get(name) ?? ''} as ${plain(name)}`,
  )
  const arrows = shown.map((line) => arrowOf(line, aliases.get(line.process) ?? ''))
  return ['sequenceDiagram', ...heads, '  participant store', ...arrows].join('\n')
}

function arrowOf({ kind, at, text }: TraceLine, alias: string): string {
  const said = `${at} ms: ${plain(text)}`
  if (kind === 'commit') return `  ${alias}->>store: ${said}`
  if (kind === 'crash') return `  ${alias}--xstore: ${said}`
  return `  Note over ${alias}: ${said}`
}

/** Mermaid reads `;` and `#` as its own. */
function plain(text: string): string {
  return text.replaceAll(/[;#\n]/g, ' ')
}
