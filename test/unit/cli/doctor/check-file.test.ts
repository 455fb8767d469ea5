/** Settings, sizes, engines. */
import { describe, expect, test } from 'vitest'
import {
  engineFindings,
  type FileReport,
  fileFindings,
  formatBytes,
  freeBytesNoted,
  mourning,
  sizeFindings,
  walBytesWarned,
} from '../../../../src/cli/doctor/check-file.ts'
import type { RegisteredExecutor } from '../../../../src/storage/registry.ts'
import { deploymentId, executorId } from '../../../support/storage/ids.ts'

const report: FileReport = {
  journalMode: 'wal',
  schemaVersion: 2,
  knownSchema: 2,
  fileBytes: 4_096,
  freeBytes: 0,
  walBytes: 0,
}

const levels = (part: Partial<FileReport>): readonly string[] =>
  fileFindings({ ...report, ...part }).map(({ level, topic }) => `${level} ${topic}`)

describe('the file', () => {
  test.each([
    [{}, ['ok file', 'ok file', 'ok file']],
    [{ schemaVersion: 1 }, ['note file', 'ok file', 'ok file']],
    [{ journalMode: 'memory' }, ['ok file', 'note file', 'ok file']],
    [{ journalMode: 'delete' }, ['ok file', 'warning file', 'ok file']],
    [{ walBytes: walBytesWarned + 1 }, ['ok file', 'ok file', 'warning file']],
    [
      { fileBytes: 2 * freeBytesNoted, freeBytes: freeBytesNoted },
      ['ok file', 'ok file', 'ok file', 'note size'],
    ],
    [
      { fileBytes: 9 * freeBytesNoted, freeBytes: freeBytesNoted },
      ['ok file', 'ok file', 'ok file'],
    ],
  ])('%j', (part, expected) => {
    expect(levels(part)).toEqual(expected)
  })
})

test.each([
  [0, '0 bytes'],
  [1_023, '1023 bytes'],
  [1_536, '1.5 KiB'],
  [5 * 1024 ** 3, '5.0 GiB'],
])('%i is %s', (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text)
})

test('how much there is, and since when', () => {
  const counts = { executions: 2, events: 5, responses: 1, logLines: 0, oldestCreatedAt: 0 }
  expect(sizeFindings(report, counts, 60_000)[0]?.summary).toBe(
    '4.0 KiB: 2 executions, 2.0 KiB each, with 5 events, 1 response, 0 lines of logs. ' +
      'The oldest was created 1970-01-01, 1 min ago; Stele removes nothing by itself.',
  )
})

describe('engines', () => {
  const now = 2 * mourning
  const executor = (part: Partial<RegisteredExecutor>): RegisteredExecutor => ({
    executorId: executorId(),
    deploymentId: deploymentId(),
    kind: 'activities',
    functions: [],
    host: 'box',
    pid: 7,
    startedAt: 0,
    lastBeatAt: now,
    ...part,
  })
  const summaries = (...executors: readonly RegisteredExecutor[]): readonly string[] =>
    engineFindings(executors, now).map(({ level, summary }) => `${level}: ${summary}`)

  test('none', () => {
    expect(summaries()).toEqual(['note: No engine is running.'])
  })

  test('one that lives, with its process', () => {
    expect(summaries(executor({}))).toEqual(['ok: 1 executor is alive, in process 7 on box.'])
  })

  test('one that died, and one that has stopped in good order', () => {
    const dead = executor({ lastBeatAt: now - 60_000 })
    const stopped = executor({ lastBeatAt: now - 60_000, stoppedAt: now - 60_000 })
    expect(summaries(dead, stopped)).toEqual([
      'note: No engine is running.',
      'note: 1 executor died without a word within the last day.',
    ])
  })

  test('nobody speaks for ever of one that died', () => {
    expect(summaries(executor({ lastBeatAt: 0 }))).toEqual(['note: No engine is running.'])
  })

  test('one whose clock is ahead', () => {
    expect(summaries(executor({ lastBeatAt: now + 5_000 }))).toContain(
      'warning: 1 executor heard of in the future, by the clock here.',
    )
  })
})
