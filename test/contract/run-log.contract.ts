/** Rules of what functions log while they run. */

import { describe, expect } from 'vitest'
import type { RunLogLine } from '../../src/storage/run-log.ts'
import { executionId, runId } from '../support/storage/ids.ts'
import type { ContractTest } from './contract-test.ts'

function line(id: string, message: string, part: Partial<RunLogLine> = {}): RunLogLine {
  return {
    executionId: executionId(id),
    runId: runId(),
    createdAt: 5,
    level: 'info',
    message,
    ...part,
  }
}

/** Declares the rules for one adapter. */
export function describeRunLogs(test: ContractTest): void {
  describe('run logs', () => {
    test('O1: lines are kept in order, with their fields', async ({ storage }) => {
      const lines = [
        line('a', 'one', { fields: { z: 1, a: [null, { b: 'ü' }] }, level: 'warn' }),
        line('a', 'two', { createdAt: 4 }),
      ]
      await storage.appendRunLogs(lines)
      const page = { executionId: executionId('a'), after: 0, limit: 10 }
      const found = await storage.listRunLogs(page)
      const bare = found.map(({ lineId: _place, ...rest }) => rest)
      expect(bare).toEqual(lines)
      expect(JSON.stringify(bare[0]?.fields)).toBe(JSON.stringify(lines[0]?.fields))
    })

    test('O2: pages lose no line of equal time, and show no line of others', async ({
      storage,
    }) => {
      const texts = Array.from({ length: 7 }, (_, index) => `line ${index}`)
      await storage.appendRunLogs(texts.flatMap((text) => [line('a', text), line('b', 'other')]))
      const seen: string[] = []
      let after = 0
      while (seen.length <= texts.length) {
        const page = await storage.listRunLogs({ executionId: executionId('a'), after, limit: 3 })
        seen.push(...page.map(({ message }) => message))
        const last = page.at(-1)
        if (last === undefined) break
        after = last.lineId
      }
      expect(seen).toEqual(texts)
    })

    test('O3: nothing logged, nothing listed; no lines are kept at once', async ({ storage }) => {
      await storage.appendRunLogs([])
      const page = { executionId: executionId('a'), after: 0, limit: 10 }
      expect(await storage.listRunLogs(page)).toEqual([])
    })
  })
}
