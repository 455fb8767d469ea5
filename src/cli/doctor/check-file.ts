/** What there is to say of the file, its settings and sizes, and of the engines that use it. */

import { formatInstant, type Instant, type Milliseconds } from '../../base/time.ts'
import type { RowCounts } from '../../storage/checkup.ts'
import type { RegisteredExecutor } from '../../storage/registry.ts'
import { formatDistance } from '../format-time.ts'
import { isAlive } from './check-executions.ts'
import { clockTolerance } from './check-logs.ts'
import { countIs, countOf, examplesMax, type Finding } from './finding.ts'

/** Settings and sizes of a file, in bytes. */
export interface FileReport {
  readonly journalMode: string
  readonly schemaVersion: number
  /** The version that this code would write. */
  readonly knownSchema: number
  readonly fileBytes: number
  readonly freeBytes: number
  readonly walBytes: number
}

/** A WAL beyond this is not being copied into the file: it is at most 64 MiB otherwise. */
export const walBytesWarned = 256 * 1024 * 1024
/** Free space beyond this, and half the file, is worth a word. */
export const freeBytesNoted = 64 * 1024 * 1024

/** `1.5 MiB`. */
export function formatBytes(bytes: number): string {
  const units = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'] as const
  let size = bytes
  let unit = 0
  for (; size >= 1024 && unit < units.length - 1; unit += 1) size /= 1024
  return `${unit === 0 ? size : size.toFixed(1)} ${units[unit] ?? ''}`
}

/** Findings about settings and sizes. */
export function fileFindings(report: FileReport): readonly Finding[] {
  return [schemaFinding(report), journalFinding(report), walFinding(report), ...freeFinding(report)]
}

function schemaFinding({ schemaVersion, knownSchema }: FileReport): Finding {
  if (schemaVersion === knownSchema) {
    const summary = `Schema version ${schemaVersion}, as this stele writes it.`
    return { level: 'ok', topic: 'file', summary }
  }
  return {
    level: 'note',
    topic: 'file',
    summary: `Schema version ${schemaVersion}; this stele writes ${knownSchema}.`,
    advice:
      'An engine of this version migrates it when it opens it; older ones can not after that.',
  }
}

function journalFinding({ journalMode }: FileReport): Finding {
  if (journalMode === 'wal') {
    return {
      level: 'ok',
      topic: 'file',
      // Each connection sets it for itself, so that nobody else can see it.
      summary:
        'Journal mode wal. Engines commit with synchronous=FULL, unless opened with ' +
        "`synchronous: 'normal'`; the file does not say which.",
    }
  }
  if (journalMode === 'memory') {
    const summary = 'Read from a copy in memory, since SQLite can make no files beside this one.'
    return { level: 'note', topic: 'file', summary }
  }
  return {
    level: 'warning',
    topic: 'file',
    summary: `Journal mode ${journalMode}: whoever reads keeps engines from writing.`,
    advice:
      'Engines set wal when they open the file; a file system that cannot share memory cannot.',
  }
}

function walFinding({ walBytes }: FileReport): Finding {
  const summary = `The write-ahead log holds ${formatBytes(walBytes)}.`
  if (walBytes <= walBytesWarned) return { level: 'ok', topic: 'file', summary }
  return {
    level: 'warning',
    topic: 'file',
    summary,
    advice: 'A transaction that reads and never ends keeps it from being copied: look for it.',
  }
}

function freeFinding({ fileBytes, freeBytes }: FileReport): readonly Finding[] {
  if (freeBytes < freeBytesNoted || freeBytes < fileBytes / 2) return []
  const summary = `${formatBytes(freeBytes)} of the file are free, and will be used again.`
  const advice = 'To give them back to the disk, stop all engines and run VACUUM.'
  return [{ level: 'note', topic: 'size', summary, advice }]
}

/** Findings about how much there is. */
export function sizeFindings(
  { fileBytes }: FileReport,
  counts: RowCounts,
  now: Instant,
): readonly Finding[] {
  const { executions, events, responses, logLines, oldestCreatedAt } = counts
  const each = executions === 0 ? '' : `, ${formatBytes(Math.round(fileBytes / executions))} each`
  const oldest =
    oldestCreatedAt === undefined
      ? ''
      : ` The oldest was created ${formatInstant(oldestCreatedAt).slice(0, 10)}, ` +
        `${formatDistance(oldestCreatedAt, now)}; Stele removes nothing by itself.`
  const parts = [
    countOf(events, 'event'),
    countOf(responses, 'response'),
    countOf(logLines, 'line'),
  ]
  return [
    {
      level: 'note',
      topic: 'size',
      summary:
        `${formatBytes(fileBytes)}: ${countOf(executions, 'execution')}${each}, with ` +
        `${parts.join(', ')} of logs.${oldest}`,
    },
  ]
}

/** How long the dead are spoken of. */
export const mourning: Milliseconds = 24 * 60 * 60_000

/** Findings about engines: who lives, and who has died without a word. */
export function engineFindings(
  executors: readonly RegisteredExecutor[],
  now: Instant,
): readonly Finding[] {
  const alive = executors.filter((executor) => isAlive(executor, now))
  const dead = executors.filter(
    (executor) =>
      !isAlive(executor, now) &&
      executor.stoppedAt === undefined &&
      now - executor.lastBeatAt < mourning,
  )
  const ahead = executors.filter(({ lastBeatAt }) => lastBeatAt > now + clockTolerance)
  return [
    aliveFinding(alive),
    ...(dead.length === 0 ? [] : [deadFinding(dead, now)]),
    ...(ahead.length === 0 ? [] : [aheadFinding(ahead, now)]),
  ]
}

function aliveFinding(alive: readonly RegisteredExecutor[]): Finding {
  if (alive.length === 0)
    return { level: 'note', topic: 'engines', summary: 'No engine is running.' }
  const places = new Set(alive.map(({ host, pid }) => `process ${pid} on ${host}`))
  const summary = `${countIs(alive.length, 'executor')} alive, in ${[...places].join(', ')}.`
  return { level: 'ok', topic: 'engines', summary }
}

function deadFinding(dead: readonly RegisteredExecutor[], now: Instant): Finding {
  return {
    level: 'note',
    topic: 'engines',
    summary: `${countOf(dead.length, 'executor')} died without a word within the last day.`,
    examples: dead.slice(0, examplesMax).map(({ executorId, host, pid, lastBeatAt }) => {
      const when = formatDistance(lastBeatAt, now)
      return `${executorId}: process ${pid} on ${host}, last heard of ${when}`
    }),
    advice: 'What they held is taken over when its lock expires; see why the processes ended.',
  }
}

function aheadFinding(ahead: readonly RegisteredExecutor[], now: Instant): Finding {
  return {
    level: 'warning',
    topic: 'clocks',
    summary: `${countOf(ahead.length, 'executor')} heard of in the future, by the clock here.`,
    examples: ahead
      .slice(0, examplesMax)
      .map(({ host, lastBeatAt }) => `${host}: ${formatDistance(lastBeatAt, now)}`),
    advice: 'Set the clocks of the machines by the same time server.',
  }
}
