/** Rules of following logs: what is open, what is new, how far each has come. */

import { describe, expect } from 'vitest'
import { findLogs, type LogPlace, listCreatedLogs, listOpenLogs } from '../../src/storage/follow.ts'
import { finishedEvent, lockedEvent } from '../support/storage/events.ts'
import { executionId } from '../support/storage/ids.ts'
import { append, createWorkflow } from '../support/storage/steps.ts'
import type { ContractTest } from './contract-test.ts'

const ids = (places: readonly LogPlace[]): readonly string[] =>
  places.map(({ executionId: id }) => id)

/** Declares the rules for one adapter. */
export function describeFollowing(test: ContractTest): void {
  describe('following logs', () => {
    test('open ones, without those that have finished, up to a number', async ({
      storage,
      opened,
    }) => {
      for (const id of ['a', 'b', 'c']) await createWorkflow(storage, id)
      await append(storage, ['b', 1], [lockedEvent(), finishedEvent()])
      const { driver } = opened
      expect(ids(await driver.read(() => listOpenLogs(10)))).toEqual(['a', 'c'])
      expect(ids(await driver.read(() => listOpenLogs(1)))).toEqual(['a'])
    })

    test('how far they have come; what is not there is left out', async ({ storage, opened }) => {
      await createWorkflow(storage, 'a', { createdAt: 7 })
      await append(storage, ['a', 1], [lockedEvent()])
      const asked = ['a', 'nobody'].map(executionId)
      expect(await opened.driver.read(() => findLogs(asked))).toEqual([
        { executionId: 'a', version: 1, createdAt: 7 },
      ])
      expect(await opened.driver.read(() => findLogs([]))).toEqual([])
    })

    test('those created after a place, page by page', async ({ storage, opened }) => {
      for (const [id, createdAt] of [
        ['old', 1],
        ['a', 5],
        ['b', 5],
        ['new', 9],
      ] as const) {
        await createWorkflow(storage, id, { createdAt })
      }
      const page = (createdAt: number, after: string): Promise<readonly LogPlace[]> =>
        opened.driver.read(() => listCreatedLogs({ createdAt, executionId: after, limit: 2 }))
      expect(ids(await page(5, ''))).toEqual(['a', 'b'])
      expect(ids(await page(5, 'b'))).toEqual(['new'])
      expect(ids(await page(9, 'new'))).toEqual([])
    })
  })
}
