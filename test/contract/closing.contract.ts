/** Rules of closing: what was asked for is finished, what comes later is refused, typed. */

import { describe, expect } from 'vitest'
import { executionId } from '../support/storage/ids.ts'
import { createRequest, lockRequest } from '../support/storage/requests.ts'
import { accepted } from '../support/storage/results.ts'
import { createWorkflow } from '../support/storage/steps.ts'
import type { ContractTest, OpenStorage } from './contract-test.ts'

/** Declares the rules for one adapter. */
export function describeClosing(test: ContractTest, open: OpenStorage): void {
  describe('closing', () => {
    test('X1: what was asked for before is still done', async () => {
      const { storage, dispose } = await open()
      const answers = ['a', 'b', 'c'].map((id) => storage.create(createRequest(id)))
      const read = storage.findState(executionId('a'))
      await storage.close()
      expect(await Promise.all(answers.map(accepted))).toHaveLength(3)
      await read
      dispose?.()
    })

    test('X2: closing twice is harmless', async () => {
      const { storage, dispose } = await open()
      await Promise.all([storage.close(), storage.close()])
      await expect(storage.close()).resolves.toBeUndefined()
      dispose?.()
    })

    test('X3: afterwards every operation is refused with storage_unavailable', async () => {
      const { storage, dispose } = await open()
      await createWorkflow(storage, 'a')
      await storage.close()
      const closed = { code: 'storage_unavailable' }
      await expect(storage.create(createRequest('b'))).rejects.toMatchObject(closed)
      await expect(storage.lockDue(() => lockRequest(5))).rejects.toMatchObject(closed)
      await expect(storage.findState(executionId('a'))).rejects.toMatchObject(closed)
      dispose?.()
    })

    test('X4: nobody looks for foreign changes any more', async () => {
      const { storage, scheduler, dispose } = await open()
      storage.notifications.onTimer(() => undefined)
      expect(scheduler.dueTimes()).toHaveLength(1)
      await storage.close()
      expect(scheduler.dueTimes()).toEqual([])
      storage.notifications.onTimer(() => undefined)
      expect(scheduler.dueTimes()).toEqual([])
      dispose?.()
    })
  })
}
