/** Rules of a check-up: it reads every row and every event once, whatever they hold. */

import { describe, expect } from 'vitest'
import {
  countRows,
  listLostLogs,
  listNeverWoken,
  listOverdueDelays,
  walkEvents,
  walkExecutions,
} from '../../src/storage/checkup.ts'
import { corruptState, forwardState, repairState } from '../support/storage/corrupt.ts'
import {
  blockingAskEvent,
  delayEvent,
  joinSetEvent,
  lockedEvent,
  waitEvent,
} from '../support/storage/events.ts'
import { delayOf } from '../support/storage/ids.ts'
import { executeSql } from '../support/storage/opened-storage.ts'
import { append, createLocked, createWorkflow } from '../support/storage/steps.ts'
import type { ContractTest } from './contract-test.ts'

/** Declares the rules for one adapter. */
export function describeCheckup(test: ContractTest): void {
  describe('a check-up', () => {
    test('counts rows', async ({ storage, opened }) => {
      expect(await opened.driver.read(() => countRows())).toEqual({
        executions: 0,
        events: 0,
        responses: 0,
        logLines: 0,
      })
      await createWorkflow(storage, 'b', { createdAt: 9 })
      await createWorkflow(storage, 'a', { createdAt: 7 })
      await append(storage, ['a', 1], [lockedEvent()])
      expect(await opened.driver.read(() => countRows())).toEqual({
        executions: 2,
        events: 3,
        responses: 0,
        logLines: 0,
        oldestCreatedAt: 7,
      })
    })

    test('walks all rows, and names those that cannot be read', async ({ storage, opened }) => {
      for (const id of ['a', 'b', 'c']) await createWorkflow(storage, id)
      await corruptState(opened, 'b')
      const first = await opened.driver.read(() => walkExecutions('', 2))
      expect(first.items.map(({ state }) => state.executionId)).toEqual(['a'])
      expect(first.unreadable).toEqual([
        { executionId: 'b', reason: expect.stringContaining('failures') },
      ])
      expect(first).toMatchObject({ count: 2, next: 'b' })
      const second = await opened.driver.read(() => walkExecutions('b', 2))
      expect(second.items.map(({ state }) => state.executionId)).toEqual(['c'])
      expect(second.next).toBeUndefined()
      await repairState(opened, 'b')
    })

    test('walks all events, log by log', async ({ storage, opened }) => {
      await createWorkflow(storage, 'b', { createdAt: 3 })
      await createWorkflow(storage, 'a', { createdAt: 4 })
      await append(storage, ['a', 1], [lockedEvent()])
      const from = { executionId: 'a', version: 0 }
      expect(await opened.driver.read(() => walkEvents(from, 10))).toEqual([
        { executionId: 'a', version: 1, createdAt: 10 },
        { executionId: 'b', version: 0, createdAt: 3 },
      ])
    })

    test('finds what waits and has asked for nothing', async ({ storage, opened }) => {
      await createLocked(storage, 'asks')
      await append(storage, ['asks', 2], [joinSetEvent(), blockingAskEvent()])
      await createLocked(storage, 'stuck')
      await append(storage, ['stuck', 2], [waitEvent()])
      expect(await opened.driver.read(() => listNeverWoken(10))).toEqual(['stuck'])
    })

    test('finds delays that should have fired, without those that are paused', async ({
      storage,
      opened,
    }) => {
      await createLocked(storage, 'a')
      await append(
        storage,
        ['a', 2],
        [
          joinSetEvent('n:timers'),
          delayEvent('a', 50),
          delayEvent('a', 20, { index: 2, paused: true, seq: 3 }),
          delayEvent('a', 900, { index: 3, seq: 4 }),
        ],
      )
      expect(await opened.driver.read(() => listOverdueDelays(100, 10))).toEqual([
        { delayId: delayOf('a'), dueAt: 50 },
      ])
    })

    test('finds rows that are ahead of their logs', async ({ storage, opened }) => {
      await createWorkflow(storage, 'a')
      expect(await opened.driver.read(() => listLostLogs(10))).toEqual([])
      await forwardState(opened, 'a')
      expect(await opened.driver.read(() => listLostLogs(10))).toEqual(['a'])
      await executeSql(opened, "UPDATE executions SET version = 0 WHERE execution_id = 'a'")
    })
  })
}
