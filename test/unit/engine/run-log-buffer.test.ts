/** What functions log is written in batches, late, and within bounds. */

import { describe, expect, it } from 'vitest'
import { SteleError } from '../../../src/base/error.ts'
import { createProblemLog } from '../../../src/engine/problem-log.ts'
import {
  bufferedLinesMax,
  createRunLogBuffer,
  flushInterval,
  linesPerFlush,
} from '../../../src/engine/run-log-buffer.ts'
import type { RunLogLine } from '../../../src/storage/run-log.ts'
import { executionId, runId } from '../../support/storage/ids.ts'
import { createTestClock, createTestScheduler } from '../../support/test-time.ts'
import { type LoggedLine, loud, recordingLogger } from './surroundings.ts'

function line(message: string): RunLogLine {
  return { executionId: executionId('a'), runId: runId(), createdAt: 0, level: 'info', message }
}

function open() {
  const clock = createTestClock()
  const scheduler = createTestScheduler(clock)
  const log: LoggedLine[] = []
  const batches: (readonly string[])[] = []
  const dropped: number[] = []
  let failure: Error | undefined
  const buffer = createRunLogBuffer({
    scheduler,
    problems: createProblemLog({ logger: recordingLogger(log), clock }, 'Writing'),
    onDropped: (count) => {
      dropped.push(count)
    },
    storage: {
      appendRunLogs: async (lines) => {
        await Promise.resolve()
        if (failure !== undefined) throw failure
        batches.push(lines.map(({ message }) => message))
      },
    },
  })
  const fail = (error: Error | undefined): void => {
    failure = error
  }
  const addMany = (count: number): void => {
    for (let index = 0; index < count; index += 1) buffer.add(line(String(index)))
  }
  return { scheduler, buffer, batches, dropped, log, fail, addMany }
}

const away = new SteleError('storage_unavailable', 'away')

describe('run log buffer', () => {
  it('bounds: lines beyond the buffer are dropped, and their number is told once', async () => {
    const { buffer, batches, dropped, addMany } = open()
    addMany(bufferedLinesMax + 7)
    await buffer.flush()
    expect(batches.flat()).toHaveLength(bufferedLinesMax)
    expect(dropped).toEqual([7])
    addMany(1)
    await buffer.flush()
    expect(dropped).toEqual([7])
  })

  it('faults: lines that a failing storage did not take are counted as dropped', async () => {
    const { buffer, dropped, fail, addMany } = open()
    fail(away)
    addMany(linesPerFlush + 3)
    await buffer.flush()
    expect(dropped).toEqual([linesPerFlush + 3])
  })

  it('late: lines wait for one another, and are written together and in order', async () => {
    const { buffer, batches, scheduler } = open()
    buffer.add(line('a'))
    await scheduler.advance(flushInterval - 1)
    buffer.add(line('b'))
    expect(batches).toEqual([])
    await scheduler.advance(1)
    expect(batches).toEqual([['a', 'b']])
    buffer.add(line('c'))
    await scheduler.advance(flushInterval)
    expect(batches).toEqual([['a', 'b'], ['c']])
  })

  it('flush: writes at once, and leaves no timer behind', async () => {
    const { buffer, batches, scheduler } = open()
    buffer.add(line('a'))
    await buffer.flush()
    expect(batches).toEqual([['a']])
    expect(scheduler.dueTimes()).toEqual([])
  })

  it('flush: takes along what comes while it writes', async () => {
    const { buffer, batches } = open()
    buffer.add(line('a'))
    const flushed = buffer.flush()
    buffer.add(line('b'))
    await Promise.all([flushed, buffer.flush()])
    expect(batches).toEqual([['a'], ['b']])
  })

  it('flush: of nothing asks nobody', async () => {
    const { buffer, batches } = open()
    await buffer.flush()
    expect(batches).toEqual([])
  })

  it('bounds: a transaction takes so many lines, and the buffer so many more', async () => {
    const { buffer, batches, addMany } = open()
    addMany(bufferedLinesMax + 7)
    await buffer.flush()
    expect(batches.every((batch) => batch.length === linesPerFlush)).toBe(true)
    expect(batches.flat().length).toBe(bufferedLinesMax)
    expect(batches.flat().at(-1)).toBe(String(bufferedLinesMax - 1))
  })

  it('fault: lines are given up, work goes on, and it is said once', async () => {
    const { buffer, batches, log, fail, addMany } = open()
    fail(away)
    addMany(linesPerFlush + 1)
    await buffer.flush()
    addMany(1)
    await buffer.flush()
    expect(loud(log)).toEqual(['Writing failed: storage_unavailable'])
    fail(undefined)
    buffer.add(line('again'))
    await buffer.flush()
    expect(batches).toEqual([['again']])
    expect(loud(log).at(-1)).toBe('Writing works again')
  })
})
